// What goes to a bucket, and comes back from it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { MemoryBucket } from "../../../test/fakes/bucket";
import type { Opened } from "../../object-storage/open";
import { sealerFor } from "../../object-storage/sealing";
import { bytesOf, checksumsOf } from "../copies/manifest";
import { backupsIn, groupsIn, labelsIn, readContents, readEntry, requireFit, type Entry } from "./catalogue";
import { dataOf, entryOf, partOf } from "./layout";
import { receive } from "./receiving";
import { prune, removeRemainders, removeStored } from "./removal";
import { send } from "./sending";

const label = "orders-20261121T020003Z";
const group = "7d6f4c1e-0000-4000-8000-000000000001";
const backup = { group, label };
const log = (): void => undefined;

let directory = "";
let data = "";
let bucket = new MemoryBucket();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "stored-"));
  data = join(directory, "data");
  bucket = new MemoryBucket();
  await mkdir(join(data, "app"), { recursive: true });
  await writeFile(join(data, "ibdata1"), randomBytes(300_000));
  await writeFile(join(data, "app", "items.ibd"), "rows".repeat(10_000));
  await writeFile(join(data, "app", "empty.sdi"), "");
});
afterEach(() => rm(directory, { recursive: true }));

const opened = (passphrase?: string): Opened => ({ bucket, sealer: sealerFor(passphrase) });

/** Parts are small enough for several. */
async function sent(by = opened(), one = backup): Promise<Entry> {
  const files = await checksumsOf(data);
  const of = { group: one.group, server: "9.7.4", transactions: "u:1-3", copiedAt: "2026-11-21T02:00:09.000Z" };
  return send(by, one, { data, manifest: { ...of, bytes: bytesOf(files), files }, partBytes: 64 * 1024 });
}

async function received(by = opened()): Promise<void> {
  const entry = await readEntry(by, backup);
  const contents = await readContents(by, backup, entry);
  const to = join(directory, "to");
  await rm(to, { recursive: true, force: true });
  await receive(by, backup, { contents, to, log });
}

for (const passphrase of [undefined, "passphrase"])
  test(`all files come back as they were, ${passphrase === undefined ? "plain" : "encrypted"}`, async () => {
    const entry = await sent(opened(passphrase));
    await received(opened(passphrase));
    const to = join(directory, "to");
    assert.deepEqual(
      (await readdir(to, { recursive: true })).sort(),
      (await readdir(data, { recursive: true })).sort(),
    );
    assert.deepEqual(await readFile(join(to, "ibdata1")), await readFile(join(data, "ibdata1")));
    const own = bucket.names().filter((name) => name.startsWith(dataOf(backup)));
    assert.ok(own.length > 5, `${own.length} objects`);
    assert.equal(
      entry.storedBytes,
      own.reduce((sum, name) => sum + (bucket.objects.get(name)?.length ?? 0), 0),
    );
    const shown = Buffer.concat([...bucket.objects.values()]).includes("9.7.4");
    assert.equal(shown, passphrase === undefined);
  });

test("a backup is complete with its entry, which is the last that is put, after all was read back", async () => {
  await sent();
  const last = bucket.asked.at(-1);
  assert.equal(last, `put ${entryOf(backup)}`);
  const firstRead = bucket.asked.findIndex((request) => request.startsWith("get "));
  assert.ok(bucket.asked.slice(0, firstRead).every((request) => request.startsWith("put ")));
  assert.deepEqual(await backupsIn(opened(), group), [{ label, entry: await readEntry(opened(), backup) }]);
  assert.deepEqual(await groupsIn(opened()), [group]);
});

test("what fails leaves nothing, wherever it fails", async () => {
  for (const failing of [`put ${partOf(backup, 3)}`, `get ${partOf(backup, 2)}`, `put ${dataOf(backup)}contents`]) {
    bucket.before = (request) => {
      if (request === failing) throw new Error("the storage is away");
    };
    await assert.rejects(sent(), /the storage is away/);
    assert.deepEqual(bucket.names(), [], failing);
  }
});

test("where it is not known whether the entry has arrived, all that it stands for stays: it is a backup, or what an attempt left", async () => {
  for (const hasArrived of [true, false]) {
    bucket = new MemoryBucket();
    bucket.before = (request) => {
      if (request !== `put ${entryOf(backup)}`) return;
      if (hasArrived) bucket.objects.set(entryOf(backup), Buffer.from("{}"));
      throw new Error("no answer");
    };
    await assert.rejects(sent(), /no answer/);
    assert.deepEqual(await labelsIn({ bucket }, group), hasArrived ? [label] : []);
    assert.ok(bucket.objects.has(partOf(backup, 0)) && bucket.objects.has(`${dataOf(backup)}contents`));
  }
  await removeRemainders(bucket, group, Date.parse("2026-11-22T02:00:03Z"));
  assert.deepEqual(bucket.names(), []);
});

test("holes in files, as compressed pages leave them, take up nothing where they come back", async () => {
  const hollow = await open(join(data, "hollow.ibd"), "w");
  await hollow.write(Buffer.from("page"), 0, 4, 64 * 1024 ** 2);
  await hollow.close();
  const { blocks } = await stat(join(data, "hollow.ibd"));
  await sent();
  await received();
  const back = await stat(join(directory, "to", "hollow.ibd"));
  assert.equal(back.size, 64 * 1024 ** 2 + 4);
  assert.ok(back.blocks <= blocks + 64, `${back.blocks} blocks in place of ${blocks}`);
});

test("what arrives as something else is told, and is no backup", async () => {
  bucket.before = (request) => {
    if (request === `get ${partOf(backup, 1)}`) bucket.objects.set(partOf(backup, 1), Buffer.from("other"));
  };
  await assert.rejects(sent(), /orders-20261121T020003Z is not what was sent, and is removed: .*00000001 has 5 bytes/);
  assert.deepEqual(bucket.names(), []);
});

test("a file that cannot be read fails the backup", async () => {
  await assert.rejects(
    send(opened(), backup, {
      data: join(directory, "none"),
      manifest: { group, server: "9", transactions: "", copiedAt: "", bytes: 0, files: {} },
    }),
    /tar failed: .*none/,
  );
  assert.deepEqual(bucket.names(), []);
});

test("a part that is gone, or another one, is damage, and named", async () => {
  await sent();
  const name = partOf(backup, 2);
  const whole = bucket.objects.get(name) ?? Buffer.alloc(0);
  const changed = Buffer.from(whole);
  changed[100] = (changed[100] ?? 0) ^ 1;
  bucket.objects.set(name, changed);
  await assert.rejects(received(), { name: "Damaged", message: `${name} has other contents` });
  bucket.objects.delete(name);
  await assert.rejects(received(), { name: "Damaged", message: `${name} is missing` });
  bucket.objects.set(name, whole);
  await received();
});

test("an entry that is damaged is still a backup for those who count, and says nothing", async () => {
  await sent();
  bucket.objects.set(entryOf(backup), Buffer.from("{"));
  assert.deepEqual(await backupsIn(opened(), group), [{ label, entry: undefined }]);
});

test("nothing is written beside what has another passphrase", async () => {
  await requireFit(opened("passphrase"), group);
  await sent(opened("passphrase"));
  await requireFit(opened("passphrase"), group);
  await assert.rejects(requireFit(opened("another"), group), /does not fit spec\.backup\.encryption/);
  await assert.rejects(requireFit(opened(), group), /does not fit/);
  // the place of another group is another one
  await requireFit(opened("another"), "other");
});

test("a damaged entry is no other passphrase, where one before it opens; where none does it may be", async () => {
  const by = opened("passphrase");
  await sent(by);
  const newest = { group, label: "orders-20261122T020003Z" };
  for (const damage of [Buffer.alloc(0), Buffer.alloc(400), Buffer.from("DBS1".padEnd(400, "x"))]) {
    bucket.objects.set(entryOf(newest), damage);
    await requireFit(by, group);
    assert.deepEqual(
      (await backupsIn(by, group)).map(({ entry }) => entry === undefined),
      [false, true],
    );
  }
  await assert.rejects(requireFit(opened("another"), group), /does not fit/);
  bucket.objects.delete(entryOf(backup));
  await assert.rejects(requireFit(by, group), /does not fit/);
  // an object that lost its contents says nothing of a passphrase
  bucket.objects.set(entryOf(newest), Buffer.alloc(0));
  await requireFit(by, group);
});

test("a backup that goes leaves nothing, and its entry goes first; those of other groups stay", async () => {
  const other = { group: "other", label };
  await sent();
  await sent(opened(), other);
  bucket.asked.length = 0;
  await removeStored(bucket, backup);
  assert.equal(bucket.asked[0], `delete ${entryOf(backup)}`);
  assert.ok(bucket.names().every((name) => name.startsWith("mysql/other/")));
  assert.deepEqual(await labelsIn({ bucket }, "other"), [label]);
});

test("what a killed attempt left goes once no attempt can be at it any more", async () => {
  await sent();
  const half = { group, label: "orders-20261122T020003Z" };
  bucket.objects.set(partOf(half, 0), Buffer.from("part"));
  const began = Date.parse("2026-11-22T02:00:03Z");
  await removeRemainders(bucket, group, began + 6.5 * 3_600_000);
  assert.ok(bucket.objects.has(partOf(half, 0)));
  await removeRemainders(bucket, group, began + 7.5 * 3_600_000);
  assert.equal(bucket.objects.has(partOf(half, 0)), false);
  await received();
});

test("retention removes the oldest of the group, never what is kept, and nothing where that is not known", async () => {
  const at = (day: number): string => `orders-202611${day}T020003Z`;
  for (const day of [11, 12, 13, 14, 15]) await sent(opened(), { group, label: at(day) });
  await sent(opened(), { group: "other", label: at(10) });
  const wanted = { newest: at(15), retention: 2, kept: new Set([at(12)]) };
  await prune(bucket, group, { ...wanted, kept: undefined });
  assert.equal((await labelsIn({ bucket }, group)).length, 5);
  await prune(bucket, group, wanted);
  assert.deepEqual(await labelsIn({ bucket }, group), [at(12), at(14), at(15)]);
  assert.deepEqual(await labelsIn({ bucket }, "other"), [at(10)]);
  assert.equal(
    bucket.names().some((name) => name.includes(at(11)) || name.includes(at(13))),
    false,
  );
});
