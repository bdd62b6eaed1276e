// The program of a backup Job: takes a dump onto the backup volume, verifies it, and removes the oldest ones. A backup is complete when
// it has its final name, <database>-<time>: until then it is a directory that begins with a dot, and the next run removes it. Ends with
// the list of backups, and a short form of it in the pod's termination message.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { required, requiredNumber } from "../../environment";
import { log } from "../../log";
import { connectTo, type RemoteArgs } from "../remote";
import { replicationUser } from "../server/accounts";
import { dumpTo } from "./dump";
import { backupName, completeBackups, listOf, surplus, type Manifest } from "./retention";
import { chooseSource, systemDatabases, type Position } from "./source";
import { brokenViewsOf, type BrokenView } from "./views";

const terminationLog = "/dev/termination-log";

const Names = z.array(z.object({ name: z.string() }));

/** Runs the program. */
export async function runBackup(): Promise<void> {
  const database = required("DATABASE_NAME");
  const directory = required("BACKUP_DIRECTORY");
  const retention = requiredNumber("BACKUP_RETENTION");
  const memberAt = (host: string): RemoteArgs => ({
    host,
    port: requiredNumber("SERVER_PORT"),
    user: replicationUser,
    password: required("REPLICATION_PASSWORD"),
  });
  const release = await lock(directory);
  await removeLeftovers(directory);
  const source = await chooseSource(memberAt(required("REPLICA_HOST")), memberAt(required("PRIMARY_HOST")));
  const name = backupName(database, new Date());
  await take(join(directory, `.partial-${name}`), source, memberAt(source.host));
  await rename(join(directory, `.partial-${name}`), join(directory, name));
  await sync(directory);
  await prune(directory, database, name, retention);
  await report(directory, database, { name, group: source.group });
  release();
}

/** Held until it is released or the process ends; a second backup to the same volume gives up. */
async function lock(directory: string): Promise<() => void> {
  // the lock is the program's that waits for its input to end
  const file = join(directory, ".lock");
  const child = spawn("flock", ["--nonblock", file, "cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const held = once(child.stdout, "data").then(() => true);
  const refused = once(child, "close").then(() => false);
  // a refused one may have ended before it reads anything
  child.stdin.on("error", () => undefined);
  child.stdin.write("held\n");
  if (!(await Promise.race([held, refused]))) {
    throw new Error("another backup is running on this volume: wait for it to end");
  }
  return () => child.stdin.end();
}

async function removeLeftovers(directory: string): Promise<void> {
  const left = (await readdir(directory)).filter((name) => /^\.(partial|removed)-/.test(name));
  for (const name of left) {
    log("removing the leftovers of an aborted run", { name });
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function take(partial: string, position: Position, source: RemoteArgs): Promise<void> {
  await mkdir(partial);
  try {
    const { databases, leftOut } = await contentsOf(source);
    for (const { view, why } of leftOut) log("a view is left out", { view, why });
    const without = leftOut.map(({ view }) => view);
    const dump = await dumpTo(join(partial, "dump.sql.gz"), source, { databases, without });
    const { group, server, transactions } = position;
    const manifest: Manifest = { group, server, transactions, databases, leftOut, ...dump };
    await writeFile(join(partial, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await sync(partial);
    log("verified", { bytes: dump.bytes });
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** All databases except the server's own, and what of them cannot be read; accounts are not part of a backup. */
async function contentsOf(source: RemoteArgs): Promise<{ databases: string[]; leftOut: BrokenView[] }> {
  const connection = await connectTo(source);
  try {
    const sql = `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN (${systemDatabases}) ORDER BY 1`;
    const [rows] = await connection.query(sql);
    return { databases: Names.parse(rows).map(({ name }) => name), leftOut: await brokenViewsOf(connection) };
  } finally {
    connection.destroy();
  }
}

async function prune(directory: string, database: string, newest: string, retention: number): Promise<void> {
  for (const name of surplus(await completeBackups(directory, database), newest, retention)) {
    // Renamed first, so that a half-removed backup never looks complete.
    const doomed = join(directory, `.removed-${name}`);
    await rename(join(directory, name), doomed);
    await rm(doomed, { recursive: true });
    log("removed", { name });
  }
}

async function report(
  directory: string,
  database: string,
  newest: { readonly name: string; readonly group: string },
): Promise<void> {
  const backups = await completeBackups(directory, database);
  process.stdout.write(`backups of ${database}:\n${listOf(backups, newest.group).join("\n")}\n`);
  const kept = backups.slice(-20).map(({ name, bytes }) => ({ name, bytes }));
  // only in a pod
  await writeFile(terminationLog, JSON.stringify({ backup: newest.name, kept }), { flag: "r+" }).catch(() => undefined);
}

async function sync(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
