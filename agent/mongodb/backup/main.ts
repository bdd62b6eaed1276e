// The program of a backup Job: takes a dump with mongodump, reads it to its end, and removes the oldest ones.
import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { MongoClient } from "mongodb";
import { z } from "zod";
import { backupName, completeBackups, removeLeftovers, withVolume } from "../../backup-volume";
import { keptLabels, oldestOf, secondOf, tell, type Listed, type Retention } from "../../backups";
import { required, requiredNumber } from "../../environment";
import { log, textOf } from "../../log";
import { runToEnd } from "../../supervise/run";
import { serverKind } from "../settings";
import { archiveName, completeOf, prune, type About } from "./retention";

/** How long members may take to appear, in milliseconds. */
const patienceMs = 600_000;

/** Takes a backup. Throws where it is incomplete. */
export async function backUp(): Promise<void> {
  const directory = required("BACKUP_DIRECTORY");
  const database = required("DATABASE_NAME");
  const uri = uriOf(required("MONGODB_HOSTS"), database);
  const password = required("BACKUP_PASSWORD");
  await withVolume(directory, async () => {
    await removeLeftovers(directory);
    const { about, version } = await aboutServer(uri, password);
    const began = new Date();
    const name = backupName(database, began);
    await completeOf(directory, name, about, async (archive) => {
      await dump(uri, password, archive);
      await verify(archive);
    });
    const wanted: Retention = { newest: name, retention: requiredNumber("BACKUP_RETENTION"), kept: keptLabels() };
    const own = await prune(directory, database, about, wanted);
    const all = await listed(directory, database);
    const facts = {
      backup: name,
      startedAt: secondOf(began),
      bytes: all.find((backup) => backup.name === name)?.bytes,
      cluster: about.set,
      version,
      oldest: oldestOf(own, wanted),
    };
    await tell(facts, all);
  });
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

/** The archive is compressed with a checksum at its end: what can be read to the end is what was written. */
async function verify(archive: string): Promise<void> {
  let bytes = 0;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(archive), createGunzip(), count);
  if (bytes === 0) throw new Error("the archive is empty");
  log("verified", { bytes });
}

/** The complete backups, which are printed for people as well. */
async function listed(directory: string, database: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (const name of await completeBackups(directory, database)) {
    all.push({ name, bytes: (await stat(join(directory, name, archiveName))).size });
  }
  process.stdout.write(`backups of ${database}:\n`);
  for (const { name, bytes } of all) process.stdout.write(`  ${name}  ${(bytes / 1024 ** 2).toFixed(1)} MiB\n`);
  return all;
}
