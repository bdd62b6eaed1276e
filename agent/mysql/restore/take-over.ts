// What makes a copy of another Database's data the new one's own: passwords of the accounts that members, Jobs and the application use, and
// nothing that it was a part of, nor begins by itself.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escape } from "mysql2";
import { z } from "zod";
import { log } from "../../log";
import { disableEvents } from "../events";
import { withPrivateServer, type PrivateServerArgs } from "../private-server";
import { takeOverStatements, type Account } from "../server/accounts";
import type { OwnServer } from "../server/connection";
import type { MemberSettings } from "../settings";
import { takeOverOptions } from "../copies/fit";

const patienceMs = 600_000;

/** Passwords of the new Database. */
export interface Owners extends Pick<MemberSettings, "passwords"> {
  readonly others: readonly Account[];
}

/** `directory`: for the files of the server that does it. */
export async function takeOver(data: string, directory: string, { passwords, others }: Owners): Promise<void> {
  await withCopy({ data, directory, superuser: passwords.superuser, options: takeOverOptions }, async (sql) => {
    // before there are transactions of this server
    const executed = await executedOn(sql);
    for (const statement of takeOverStatements({ passwords }, others)) await sql.query(statement, patienceMs);
    log("the accounts of members, Jobs and the application have their new passwords");
    await disableEvents(sql);
    await leaveAllBehind(sql, executed);
  });
  // the identity of that server
  await rm(join(data, "auto.cnf"), { force: true });
}

/** A copy, and the server that has it for a while. */
export interface CopyArgs extends Omit<PrivateServerArgs, "password"> {
  readonly superuser: string;
}

/** Does the work as the superuser, whose password is one that no one here knows: the server itself changes it before it answers. */
export async function withCopy(
  { data, directory, superuser, options, over, complaints }: CopyArgs,
  work: (sql: OwnServer) => Promise<void>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const first = join(directory, "first.sql");
  const own = `ALTER USER root@localhost IDENTIFIED BY ${escape(superuser)} ACCOUNT UNLOCK`;
  await writeFile(first, `SET SESSION sql_log_bin = 0;\n${own};\n`, { mode: 0o600 });
  try {
    const args = { data, directory, password: superuser, options: { ...options, init_file: first } };
    await withPrivateServer({ ...args, over, complaints }, work);
  } finally {
    await rm(first, { force: true });
  }
}

const Executed = z.array(z.object({ executed: z.string() })).length(1);

/** Which transactions it has. */
export async function executedOn(sql: Pick<OwnServer, "query">): Promise<string> {
  const statement = "SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', '') AS executed";
  const [row] = Executed.parse(await sql.query(statement, patienceMs));
  if (row === undefined || row.executed === "") throw new Error("the backup does not say which transactions are in it");
  return row.executed;
}

/**
 * Forgets whom it followed, and what this server wrote. The transactions of the copy stay known as ones that are in no binary log: a member
 * that lacks them must copy all data, and can never take itself for complete with what is written from now on.
 */
async function leaveAllBehind(sql: OwnServer, executed: string): Promise<void> {
  await sql.query("RESET REPLICA ALL", patienceMs);
  await sql.query("RESET BINARY LOGS AND GTIDS", patienceMs);
  await sql.query(`SET GLOBAL gtid_purged = ${escape(executed)}`, patienceMs);
  log("it follows no other server", { transactions: executed });
}
