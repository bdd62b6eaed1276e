// The program of a backup Job: takes a copy of a member onto the backup volume, and removes the oldest ones. A backup is complete when
// it has its final name, <database>-<time>: until then it is a directory that begins with a dot, and the next run removes it. Ends with
// the list of backups, and a short form of it in the pod's termination message.
import { backupName, complete, removeBackup, removeLeftovers, withVolume } from "../../backup-volume";
import { keptLabels, oldestOf, secondOf, tell, versionIn, type Retention } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { runToEnd } from "../../supervise/run";
import { basesOf } from "../archive/bases";
import { recoverableFrom } from "../archive/note";
import { sessionsOf } from "../archive/store";
import type { RemoteArgs } from "../remote";
import { replicationUser } from "../server/accounts";
import { cloneTo, isFull, type Cloning } from "./clone";
import { bytesOf, checksumsOf, dataIn, writeManifest, type Manifest } from "./manifest";
import { backupsIn, listOf, surplus } from "./retention";
import { giveWay, makeRoom } from "./room";
import { chooseSource, type Position } from "./source";

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
    const { group, bytes, redo } = source;
    const kept = keptLabels();
    const need = { directory, database, group, bytes, redo, kept };
    const from = { position: source, source: memberAt(source.host), makeRoom: () => makeRoom(need) };
    await complete(directory, name, (partial) => take(partial, source, from)).catch((error: unknown) => {
      if (isFull(error)) return giveWay(need, textOf(error));
      throw error;
    });
    const wanted: Retention = { newest: name, retention, kept };
    await prune(directory, database, wanted);
    await report(directory, database, { began, source, wanted });
  });
}

async function take(partial: string, position: Position, from: Cloning): Promise<void> {
  await cloneTo(dataIn(partial), from);
  // reads back what was written, so that a copy of it can be compared later
  const copiedAt = new Date().toISOString();
  const files = await checksumsOf(dataIn(partial));
  const { group, server, transactions } = position;
  const manifest: Manifest = { group, server, transactions, copiedAt, bytes: bytesOf(files), files };
  await writeManifest(partial, manifest);
  await runToEnd("sync", ["--file-system", partial]);
  log("copied", { bytes: manifest.bytes, files: Object.keys(files).length });
}

async function prune(directory: string, database: string, wanted: Retention): Promise<void> {
  for (const name of surplus(await backupsIn(directory, database), wanted)) {
    await removeBackup(directory, name);
    log("removed", { name });
  }
}

/** The earliest moment of a restore; undefined where no binary logs are kept. */
async function earliestIn(directory: string, database: string, group: string): Promise<string | undefined> {
  if (process.env["BINARY_LOGS"] !== "kept") return undefined;
  return recoverableFrom(await basesOf(directory, database, group), await sessionsOf(directory, group));
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
  const own = backups.filter((backup) => backup.group === group);
  const facts = {
    backup: wanted.newest,
    startedAt: secondOf(began),
    bytes: backups.find(({ name }) => name === wanted.newest)?.bytes,
    // members report their host names, which begin with their own
    member: host.split(".")[0],
    cluster: group,
    version: versionIn(server),
    oldest: oldestOf(
      own.map(({ name }) => name),
      wanted,
    ),
    recoverableFrom: await earliestIn(directory, database, group),
  };
  await tell(
    facts,
    own.map(({ name, bytes }) => ({ label: name, bytes })),
  );
}
