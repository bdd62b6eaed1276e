// Archives as mongodump writes them, and what is made of those that are cut off or have changed.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { archiveOf, beginning, block, compressed, end, ending, prelude } from "../../../test/fakes/mongodb/archive";
import { ArchiveDamaged, contentsOf } from "./archive";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "archive-"));
  file = join(directory, "dump.archive.gz");
});
afterEach(() => rm(directory, { recursive: true }));

const byNumber = { v: 2, key: { n: 1 }, name: "n_1", unique: true };

/** Collections, of which one is empty, in blocks that alternate, a view, and a time series, whose data are in buckets. */
const whole = [
  ...beginning,
  prelude("app", "items", [{ v: 2, key: { _id: 1 }, name: "_id_" }, byNumber]),
  prelude("app", "empty"),
  prelude("app", "seen", [], "view"),
  prelude("app", "weather", [], "timeseries"),
  end,
  ...block("app", "items", [{ n: 1 }]),
  ...ending("app", "empty"),
  ...block("app", "items", [{ n: 2, text: "x".repeat(300_000) }, { n: 3 }]),
  ...block("app", "system.buckets.weather", [{ measured: [1, 2, 3] }]),
  ...ending("app", "system.buckets.weather"),
  ...ending("app", "items"),
];

const write = (parts: readonly Uint8Array[], length?: number): Promise<void> =>
  writeFile(file, compressed(parts, length));

test("the documents of each collection are counted, and its indexes known", async () => {
  await write(whole);
  const { collections, hasOplog, bytes } = await contentsOf(file);
  assert.deepEqual(
    collections.map(({ name, documents }) => [name, documents]),
    [
      ["items", 3],
      ["empty", 0],
      ["seen", undefined],
      ["weather", undefined],
    ],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(collections[0]?.indexes)), [byNumber]);
  assert.deepEqual([hasOplog, bytes], [false, Buffer.concat(whole).length]);
});

test("as many small documents as there are, however the stream is cut", async () => {
  const documents = Array.from({ length: 100_000 }, (_, n) => ({ n, text: "x".repeat(n % 97) }));
  await writeFile(file, archiveOf(documents));
  assert.equal((await contentsOf(file)).collections[0]?.documents, documents.length);
});

test("an oplog is no collection, whether or not something was written meanwhile", async () => {
  for (const [oplog, has, changes] of [
    [[{ op: "n" }, { op: "i" }, { op: "n" }, { op: "c" }], true, 2],
    [[{ op: "n" }], true, 0],
    [[], true, 0],
    [undefined, false, 0],
  ] as const) {
    await writeFile(file, archiveOf([{ n: 1 }], oplog));
    const found = await contentsOf(file);
    assert.deepEqual([found.hasOplog, found.changes], [has, changes]);
    assert.deepEqual(
      found.collections.map(({ name }) => name),
      ["items"],
    );
  }
});

test("one whose oplog has no end is damaged", async () => {
  await write([...whole, ...block("", "oplog", [{ op: "i" }])]);
  await assert.rejects(contentsOf(file), /ends before the last document of \.oplog/);
});

test("one that was cut off anywhere is damaged, also where what is left is a whole file", async () => {
  const { length } = Buffer.concat(whole);
  for (let left = 0; left < length; left += left > 1500 && left < length - 1000 ? 16_384 : 7) {
    await write(whole, left);
    await assert.rejects(contentsOf(file), ArchiveDamaged, `of ${length} bytes ${left} are left`);
  }
});

test("one that ends between two blocks lacks collections, whatever can be read", async () => {
  for (let count = 0; count < whole.length; count++) {
    await write(whole.slice(0, count));
    await assert.rejects(contentsOf(file), ArchiveDamaged, `${count} of ${whole.length} parts are left`);
  }
});

/** What gzip says of the file itself, such as its time: nothing of what is in it. */
const aboutFile = new Set([3, 4, 5, 6, 7, 8, 9]);

test("a byte that flipped is damage, wherever it is", async () => {
  const stored = compressed(whole);
  for (let place = 0; place < stored.length; place++) {
    if (aboutFile.has(place)) continue;
    const changed = Buffer.from(stored);
    changed[place] = (changed[place] ?? 0) ^ 1;
    await writeFile(file, changed);
    await assert.rejects(contentsOf(file), ArchiveDamaged, `byte ${place} of ${stored.length}`);
  }
});

test("a file that is not there is none that is damaged", async () => {
  const missing = contentsOf(join(directory, "other"));
  await assert.rejects(missing, (error) => !(error instanceof ArchiveDamaged) && /ENOENT/.test(String(error)));
});
