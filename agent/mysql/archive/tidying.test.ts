import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { group, set } from "../../../test/fakes/mysql/archive";
import { binaryLog } from "../../../test/fakes/mysql/binary-log";
import { exists } from "../../disk";
import { withLock } from "../../lock";
import { writeManifest } from "../copies/manifest";
import { earliestOf } from "./decide";
import { tidyLeft } from "./leftovers";
import { noteOf } from "./note";
import { beginSession, completeLog, groupDirectory, logsIn, logsLock, sessionsOf, writerLock } from "./store";
import { tidy, type Tidied } from "./tidying";

const mebibyte = 1024 ** 2;
let backups = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "tidying-"));
  await mkdir(logsIn(backups));
});
afterEach(() => rm(backups, { recursive: true }));

/** A backup, taken on that day, with transactions from the first to that one. */
async function backup(day: number, last: number, others = ""): Promise<void> {
  const directory = join(backups, `shop-2026112${day}T020000Z`);
  await mkdir(directory);
  const copiedAt = `2026-11-2${day}T02:00:00Z`;
  const some = { group, server: "9.7.4", transactions: `${group}:1-${last}${others}`, copiedAt };
  await writeManifest(directory, { ...some, bytes: 1000, files: {} });
}

/** A member was followed: one file for each number, with transactions from there to the next. */
async function followed(number: number, ...from: number[]): Promise<string> {
  const [first = 1] = from;
  const previous = first === 1 ? "" : `1-${first - 1}`;
  const beginning = { member: "shop-0", startedAt: "2026-11-21T00:00:00Z", previous: set(previous) };
  const directory = await beginSession({ backups, group, number, ...beginning });
  for (const [index, start] of from.slice(0, -1).entries()) {
    const name = `binlog.00000${index + 1}`;
    const end = from[index + 1] ?? start;
    const transactions = Array.from({ length: end - start }, (_, at) => ({
      number: start + at,
      committedAt: start + at,
    }));
    const before = start === 1 ? "" : `${group}:1-${start - 1}`;
    await writeFile(join(directory, name), binaryLog({ source: group, previous: before, transactions }));
    await completeLog(directory, name);
  }
  return directory;
}

const args = (): Parameters<typeof tidyLeft>[0] => ({
  ...{ backups, database: "shop", group, kept: new Set<string>(), retention: 7 },
  member: { bytes: 10 * mebibyte, redo: 0 },
});
const tidied = (current?: number, free = 1000 * mebibyte, isSettled = true): Promise<Tidied> =>
  tidy({ ...args(), current, isSettled, written: 0 }, () => Promise.resolve({ free }));
const logsThere = async (): Promise<string[]> =>
  (await sessionsOf(backups, group)).flatMap(({ number, logs }) => logs.map(({ name }) => `${number} ${name}`));

test("what the oldest backup has goes, with sessions of which nothing is left, but for the one that is written to", async () => {
  await followed(1, 1, 4, 7);
  await followed(2, 7, 10);
  await followed(3, 10);
  await backup(1, 8);
  const { sessions, gap, missing } = await tidied(3);
  assert.deepEqual(await logsThere(), ["2 binlog.000001"]);
  assert.deepEqual([sessions.map(({ number }) => number), gap], [[2, 3], undefined]);
  assert.ok(missing < 0);
});

test("while a restore reads, all stay", async () => {
  await followed(1, 1, 4, 7);
  await backup(1, 8);
  await writeFile(logsLock(backups), "");
  await withLock(logsLock(backups), { isShared: true }, async () => {
    assert.match((await tidied()).refusal ?? "", /a restore reads/);
    assert.equal((await logsThere()).length, 2);
  });
  assert.equal((await tidied()).refusal, undefined);
  assert.deepEqual(await logsThere(), []);
});

test("a hole within a session is dated when it is seen, and that stays", async () => {
  await followed(1, 1, 4, 7, 10);
  await backup(1, 2);
  assert.equal((await tidied(1)).gap, undefined);
  const [directory = ""] = await readdir(groupDirectory(backups, group));
  await rm(join(groupDirectory(backups, group), directory, "binlog.000002"));
  const [before, room] = [new Date().toISOString(), 1000 * mebibyte];
  assert.equal((await tidied(1, room, false)).gap, undefined, "what is missing may be on its way");
  const { gap } = await tidied(1);
  assert.ok(gap && gap.at >= before, "it is no older than the look that saw it");
  assert.equal(gap.segment, `${group}:4-6`);
  assert.deepEqual((await tidied(1)).gap, gap);
  assert.deepEqual((await tidied(1, room, false)).gap, gap, "that is known once it was seen");
  await backup(2, 7);
  assert.equal((await tidied(1)).gap, undefined);
});

test("what a backup that is being taken has written already is no room that it lacks", async () => {
  await backup(1, 2);
  const { missing } = await tidied();
  await mkdir(join(backups, ".partial-shop-20261122T020000Z", "data"), { recursive: true });
  await writeFile(join(backups, ".partial-shop-20261122T020000Z", "data", "t.ibd"), Buffer.alloc(5 * mebibyte));
  assert.equal((await tidied(undefined, 995 * mebibyte)).missing, missing);
});

test("logs of a former group go with its last backup", async () => {
  const former = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";
  await mkdir(groupDirectory(backups, former));
  await backup(2, 2);
  const other = join(backups, "shop-20261121T020000Z");
  await mkdir(other);
  await writeManifest(other, { group: former, server: "9.7.4", transactions: "", bytes: 1, files: {} });
  await tidied();
  assert.ok(await exists(groupDirectory(backups, former)));
  await rm(other, { recursive: true });
  await tidied();
  assert.ok(!(await exists(groupDirectory(backups, former))));
});

test("what came from outside of the group is named until a backup has it, and its log stays as long", async () => {
  const outside = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";
  const directory = await followed(1, 1, 4);
  const transactions = [{ number: 7, committedAt: 5 }];
  await writeFile(
    join(directory, "binlog.000002"),
    binaryLog({ source: outside, previous: `${group}:1-3`, transactions }),
  );
  await completeLog(directory, "binlog.000002");
  await backup(1, 3);
  assert.equal((await tidied(1)).foreign, `${outside}:7`);
  assert.deepEqual(await logsThere(), ["1 binlog.000002"]);
  assert.match(noteOf(await tidied(1)).message ?? "", new RegExp(`^${outside}:7 came from outside`));
  await backup(2, 3, `,${outside}:7`);
  const { foreign, bases, sessions } = await tidied(1);
  assert.deepEqual([foreign, earliestOf(bases, sessions)?.name], [undefined, "shop-20261122T020000Z"]);
});

test("where a decision began another group, no backup has what it has: a gap since the last one of the former group", async () => {
  const former = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";
  await followed(1, 1, 4);
  assert.equal((await tidied(1)).gap, undefined, "the first backup of all is on its way");
  const other = join(backups, "shop-20261121T020000Z");
  await mkdir(other);
  const some = { group: former, server: "9.7.4", transactions: `${former}:1-9`, bytes: 1, files: {} };
  await writeManifest(other, { ...some, copiedAt: "2026-11-21T02:00:00Z" });
  assert.equal((await tidied(1, 1000 * mebibyte, false)).gap, undefined);
  const gap = { segment: `${group}:1`, at: "2026-11-21T02:00:00Z" };
  assert.deepEqual((await tidied(1)).gap, gap);
  await backup(2, 2);
  assert.equal((await tidied(1)).gap, undefined);
});

test("where no program keeps logs any more backups remove what they do not need, and where one does it does so itself", async () => {
  await followed(1, 1, 4, 7);
  await backup(1, 5);
  await tidyLeft(args());
  assert.equal((await logsThere()).length, 2, "no program ever kept any here");
  await writeFile(writerLock(backups), "");
  await withLock(writerLock(backups), {}, () => tidyLeft(args()));
  assert.equal((await logsThere()).length, 2);
  await tidyLeft(args());
  assert.deepEqual(await logsThere(), ["1 binlog.000002"]);
  await backup(2, 6);
  await rm(join(backups, "shop-20261121T020000Z"), { recursive: true });
  await tidyLeft(args());
  assert.deepEqual(await sessionsOf(backups, group), []);
});
