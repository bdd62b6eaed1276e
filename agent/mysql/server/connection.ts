// SQL on the member's own server, over its socket.
import { connect, type Socket } from "node:net";
import { createConnection, type Connection } from "mysql2/promise";
import { ownSession } from "../sessions";

/** How to connect. */
export interface ConnectionArgs {
  readonly socket: string;
  readonly password: string;
}

/** For a server that accepts connections and then hangs, in milliseconds. */
const patienceMs = 3_000;

/** A connection that is opened when it is needed and again when it broke. */
export class OwnServer {
  readonly #args: ConnectionArgs;
  #line: Promise<Line> | undefined;

  constructor(args: ConnectionArgs) {
    this.#args = args;
  }

  /**
   * Runs a statement and returns its rows; `withinMs` limits how long it may take once those before it have ended. Throws what the server
   * says, and where the connection is closed meanwhile.
   */
  async query(statement: string, withinMs: number): Promise<unknown> {
    const line = this.#connect();
    try {
      return await (await line).ask(statement, withinMs);
    } catch (error) {
      if (isBroken(error)) this.#drop(line);
      throw error;
    }
  }

  /** Ends the connection at once. */
  close(): void {
    if (this.#line !== undefined) this.#drop(this.#line);
  }

  #connect(): Promise<Line> {
    if (this.#line !== undefined) return this.#line;
    // the next statement's error shows the server's end
    const line = Line.open(this.#args, () => {
      this.#drop(line);
    });
    this.#line = line;
    return line;
  }

  #drop(line: Promise<Line>): void {
    if (this.#line === line) this.#line = undefined;
    void line.then(
      (open) => {
        open.end();
      },
      // it was never opened
      () => undefined,
    );
  }
}

/** One connection. */
class Line {
  readonly #connection: Connection;
  readonly #stream: Socket;
  readonly #closed = Promise.withResolvers<never>();

  /** Connects, for a session of our own. `failed` is called for each error outside of a statement. */
  static async open({ socket, password }: ConnectionArgs, failed: () => void): Promise<Line> {
    const stream = connect(socket);
    try {
      const login = { socketPath: socket, stream, user: "root", password };
      const connection = await createConnection({ ...login, connectTimeout: patienceMs, supportBigNumbers: true });
      connection.on("error", failed);
      const line = new Line(connection, stream);
      await line.ask(ownSession, patienceMs);
      return line;
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  private constructor(connection: Connection, stream: Socket) {
    this.#connection = connection;
    this.#stream = stream;
    this.#closed.promise.catch(() => undefined);
  }

  /** Its rows. */
  async ask(statement: string, withinMs: number): Promise<unknown> {
    const answer = this.#connection.query({ sql: statement, timeout: withinMs });
    // the library forgets waiting statements when a connection is destroyed
    const [rows] = await Promise.race([answer, this.#closed.promise]);
    return rows;
  }

  end(): void {
    this.#closed.reject(new Error("the connection was closed"));
    this.#connection.destroy();
    // that alone waits for the server to close its side
    this.#stream.destroy();
  }
}

/** Whether the server accepted a connection or a statement and gave no answer in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ETIMEDOUT" || error.code === "PROTOCOL_SEQUENCE_TIMEOUT");

/** Whether the connection is unusable after this error: anything but the server's answer to a statement. */
function isBroken(error: unknown): boolean {
  return !(
    error instanceof Error &&
    "sqlState" in error &&
    typeof error.sqlState === "string" &&
    error.sqlState !== ""
  );
}
