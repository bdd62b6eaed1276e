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
    const about = await aboutServer(uri, password);
    const name = backupName(database, new Date());
    await completeOf(directory, name, about, async (archive) => {
      await dump(uri, password, archive);
      await verify(archive);
    });
    await prune(directory, database, about, requiredNumber("BACKUP_RETENTION"));
    await tell(directory, database, name);
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

/** Waits until a member accepts the password, and asks which replica set it belongs to. */
async function aboutServer(uri: string, password: string): Promise<About> {
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

async function aboutSet(client: MongoClient): Promise<About> {
  const admin = client.db("admin");
  await admin.command({ listDatabases: 1, nameOnly: true });
  if (serverKind() === "ferretdb") return {};
  const { config } = SetConfiguration.parse(await admin.command({ replSetGetConfig: 1 }));
  return { set: String(config.settings.replicaSetId) };
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

/** The list of backups for people, and a short form of it for kubectl describe. */
async function tell(directory: string, database: string, name: string): Promise<void> {
  const kept: { name: string; bytes: number }[] = [];
  for (const backup of await completeBackups(directory, database)) {
    kept.push({ name: backup, bytes: (await stat(join(directory, backup, archiveName))).size });
  }
  process.stdout.write(`backups of ${database}:\n`);
  for (const { name: backup, bytes } of kept) {
    process.stdout.write(`  ${backup}  ${(bytes / 1024 ** 2).toFixed(1)} MiB\n`);
  }
  const text = JSON.stringify({ backup: name, kept: kept.slice(-20) });
  await writeFile("/dev/termination-log", text).catch(() => undefined);
}
