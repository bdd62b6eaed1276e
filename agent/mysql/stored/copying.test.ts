// Restores and drills from a bucket, up to the server that takes the copy over.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { MemoryBucket } from "../../../test/fakes/bucket";
import { StorageFailure } from "../../object-storage/failure";
import type { Opened } from "../../object-storage/open";
import { sealerFor } from "../../object-storage/sealing";
import { DrillEnd, type Progress } from "../../verify/decide";
import { bytesOf, checksumsOf } from "../copies/manifest";
import { copyNewestStored } from "./drill";
import { entryOf, partOf, type Named } from "./layout";
import { removeStored } from "./removal";
import { copyStored, markOf, wishOfPod } from "./restore";
import { send } from "./sending";

const at = (day: number): string => `orders-202611${day}T020003Z`;
const own = { group: "own", label: at(21) };
const former = { group: "former", label: at(19) };
const means = { version: "9.7.4", redo: 0 };

const environment = process.env;
let directory = "";
let copy = "";
let bucket = new MemoryBucket();

beforeEach(async () => {
  process.env = { ...environment };
  directory = await mkdtemp(join(tmpdir(), "copying-"));
  copy = join(directory, "volume", "restoring");
  bucket = new MemoryBucket();
  await mkdir(join(directory, "volume"));
  await mkdir(join(directory, "data", "app"), { recursive: true });
  await writeFile(join(directory, "data", "app", "items.ibd"), "rows");
});
afterEach(async () => {
  process.env = environment;
  await rm(directory, { recursive: true });
});

const opened = (passphrase?: string): Opened => ({ bucket, sealer: sealerFor(passphrase) });

async function sent(backup: Named = own, { by = opened(), server = "9.7.4" } = {}): Promise<void> {
  const data = join(directory, "data");
  const files = await checksumsOf(data);
  const of = { group: backup.group, server, transactions: "u:1-3", copiedAt: "2026-11-21T02:00:09.000Z" };
  await send(by, backup, { data, manifest: { ...of, bytes: bytesOf(files), files } });
}

const wish = { location: "s3://backups/prod/shop/orders", cluster: undefined, label: undefined };
const damaged = (backup: Named): void => void bucket.objects.set(partOf(backup, 0), Buffer.from("other"));

test("a restore has the files of the newest backup", async () => {
  await sent({ ...own, label: at(20) });
  await writeFile(join(directory, "data", "app", "newer.ibd"), "rows");
  await sent();
  await copyStored(opened(), wish, copy, means);
  assert.deepEqual((await readdir(join(copy, "app"))).sort(), ["items.ibd", "newer.ibd"]);
});

test("a backup that this server cannot have, or that has no room, is refused before anything is fetched", async () => {
  await sent(own, { server: "9.8.0" });
  bucket.asked.length = 0;
  await assert.rejects(copyStored(opened(), wish, copy, means), /is of MySQL 9\.8\.0, and the image of MySQL 9\.7\.4/);
  await assert.rejects(
    copyStored(opened(), wish, copy, { version: "9.8.0", redo: 1e18 }),
    /the data volume has \d+ MiB free: write a larger storage/,
  );
  assert.equal(
    bucket.asked.some((request) => request.includes("/data/") && request.startsWith("get")),
    false,
  );
});

test("damage is named, and what to do; another passphrase is none", async () => {
  await sent();
  damaged(own);
  await assert.rejects(
    copyStored(opened(), wish, copy, means),
    /T020003Z is damaged: .*00000000 has 5 bytes.*look into the storage, and there is no other one/,
  );
  await assert.rejects(
    copyStored(opened("one"), wish, copy, means),
    /does not fit the passphrase: restore\.s3\.encryption must be/,
  );
  bucket.objects.set(entryOf(own), Buffer.from("no JSON"));
  await assert.rejects(copyStored(opened(), wish, copy, means), /is damaged: .* cannot be read/);
});

test("where the newest backup is damaged those before it are named, and one of them is restored once it is asked for", async () => {
  await sent({ ...own, label: at(19) });
  await sent({ ...own, label: at(20) });
  await sent();
  damaged(own);
  const others = `${at(20)}, ${at(19)}`;
  await assert.rejects(
    copyStored(opened(), wish, copy, means),
    new RegExp(`^Error: ${at(21)} is damaged: .*, and choose another one, by restore\\.s3\\.label or .*: ${others}$`),
  );
  await rm(copy, { recursive: true, force: true });
  await copyStored(opened(), { ...wish, label: at(20) }, copy, means);
  assert.deepEqual(await readdir(join(copy, "app")), ["items.ibd"]);
});

test("a backup that retention removes while it is restored is not called damaged", async () => {
  await sent({ ...own, label: at(20) });
  await sent();
  bucket.before = (request) => {
    if (request !== `get ${partOf(own, 0)}`) return;
    bucket.objects.delete(partOf(own, 0));
    bucket.objects.delete(entryOf(own));
  };
  await assert.rejects(
    copyStored(opened(), wish, copy, means),
    new RegExp(
      `^Error: ${at(21)} was removed while it was copied, as retention does: choose another one, .*: ${at(20)}$`,
    ),
  );
});

test("what a pod is told says which backup, the same in each attempt; a moment is refused", () => {
  process.env["RESTORE_UNTIL"] = "last";
  assert.equal(markOf(wishOfPod("s3://b/p")), "the newest backup of s3://b/p");
  Object.assign(process.env, { BACKUP_CLUSTER: "own", BACKUP_LABEL: at(21) });
  assert.equal(markOf(wishOfPod("s3://b/p")), `${at(21)} of s3://b/p own`);
  process.env["RESTORE_UNTIL"] = "2026-11-25T08:34:00Z";
  assert.throws(() => wishOfPod("s3://b/p"), /leave restore\.pointInTime out/);
});

const progress = (): Progress => ({
  ...{ stage: "", label: undefined, recoverySeconds: undefined, answers: [], omitted: [] },
});

/** What a drill's copy ends with. */
async function end(by = opened(), some = progress()): Promise<string> {
  return copyNewestStored(by, { progress: some, data: copy }, "9.7.4").then(
    () => "copied",
    (error: unknown) => (error instanceof DrillEnd ? `${error.finding}: ${error.message}` : String(error)),
  );
}

test("a drill has the newest of all groups, and says where that is one of several", async () => {
  await sent(former);
  await sent();
  const some = progress();
  assert.equal(await end(opened(), some), "copied");
  assert.equal(some.label, own.label);
  assert.deepEqual(some.omitted, ["it is of cluster own, one of several there"]);
  assert.deepEqual(await readdir(join(copy, "app")), ["items.ibd"]);
});

test("damage is held against a backup; a storage that does not answer, or does not fit, is not", async () => {
  assert.match(await end(), /^NoBackup: s3:\S+ has no complete backup yet/);
  await sent();
  bucket.before = (request) => {
    if (request === `get ${partOf(own, 0)}`) throw new StorageFailure("unreachable", "it does not answer");
  };
  assert.equal(await end(), "Interrupted: it does not answer");
  bucket.before = (request) => {
    if (request.startsWith("directories")) throw new StorageFailure("unreachable", "it does not answer");
  };
  assert.equal(await end(), "Interrupted: it does not answer");
  bucket.before = () => undefined;
  assert.match(await end(opened("one")), /^Interrupted: .*does not fit/);
  damaged(own);
  assert.match(await end(), /^BackupDamaged: .*00000000 has 5 bytes/);
  await sent({ ...own, label: at(22) }, { server: "9.8.0" });
  assert.match(await end(), /^VersionMismatch: /);
});

test("a backup that retention removes while it is copied is not damaged: the one that is newest then is copied", async () => {
  await sent({ ...own, label: at(20) });
  await sent();
  let isGoing = true;
  bucket.before = (request) => {
    if (request !== `get ${partOf(own, 0)}` || !isGoing) return;
    isGoing = false;
    void removeStored(bucket, own);
    bucket.objects.delete(partOf(own, 0));
    bucket.objects.delete(entryOf(own));
  };
  const some = progress();
  assert.equal(await end(opened(), some), "copied");
  assert.equal(some.label, at(20));
});
