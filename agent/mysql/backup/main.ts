// The program of a backup Job: takes a dump onto the backup volume, verifies it, and removes the oldest ones. A backup is complete when
// it has its final name, <database>-<time>: until then it is a directory that begins with a dot, and the next run removes it. Ends with
// the list of backups, and a short form of it in the pod's termination message.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { backupName, complete, removeBackup, removeLeftovers, withVolume } from "../../backup-volume";
import { keptLabels, oldestOf, secondOf, tell, versionIn, type Retention } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log } from "../../log";
import { connectTo, type RemoteArgs } from "../remote";
import { replicationUser } from "../server/accounts";
import { dumpTo } from "./dump";
import { backupsIn, listOf, surplus, type Manifest } from "./retention";
import { chooseSource, systemDatabases, type Position } from "./source";
import { brokenViewsOf, type BrokenView } from "./views";

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
  await withVolume(directory, async () => {
    await removeLeftovers(directory);
    const source = await chooseSource(memberAt(required("REPLICA_HOST")), memberAt(required("PRIMARY_HOST")));
    const began = new Date();
    const name = backupName(database, began);
    await complete(directory, name, (partial) => take(partial, source, memberAt(source.host)));
    const wanted: Retention = { newest: name, retention, kept: keptLabels() };
    await prune(directory, database, wanted);
    await report(directory, database, { began, source, wanted });
  });
}

async function take(partial: string, position: Position, source: RemoteArgs): Promise<void> {
  const { databases, leftOut } = await contentsOf(source);
  for (const { view, why } of leftOut) log("a view is left out", { view, why });
  const without = leftOut.map(({ view }) => view);
  const dump = await dumpTo(join(partial, "dump.sql.gz"), source, { databases, without });
  const { group, server, transactions } = position;
  const manifest: Manifest = { group, server, transactions, databases, leftOut, ...dump };
  await writeFile(join(partial, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
  log("verified", { bytes: dump.bytes });
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

async function prune(directory: string, database: string, wanted: Retention): Promise<void> {
  for (const name of surplus(await backupsIn(directory, database), wanted)) {
    await removeBackup(directory, name);
    log("removed", { name });
  }
}

interface Taken {
  readonly began: Date;
  readonly source: Position;
  readonly wanted: Retention;
}

async function report(directory: string, database: string, { began, source, wanted }: Taken): Promise<void> {
  const { group, host, server } = source;
  const backups = await backupsIn(directory, database);
  process.stdout.write(`backups of ${database}:\n${listOf(backups, group).join("\n")}\n`);
  const own = backups.filter((backup) => backup.group === group).map(({ name }) => name);
  const facts = {
    backup: wanted.newest,
    startedAt: secondOf(began),
    bytes: backups.find(({ name }) => name === wanted.newest)?.bytes,
    // members report their host names, which begin with their own
    member: host.split(".")[0],
    cluster: group,
    version: versionIn(server),
    oldest: oldestOf(own, wanted),
  };
  await tell(facts, backups);
}
