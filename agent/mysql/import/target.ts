// The server that takes the databases in: an empty one of this image's version, in a place that no member uses yet, which no one else reaches.
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escape, escapeId } from "mysql2";
import { required } from "../../environment";
import { runToEnd } from "../../supervise/run";
import { disableEvents } from "../events";
import { grantable, stepsTo, type Wanted } from "../initialize";
import { withPrivateServer } from "../private-server";
import { accountStatements } from "../server/accounts";
import type { OwnServer } from "../server/connection";

const patienceMs = 600_000;

/** Beside those of every private server: what is cut off here begins again from nothing, so nothing need be on disk before the end. */
const loadingOptions = {
  skip_log_bin: "",
  innodb_flush_log_at_trx_commit: "0",
  innodb_doublewrite: "OFF",
  innodb_redo_log_capacity: "128M",
  innodb_buffer_pool_size: "128M",
  max_allowed_packet: "1G",
  local_infile: "OFF",
} as const;

/** Accounts of the new Database. */
export interface Owners extends Wanted {
  readonly passwords: { readonly superuser: string; readonly replication: string };
}

/** From the environment of the pod. */
export const owners = (): Owners => ({
  passwords: { superuser: required("SUPERUSER_PASSWORD"), replication: required("REPLICATION_PASSWORD") },
  app: { user: required("APP_USER"), password: required("APP_PASSWORD"), database: required("APP_DATABASE") },
  monitor: { user: required("MONITOR_USER"), password: required("MONITOR_PASSWORD") },
});

/** Where it is made, and for what. */
export interface NewServer {
  readonly data: string;
  /** For its own files. */
  readonly directory: string;
  readonly databases: readonly string[];
}

/** Makes the server, has the work done with accounts and rights there, and ends it cleanly. */
export async function inNewServer(
  { data, directory, databases }: NewServer,
  own: Owners,
  work: (sql: OwnServer) => Promise<void>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const first = join(directory, "accounts.sql");
  await writeFile(first, accountStatements(own), { mode: 0o600 });
  try {
    const args = ["--no-defaults", "--initialize-insecure", "--skip-log-bin", `--datadir=${data}`];
    await runToEnd("mysqld", [...args, `--tmpdir=${directory}`, `--init-file=${first}`]);
  } finally {
    await rm(first, { force: true });
  }
  const server = { data, directory, password: own.passwords.superuser, options: loadingOptions };
  await withPrivateServer(server, async (sql) => {
    for (const statement of statementsFor(own, databases)) await sql.query(statement, patienceMs);
    await work(sql);
    // what they do is for a person to begin
    await disableEvents(sql);
    // members that lack the data must copy them: by this they know that there are some which are in no binary log
    await sql.query(`SET GLOBAL gtid_purged = ${escape(`${randomUUID()}:1`)}`, patienceMs);
  });
  // the identity of that server
  await rm(join(data, "auto.cnf"), { force: true });
}

/** The statements that make what the init Job makes, and let the application use these databases. */
export function statementsFor(own: Owners, databases: readonly string[]): string[] {
  const account = `${escapeId(own.app.user, true)}@'%'`;
  return [
    ...stepsTo(own).flatMap(({ statements }) => statements),
    ...databases.map((name) => `GRANT ALL ON ${grantable(name)}.* TO ${account}`),
  ];
}
