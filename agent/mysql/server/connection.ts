// SQL on the own server, over its socket.
import { createConnection, type Connection } from "mysql2/promise";
import { ownSession } from "../sessions";

/** How to connect. */
export interface ConnectionArgs {
  readonly socket: string;
  readonly password: string;
}

/** A connection that is made when it is needed and again when it broke. */
export class OwnServer {
  readonly #args: ConnectionArgs;
  #connection: Connection | undefined;

  constructor(args: ConnectionArgs) {
    this.#args = args;
  }

  /** Runs a statement and returns its rows; `withinMs` limits how long it may take. Throws what the server says. */
  async query(statement: string, withinMs: number): Promise<unknown> {
    const connection = await this.#connect();
    try {
      const [rows] = await connection.query({ sql: statement, timeout: withinMs });
      return rows;
    } catch (error) {
      if (isBroken(error)) this.close();
      throw error;
    }
  }

  /** Ends the connection at once. */
  close(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const { socket, password } = this.#args;
    const connection = await createConnection({
      socketPath: socket,
      user: "root",
      password,
      connectTimeout: 3_000,
      supportBigNumbers: true,
    });
    // the server's end is known by the next statement's error
    connection.on("error", () => {
      this.close();
    });
    await connection.query(ownSession);
    this.#connection = connection;
    return connection;
  }
}

/** Whether the connection is of no use after this error: anything but the server's answer to a statement. */
function isBroken(error: unknown): boolean {
  return !(
    error instanceof Error &&
    "sqlState" in error &&
    typeof error.sqlState === "string" &&
    error.sqlState !== ""
  );
}
