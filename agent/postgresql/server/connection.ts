// SQL on a server: a connection of our own, with what our sessions begin with.
import { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { Client } from "pg";
import { settingStatements } from "./session-statements";
import { sessionOptions } from "./sessions";

/** Where the server's socket is. */
export const socketDirectory = "/run/postgresql";

const usualPort = 5432;
const connectMs = 5_000;

/** Whom to connect to, and as whom. */
export interface SessionArgs {
  /** A name, an address, or the directory of a socket. */
  readonly host: string;
  /** Default: 5432. */
  readonly port?: number;
  readonly user: string;
  /** Default: `postgres`. */
  readonly database?: string;
  /** Missing: the server must not ask for one. */
  readonly password?: string;
  /** What the server calls the session. */
  readonly program: string;
  /** What the session begins with beside that of all of ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long each statement may take, in milliseconds. Default: forever. */
  readonly withinMs?: number;
  /** Whether the server is no Database's: it may not know all that ours begin with, and gets what it knows once it has told its version. */
  readonly isForeign?: boolean;
  /** How the way there is secured. Default: it is not. */
  readonly tls?: ConnectionOptions | undefined;
}

/** A session. Statements are sent as they are, so that none is kept by the server with its values apart. */
export interface Session {
  /** As in `server_version_num`. */
  readonly version: number;
  /** Runs one or more statements. */
  run(statements: string): Promise<void>;
  /** Runs one statement and returns its rows, each as its values. */
  rows(statement: string): Promise<readonly (readonly unknown[])[]>;
  close(): void;
}

/** Connects. Throws what the server, or the network, says. */
export async function openSession(args: SessionArgs): Promise<Session> {
  // one of our own can be closed, whatever the server does
  const socket = new Socket();
  const client = new Client({
    host: args.host,
    port: args.port ?? usualPort,
    user: args.user,
    password: args.password,
    database: args.database ?? "postgres",
    ssl: args.tls ?? false,
    keepAlive: true,
    application_name: args.program,
    ...(args.isForeign !== true && { options: sessionOptions(args.settings) }),
    connectionTimeoutMillis: connectMs,
    ...(args.withinMs !== undefined && { query_timeout: args.withinMs }),
    stream: () => socket,
  });
  // the server's end is known by the next statement's error
  client.on("error", () => undefined);
  const rows = async (text: string): Promise<readonly (readonly unknown[])[]> =>
    (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
  const close = (): void => {
    client.end().catch(() => undefined);
    socket.destroySoon();
  };
  try {
    await client.connect();
    const [[text] = []] = await rows("SHOW server_version_num");
    const version = Number(text);
    if (args.isForeign === true) await client.query(settingStatements(version).join("; "));
    return {
      version,
      rows,
      run: async (statements) => {
        await client.query(statements);
      },
      close,
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Connects, does it, and closes the connection again. */
export async function withSession<T>(args: SessionArgs, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await openSession(args);
  try {
    return await work(session);
  } finally {
    session.close();
  }
}
