import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { backupName, completeBackups, removeLeftovers, withVolume } from "../../backup-volume";
import { completeOf, prune } from "./retention";

let volume: string;
beforeEach(async () => {
  volume = await mkdtemp(join(tmpdir(), "backups-"));
});
afterEach(() => rm(volume, { recursive: true }));

const nameAt = (day: number): string => backupName("orders", new Date(Date.UTC(2030, 0, day, 2)));
const take = (day: number, set: string): Promise<void> =>
  completeOf(volume, nameAt(day), { set }, (archive) => writeFile(archive, "archive"));

test("only the last backups of the current set are kept, and those of another set stay", async () => {
  for (const day of [1, 3, 4, 5]) await take(day, "present");
  await take(2, "former");
  const wanted = { newest: nameAt(5), retention: 2, kept: new Set<string>() };
  assert.deepEqual(await prune(volume, "orders", { set: "present" }, wanted), [4, 5].map(nameAt));
  assert.deepEqual(await completeBackups(volume, "orders"), [2, 4, 5].map(nameAt));
});

test("one that is kept stays beyond retention, and none goes where it is not known which those are", async () => {
  for (const day of [1, 2, 3]) await take(day, "present");
  const wanted = { newest: nameAt(3), retention: 1 };
  const unknown = await prune(volume, "orders", { set: "present" }, { ...wanted, kept: undefined });
  assert.deepEqual(unknown, [1, 2, 3].map(nameAt));
  const left = await prune(volume, "orders", { set: "present" }, { ...wanted, kept: new Set([nameAt(1)]) });
  assert.deepEqual(left, [1, 3].map(nameAt));
});

test("a backup that fails halfway has no name and leaves nothing behind", async () => {
  const failing = completeOf(volume, nameAt(1), {}, () => Promise.reject(new Error("no member")));
  await assert.rejects(failing, /no member/);
  assert.deepEqual(await readdir(volume), []);
});

test("leftovers of an aborted run are removed, and nothing else", async () => {
  await take(1, "present");
  await mkdir(join(volume, ".partial-orders-x"));
  await mkdir(join(volume, "lost+found"));
  await mkdir(join(volume, "orders-eu-20300101T020000Z"));
  await removeLeftovers(volume);
  assert.deepEqual((await readdir(volume)).sort(), ["lost+found", nameAt(1), "orders-eu-20300101T020000Z"]);
  assert.deepEqual(await completeBackups(volume, "orders"), [nameAt(1)]);
});

test("two backups never write to a volume at once, and the next one can after the first has ended", async () => {
  await withVolume(volume, async () => {
    await assert.rejects(
      withVolume(volume, () => Promise.resolve()),
      /another backup, or a restore of one, is running/,
    );
  });
  await withVolume(volume, () => Promise.resolve());
});
