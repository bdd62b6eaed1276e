import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { fillFile } from "../../../test/fakes/postgresql/kept-wal";
import { exists } from "../../disk";
import { withLock } from "../../lock";
import { nameOf, segmentBytes } from "../backup/continuity";
import { beginAt, keepHistories, settle, walOf } from "./store";

const name = (timeline: number, position: number): string => nameOf({ timeline, position });
let directory = "";
let lock = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "wal-"));
  lock = join(directory, ".lock");
  await mkdir(join(directory, "incoming"));
});
afterEach(() => rm(directory, { recursive: true }));

const file = (place: string, bytes?: number): Promise<void> => fillFile(join(directory, place), bytes);
const segmentsThere = async (place = "."): Promise<string[]> =>
  (await readdir(join(directory, place))).filter((one) => /^[0-9A-F]{24}/.test(one)).sort();

test("a segment that has not its size yet is none: a server would die of it", async () => {
  await file(name(1, 4));
  await file(name(1, 5), 8_192);
  await file(`incoming/${name(1, 6)}.partial`, 0);
  assert.deepEqual(await walOf(directory), { whole: [name(1, 4)], partial: [], histories: new Map() });
  await truncate(join(directory, "incoming", `${name(1, 6)}.partial`), segmentBytes);
  assert.deepEqual((await walOf(directory)).partial, [name(1, 6)]);
});

test("what is moved while it is listed is seen", async () => {
  for (let round = 0; round < 50; round++) {
    const incoming = `incoming/${name(1, round)}`;
    await file(incoming);
    const [wal] = await Promise.all([
      walOf(directory),
      rename(join(directory, incoming), join(directory, name(1, round))),
    ]);
    assert.ok(wal.whole.includes(name(1, round)), `${round}`);
  }
});

test("complete segments and ends of timelines that were left are taken out, and what is being received stays", async () => {
  await file(`incoming/${name(1, 4)}`);
  await file(`incoming/${name(1, 5)}.partial`);
  await file(`incoming/${name(2, 5)}`);
  await file(`incoming/${name(2, 6)}.partial`);
  await settle(directory, false);
  assert.deepEqual(await segmentsThere("incoming"), [`${name(2, 6)}.partial`]);
  assert.deepEqual(await segmentsThere(), [name(1, 4), `${name(1, 5)}.partial`, name(2, 5)]);
});

test("a program that ended while it made a file leaves none", async () => {
  await file(`incoming/${name(1, 4)}.partial`, 4 * 1024 ** 2);
  await settle(directory, true);
  assert.deepEqual([await segmentsThere("incoming"), await segmentsThere()], [[], []]);
});

test("it begins with the segment that is not complete, and what is there from it on of its timeline is received again", async () => {
  for (const one of [name(1, 4), name(1, 5), name(1, 6), name(2, 6)]) await file(one);
  await file(`${name(1, 5)}.partial`);
  await beginAt(directory, { timeline: 1, position: 5 }, lock);
  assert.deepEqual(await segmentsThere(), [name(1, 4), name(2, 6)]);
  assert.equal((await stat(join(directory, "incoming", `${name(1, 5)}.partial`))).size, 0);
  await rm(join(directory, "incoming", `${name(1, 5)}.partial`));
  await file(`${name(1, 7)}.partial`);
  await beginAt(directory, { timeline: 1, position: 7 }, lock);
  assert.equal((await stat(join(directory, "incoming", `${name(1, 7)}.partial`))).size, segmentBytes);
});

test("of a timeline of which another member had made one of that number nothing stays, but while a restore reads it", async () => {
  const history = "1\t0/6000110\tno recovery target specified\n";
  await keepHistories(directory, new Map([[2, history]]), lock);
  for (const one of [name(1, 5), name(2, 6)]) await file(one);
  await keepHistories(directory, new Map([[2, history]]), lock);
  const other = new Map([[2, "1\t0/7000110\tno recovery target specified\n"]]);
  await withLock(lock, { isShared: true }, async () => {
    await assert.rejects(keepHistories(directory, other, lock), /a restore reads/);
  });
  assert.deepEqual(await segmentsThere(), [name(1, 5), name(2, 6)]);
  await keepHistories(directory, other, lock);
  assert.deepEqual(await segmentsThere(), [name(1, 5)]);
});

test("a member that was copied has its own history alone, and those before it are its beginning", async () => {
  const third = "1\t0/6000110\tno recovery target specified\n\n2\t0/9000000\tno recovery target specified\n";
  await keepHistories(directory, new Map([[3, third]]), lock);
  assert.equal(await readFile(join(directory, "00000002.history"), "utf8"), `${third.split("\n\n")[0] ?? ""}\n`);
  assert.ok(!(await exists(join(directory, "00000001.history"))));
});
