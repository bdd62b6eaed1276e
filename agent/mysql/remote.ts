// SQL on a member from another pod, as the programs of Jobs send it.
import { setTimeout as delay } from "node:timers/promises";
import { createConnection, type Connection } from "mysql2/promise";
import { log, textOf } from "../log";
import { ownSession } from "./sessions";

/** Where to connect, and as which account. */
export interface RemoteArgs {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** How long a member may take for its first answers, in milliseconds: one that is frozen accepts connections all the same. */
const patienceMs = 5_000;

/** Connects, for a session of our own. Encrypted, but not authenticated: the members' certificates are self-signed. */
export async function connectTo({ host, port, user, password }: RemoteArgs): Promise<Connection> {
  const connection = await createConnection({
    ...{ host, port, user, password, connectTimeout: patienceMs },
    ssl: { rejectUnauthorized: false },
  });
  try {
    await connection.query({ sql: ownSession, timeout: patienceMs });
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

const pauseMs = 1_000;

/**
 * Connects to a writable member, as soon as there is one. Throws after `seconds`. `otherwise` is tried after each attempt that
 * failed; what it throws is logged.
 */
export async function connectToPrimary(
  args: RemoteArgs,
  seconds: number,
  otherwise: () => Promise<void> = () => Promise.resolve(),
): Promise<Connection> {
  const deadline = performance.now() + seconds * 1_000;
  let said = "";
  for (;;) {
    const found = await primaryAt(args);
    if (typeof found !== "string") return found;
    if (performance.now() > deadline) throw new Error(`no primary after ${seconds} s: ${found}`);
    if (found !== said) log("waiting for a primary", { why: found });
    said = found;
    await otherwise().catch((error: unknown) => {
      log("waiting for a primary", { why: textOf(error) });
    });
    await delay(pauseMs);
  }
}

/** A connection to the primary, or why there is none. */
export async function primaryAt(args: RemoteArgs): Promise<Connection | string> {
  try {
    const connection = await connectTo(args);
    if (await isWritable(connection)) return connection;
    connection.destroy();
    return "it is a replica";
  } catch (error) {
    return textOf(error);
  }
}

async function isWritable(connection: Connection): Promise<boolean> {
  try {
    const asked = { sql: "SELECT @@GLOBAL.super_read_only AS closed", timeout: patienceMs };
    const [rows] = await connection.query(asked);
    return Array.isArray(rows) && JSON.stringify(rows) === '[{"closed":0}]';
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
