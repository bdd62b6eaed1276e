import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { fillBase, fillSegments } from "../../../test/fakes/postgresql/kept-wal";
import { withLock } from "../../lock";
import { clusterDirectory, walIn, walLock } from "./names";
import { tidy, type Tidied, type TidyingArgs } from "./tidying";

const mebibyte = 1024 ** 2;
let backups = "";
let directory = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "tidying-"));
  directory = clusterDirectory(backups, "77");
  await mkdir(directory, { recursive: true });
});
afterEach(() => rm(backups, { recursive: true }));

const backup = (day: number, first: number, cluster = "77"): Promise<void> =>
  fillBase(backups, {
    ...{ label: `shop-2026112${day}T020000Z`, cluster },
    ...{ start: `0/${first}000028`, end: [1, `0/${first}000158`] },
  });
const sizes = { of: (): Promise<ReadonlyMap<string, number>> => Promise.resolve(new Map()) };
const tidied = (more: Partial<TidyingArgs> = {}, free = 1000 * mebibyte): Promise<Tidied> =>
  tidy(
    {
      ...{ backups, database: "shop", cluster: "77", kept: new Set<string>(), retention: 7, sizes },
      ...{ before: undefined, isSettled: true, ...more },
    },
    () => Promise.resolve({ free }),
  );
const segmentsThere = async (): Promise<number[]> =>
  (await readdir(directory)).flatMap((name) => (/^[0-9A-F]{24}$/.test(name) ? [Number(name.slice(-1))] : [])).sort();
const earliest = (): Promise<string | undefined> =>
  readFile(join(directory, "earliest"), "utf8").catch(() => undefined);

test("what no backup needs goes, but while a restore reads", async () => {
  await fillSegments(directory, 1, 4, 5, 6);
  await backup(1, 5);
  await writeFile(walLock(backups), "");
  await withLock(walLock(backups), { isShared: true }, async () => {
    await tidied();
    assert.deepEqual(await segmentsThere(), [4, 5, 6]);
  });
  await tidied();
  assert.deepEqual(await segmentsThere(), [5, 6]);
});

test("from when on all is there is told to backups while all arrives, each time", async () => {
  await fillSegments(directory, 1, 5, 6);
  await tidied();
  assert.equal(await earliest(), "", "there is no backup yet");
  await backup(1, 5);
  const { from } = await tidied();
  assert.ok(from);
  assert.equal(await earliest(), from.completedAt);
  await writeFile(join(directory, "earliest"), "2026-11-01T00:00:00Z");
  await tidied({ isSettled: false });
  assert.equal(await earliest(), "2026-11-01T00:00:00Z", "what is of before is known by its age");
});

test("a hole is dated when it is seen, and that stays, also where it cannot be noted", async () => {
  await fillSegments(directory, 1, 5, 8);
  await backup(1, 5);
  assert.equal((await tidied({ isSettled: false })).gap, undefined, "what is missing may be on its way");
  const before = await tidied();
  assert.match(before.gap?.segment ?? "", /7$/);
  assert.deepEqual((await tidied({ isSettled: false })).gap, before.gap);
  await writeFile(join(directory, "hole.json"), "{");
  assert.deepEqual((await tidied({ before })).gap, before.gap);
  assert.deepEqual(JSON.parse(await readFile(join(directory, "hole.json"), "utf8")), before.gap, "a damaged note");
  await rm(join(directory, "hole.json"));
  await mkdir(join(directory, "hole.json.draft"));
  const unnoted = await tidied({ before });
  assert.deepEqual(unnoted.gap, before.gap);
  assert.match(unnoted.problem ?? "", /EISDIR/);
  await rm(join(directory, "hole.json.draft"), { recursive: true });
  await backup(2, 8);
  assert.equal((await tidied({ before })).gap, undefined);
});

test("that the volume is full is told though it takes no note any more", async () => {
  await fillSegments(directory, 1, 5, 8);
  await backup(1, 5);
  await mkdir(join(directory, "hole.json.draft"));
  await mkdir(join(directory, "earliest.draft"));
  const { missing, problem } = await tidied({}, 0);
  assert.ok(missing > 0);
  assert.ok(problem);
});

test("WAL of a former cluster goes with its last backup", async () => {
  const former = join(walIn(backups), "78");
  await mkdir(former);
  await backup(1, 5, "78");
  await backup(2, 5);
  await tidied();
  assert.ok((await readdir(walIn(backups))).includes("78"));
  await rm(join(backups, "shop-20261121T020000Z"), { recursive: true });
  await tidied();
  assert.ok(!(await readdir(walIn(backups))).includes("78"));
});
