// The program of a backup Job: takes a copy of a member onto the backup volume, and removes the oldest ones. A backup is complete when
// it has its final name, <database>-<time>: until then it is a directory that begins with a dot, and the next run removes it. Ends with
// the list of backups, and a short form of it in the pod's termination message.
import { backupName, complete, removeBackup, removeLeftovers, withVolume } from "../../backup-volume";
import { keptLabels, oldestOf, secondOf, tell, versionIn, type Retention } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { runToEnd } from "../../supervise/run";
import { tidyLeft } from "../archive/leftovers";
import { cloneTo, isFull, type Cloning } from "./clone";
import { bytesOf, checksumsOf, dataIn, writeManifest, type Manifest } from "../copies/manifest";
import { backupsIn, listOf, surplus } from "../copies/retention";
import { earliestIn } from "./earliest";
import { memberAt, primaryTime, sourceOfJob } from "./members";
import { giveWay, makeRoom } from "./room";
import type { Position } from "../copies/source";

/** Runs the program. */
export async function runBackup(): Promise<void> {
  const database = required("DATABASE_NAME");
  const directory = required("BACKUP_DIRECTORY");
  const retention = requiredNumber("BACKUP_RETENTION");
  await withVolume(directory, async () => {
    await removeLeftovers(directory);
    const source = await sourceOfJob();
    const began = new Date();
    const name = backupName(database, began);
    const { group, bytes, redo } = source;
    const kept = keptLabels();
    const need = { directory, database, group, bytes, redo, kept };
    // what no program keeps any more goes before a backup does
    const logs = { backups: directory, database, group, kept, retention, member: source };
    await tidyLeft(logs);
    const from = { position: source, source: memberAt(source.host), makeRoom: () => makeRoom(need) };
    await complete(directory, name, (partial) => take(partial, source, from)).catch((error: unknown) => {
      if (isFull(error)) return giveWay(need, textOf(error));
      throw error;
    });
    const wanted: Retention = { newest: name, retention, kept };
    await prune(directory, database, wanted);
    await tidyLeft(logs);
    await report(directory, database, { began, source, wanted });
  });
}

async function take(partial: string, position: Position, from: Cloning): Promise<void> {
  await cloneTo(dataIn(partial), from);
  const copiedAt = (await primaryTime()).toISOString();
  // reads back what was written, so that a copy of it can be compared later
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
    ...(process.env["BINARY_LOGS"] === "kept" && {
      recoverableFrom: await earliestIn({ backups: directory, database, group, newest: wanted.newest }),
    }),
  };
  await tell(
    facts,
    own.map(({ name, bytes, completedAt }) => ({ label: name, bytes, completedAt })),
  );
}
