// The program of a backup Job: takes a dump with mongodump, reads it to its end, and removes the oldest ones.
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { z } from "zod";
import type { BackupReport } from "../../../contract/backup-report";
import { backupName, completeBackups, removeLeftovers, withVolume } from "../../backup-volume";
import { keptLabels, oldestOf, secondOf, tell, type Retention } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { runToEnd } from "../../supervise/run";
import { serverKind } from "../settings";
import { contentsOf, type Contents } from "./archive";
import { archiveName, completeOf, prune, type About } from "./retention";

/** How long members may take to appear, in milliseconds. */
const patienceMs = 600_000;

/** Runs the program. Throws where the backup is incomplete. */
export async function backUp(): Promise<void> {
  const [directory, database] = [required("BACKUP_DIRECTORY"), required("DATABASE_NAME")];
  await withVolume(directory, async () => {
    await removeLeftovers(directory);
    const { report, own } = await takeBackup(directory, database);
    const all = await listed(directory, database);
    const bytesOf = (label: string): number | undefined => all.find(({ name }) => name === label)?.bytes;
    await tell(
      { ...report, bytes: bytesOf(report.backup) },
      own.map((label) => ({ label, bytes: bytesOf(label) })),
    );
  });
}

/** What there is to report. */
interface Taken {
  readonly report: BackupReport;
  /** Labels of those of the same set that are left, the oldest first. */
  readonly own: readonly string[];
}

/** Takes a backup of the database, and removes those that are too many. */
export async function takeBackup(directory: string, database: string): Promise<Taken> {
  const uri = uriOf(required("MONGODB_HOSTS"), database);
  const password = required("BACKUP_PASSWORD");
  const { about, version } = await aboutServer(uri, password);
  const began = new Date();
  const name = backupName(database, began);
  const { hasOplog } = await completeOf(directory, name, about, async (archive) => {
    await dump(uri, password, archive);
    return verify(archive);
  });
  const wanted: Retention = { newest: name, retention: requiredNumber("BACKUP_RETENTION"), kept: keptLabels() };
  const own = await prune(directory, database, about, wanted);
  const report = {
    backup: name,
    startedAt: secondOf(began),
    ...(about.set !== undefined && { cluster: about.set }),
    ...(version !== undefined && { version }),
    consistency: hasOplog ? "OneMoment" : "Torn",
    oldest: oldestOf(own, wanted),
  } as const;
  return { report, own };
}

/** An available secondary spares the primary. */
function uriOf(hosts: string, setName: string): string {
  const options = { replicaSet: setName, authSource: "admin", readPreference: "secondaryPreferred" };
  return `mongodb://${encodeURIComponent(required("BACKUP_USER"))}@${hosts}/?${new URLSearchParams(options).toString()}`;
}

const SetConfiguration = z.looseObject({
  config: z.looseObject({ settings: z.looseObject({ replicaSetId: z.unknown() }) }),
});

const BuildInfo = z.looseObject({ version: z.string() });

/** What a server says of itself; of the one that stands in for MongoDB nothing is known. */
interface Server {
  readonly about: About;
  readonly version?: string;
}

/** Waits until a member accepts the password, and asks which replica set it belongs to. */
async function aboutServer(uri: string, password: string): Promise<Server> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    // a client whose first connection failed stays closed forever
    const auth = { username: required("BACKUP_USER"), password };
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5_000, auth });
    try {
      return await aboutSet(client);
    } catch (error) {
      if (performance.now() > deadline) {
        throw new Error(`no member could be backed up: ${textOf(error)}`, { cause: error });
      }
    } finally {
      await client.close();
    }
    await delay(1_000);
  }
}

async function aboutSet(client: MongoClient): Promise<Server> {
  const admin = client.db("admin");
  await admin.command({ listDatabases: 1, nameOnly: true });
  if (serverKind() === "ferretdb") return { about: {} };
  const { config } = SetConfiguration.parse(await admin.command({ replSetGetConfig: 1 }));
  const { version } = BuildInfo.parse(await admin.command({ buildInfo: 1 }));
  return { about: { set: String(config.settings.replicaSetId) }, version };
}

/** The password goes into a file: anyone on the node can read arguments. */
async function dump(uri: string, password: string, archive: string): Promise<void> {
  const secrets = join(required("TMPDIR"), "mongodump.yaml");
  await writeFile(secrets, `password: ${JSON.stringify(password)}\n`, { mode: 0o600 });
  // what is written while the dump runs is in it too, so that it is consistent; FerretDB has no oplog
  const moment = serverKind() === "mongod" ? ["--oplog"] : [];
  await runToEnd("mongodump", ["--config", secrets, "--uri", uri, "--gzip", `--archive=${archive}`, ...moment]);
}

/** Reads it to its end, with its checksum, and looks whether all of each collection is there. */
async function verify(archive: string): Promise<Contents> {
  const contents = await contentsOf(archive);
  const { bytes, hasOplog, collections } = contents;
  // a restore by its users would find no moment that all of it is of
  if (serverKind() === "mongod" && !hasOplog)
    throw new Error("mongodump took no oplog along: the backup would not be of one moment");
  log("verified", { bytes, collections: collections.length, isOfOneMoment: hasOplog });
  return contents;
}

interface Listed {
  readonly name: string;
  readonly bytes: number;
}

/** The complete backups, which are printed for people as well. */
async function listed(directory: string, database: string): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  for (const name of await completeBackups(directory, database)) {
    all.push({ name, bytes: (await stat(join(directory, name, archiveName))).size });
  }
  process.stdout.write(`backups of ${database}:\n`);
  for (const { name, bytes } of all) process.stdout.write(`  ${name}  ${(bytes / 1024 ** 2).toFixed(1)} MiB\n`);
  return all;
}
