// MySQL, by the driver `mysql2`.
import { connect as openSocket } from "node:net";
import { createConnection, type Connection } from "mysql2";
import { z } from "zod";
import { within } from "../load/within";
import { StatementRefused, type Session, type Target, type TestedEngine } from "./engine";

const Rows = z.array(z.array(z.unknown()));

export const mysql: TestedEngine = {
  name: "mysql",
  replications: ["group"],
  specOf: () => ({}),
  process: "mysqld",
  // the name that Node gives its main thread
  agent: "MainThread",
  connect,
  minorUpgrade: "rebuilt image",
  versionParameter: "version",
  settingStatement: (parameter) => `select @@global.${parameter}`,
  restartParameter: { name: "back_log", valueOf: (step) => String(200 + step) },
  begin: ["set transaction isolation level serializable", "start transaction"],
  appendStatement: (table, key, value) =>
    `insert into ${table} values (${key}, '${value}') on duplicate key update list = concat(list, ',${value}')`,
  // an error while a commit goes through the group says too little
  refusedCommit: "unknown",
  async isReadOnly(session) {
    const [[said] = []] = await session.run("select @@global.super_read_only");
    return said === 1;
  },
  // a majority of the group agrees on every commit, always
  isReplicating: () => Promise.resolve(true),
};

async function connect({ username, host, port, ...target }: Target, withinMs: number): Promise<Session> {
  // a socket of our own: the driver's way to end a connection waits for the other side
  const socket = openSocket(port, host).setNoDelay();
  const connection = createConnection({ ...target, user: username, stream: socket, connectTimeout: 0 });
  connection.on("error", () => undefined);
  const destroy = (): void => {
    socket.destroy();
  };
  try {
    await within(withinMs, connected(connection), destroy);
  } catch (error) {
    destroy();
    throw error;
  }
  return { destroy, run: (statement) => ask(connection, statement) };
}

function connected(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Statements without rows answer with a summary, which is none. */
function ask(connection: Connection, statement: string): Promise<readonly unknown[][]> {
  return new Promise((resolve, reject) => {
    connection.query({ sql: statement, rowsAsArray: true }, (error, result: unknown) => {
      if (error === null) resolve(Rows.safeParse(result).data ?? []);
      else if (error.fatal) reject(error);
      else reject(new StatementRefused(error.message, { cause: error }));
    });
  });
}
