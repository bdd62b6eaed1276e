// SQL on the own server, over its socket.
import { createConnection, type Connection } from "mysql2/promise";
import { ownSession } from "../sessions";

/** How to connect. */
export interface ConnectionArgs {
  readonly socket: string;
  readonly password: string;
}

/** For a server that accepts connections and then hangs, in milliseconds. */
const patienceMs = 3_000;

/** A connection that is made when it is needed and again when it broke. */
export class OwnServer {
  readonly #args: ConnectionArgs;
  #connection: Promise<Connection> | undefined;

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
    void this.#connection?.then(
      (connection) => {
        connection.destroy();
      },
      // it was never made
      () => undefined,
    );
    this.#connection = undefined;
  }

  #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const connecting = this.#open(() => {
      if (this.#connection === connecting) this.close();
    });
    this.#connection = connecting;
    return connecting;
  }

  /** `broken` is called once it is of no use, or was never made. */
  async #open(broken: () => void): Promise<Connection> {
    const { socket, password } = this.#args;
    const login = { socketPath: socket, user: "root", password, connectTimeout: patienceMs, supportBigNumbers: true };
    const connection = await createConnection(login).catch((error: unknown) => {
      broken();
      throw error;
    });
    // the server's end is known by the next statement's error
    connection.on("error", broken);
    try {
      await connection.query({ sql: ownSession, timeout: patienceMs });
    } catch (error) {
      connection.destroy();
      broken();
      throw error;
    }
    return connection;
  }
}

/** Whether the server took a connection, or a statement, and gave no answer in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ETIMEDOUT" || error.code === "PROTOCOL_SEQUENCE_TIMEOUT");

/** Whether the connection is of no use after this error: anything but the server's answer to a statement. */
function isBroken(error: unknown): boolean {
  return !(
    error instanceof Error &&
    "sqlState" in error &&
    typeof error.sqlState === "string" &&
    error.sqlState !== ""
  );
}
