import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { group, set } from "../../../test/fakes/mysql/archive";
import { binaryLog } from "../../../test/fakes/mysql/binary-log";
import { gtidText } from "../gtid";
import { arrivedIn, holeSince, noteArrived, noteHole } from "./group-notes";
import { beginSession, completeLog, groupDirectory, noteRest, removeLogs, sessionsOf } from "./store";

let backups = "";
let directory = "";
beforeEach(async () => {
  backups = await mkdtemp(join(tmpdir(), "store-"));
  const beginning = { number: 1, member: "shop-0", startedAt: "2026-11-21T00:00:00Z", previous: set("1-5") };
  directory = await beginSession({ backups, group, ...beginning });
});
afterEach(() => rm(backups, { recursive: true }));

const file = binaryLog({
  source: group,
  previous: `${group}:1-5`,
  transactions: [6, 7, 8].map((number) => ({ number, committedAt: number * 1000 })),
});
const place = (name: string, bytes: Buffer): Promise<void> => writeFile(join(directory, name), bytes);

test("a file that is complete has a note of what is in it", async () => {
  await place("binlog.000001", file);
  await completeLog(directory, "binlog.000001");
  const [session] = await sessionsOf(backups, group);
  assert.deepEqual([session?.logs.length, session?.open], [1, []]);
  const [log] = session?.logs ?? [];
  assert.ok(log);
  assert.deepEqual([gtidText(log.previous), gtidText(log.transactions)], [`${group}:1-5`, `${group}:6-8`]);
  assert.deepEqual([log.latest, log.server, log.end, log.bytes], [8000, "9.7.4", undefined, file.length]);
});

test("a file that the stream has left and that is not whole has no note, and stays as it is: it is copied again", async () => {
  const damaged = Buffer.from(file);
  damaged[file.length - 60] = 0xff;
  for (const [bytes, why] of [
    [file.subarray(0, -50), /has no end/],
    [damaged, /is not what was written/],
    [Buffer.alloc(0), /has no beginning/],
  ] as const) {
    await place("binlog.000001", bytes);
    await assert.rejects(completeLog(directory, "binlog.000001"), why);
    assert.deepEqual(await readFile(join(directory, "binlog.000001")), bytes);
    assert.deepEqual((await sessionsOf(backups, group))[0]?.open, ["binlog.000001"]);
  }
});

test("of a file on which a stream ended counts what is whole, and none of its bytes is lost", async () => {
  const rest = file.subarray(0, -60);
  await place("binlog.000001", rest);
  await noteRest(directory, "binlog.000001");
  await place("binlog.000002", Buffer.from("no"));
  await noteRest(directory, "binlog.000002");
  const [session] = await sessionsOf(backups, group);
  const [first, second] = session?.logs ?? [];
  assert.equal(gtidText(first?.transactions ?? set("")), `${group}:6-7`);
  assert.ok(first?.end !== undefined && first.end < rest.length);
  assert.deepEqual([second?.end, second?.transactions.size], [0, 0]);
  assert.deepEqual(await readFile(join(directory, "binlog.000001")), rest);
});

test("files are in the order of their numbers, also where these become longer", async () => {
  for (const name of ["binlog.1000000", "binlog.999999", "binlog.1000001"]) {
    await place(name, file);
    await completeLog(directory, name);
  }
  assert.deepEqual(
    (await sessionsOf(backups, group))[0]?.logs.map(({ name }) => name),
    ["binlog.999999", "binlog.1000000", "binlog.1000001"],
  );
});

test("what cannot be read is said, and not taken for nothing", async () => {
  await writeFile(join(directory, "session.json"), "{");
  await assert.rejects(sessionsOf(backups, group), /session\.json is damaged/);
  await rm(directory, { recursive: true });
  await writeFile(directory, "");
  await assert.rejects(sessionsOf(backups, group), /ENOTDIR/);
  assert.deepEqual(await sessionsOf(backups, "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb"), []);
});

test("a note of a file that is damaged is made again: the file has all that is in it", async () => {
  await place("binlog.000001", file);
  await writeFile(join(directory, "binlog.000001.json"), "{");
  assert.deepEqual((await sessionsOf(backups, group))[0]?.open, ["binlog.000001"]);
});

test("who reads without the lock sees neither an error nor a file that is to be read again, while files go", async () => {
  const names = Array.from({ length: 150 }, (_, index) => `binlog.${String(index + 1).padStart(6, "0")}`);
  for (const name of names) {
    await place(name, file);
    await completeLog(directory, name);
  }
  const end = (): void => {
    removal.abort();
  };
  const [looks, removal] = [new Set<string>(), new AbortController()];
  const reading = (async (): Promise<void> => {
    while (!removal.signal.aborted)
      for (const { open } of await sessionsOf(backups, group)) for (const name of open) looks.add(name);
  })();
  await Promise.all([reading, removeLogs(directory, names).finally(end)]);
  assert.deepEqual([...looks], []);
});

test("a file goes before its note", async () => {
  await place("binlog.000001", file);
  await completeLog(directory, "binlog.000001");
  // it cannot go
  await mkdir(join(directory, "binlog.000002"));
  await writeFile(join(directory, "binlog.000002.json"), "{}");
  await assert.rejects(removeLogs(directory, ["binlog.000001", "binlog.000002"]));
  assert.deepEqual((await readdir(directory)).sort(), ["binlog.000002", "binlog.000002.json", "session.json"]);
});

test("until when all has arrived is noted with what that is", async () => {
  assert.equal(await arrivedIn(backups, group), undefined);
  await noteArrived(backups, group, { at: 77, executed: set("1-8") });
  assert.deepEqual(await arrivedIn(backups, group), { at: 77, executed: set("1-8") });
  await writeFile(join(groupDirectory(backups, group), "arrived.json"), "{}");
  await assert.rejects(arrivedIn(backups, group), /is damaged/);
});

test("a hole is as old as the first look that saw it, whatever became of the program, until a backup has it", async () => {
  const found = await noteHole(backups, group, { base: "first", isCertain: true });
  assert.ok(found);
  assert.equal(await noteHole(backups, group, { base: "first", isCertain: true }), found);
  assert.equal(await noteHole(backups, group, { base: undefined, isCertain: true }), undefined);
  const [before, now] = [{ base: "first", at: "2026-11-21T00:00:00Z" }, new Date("2026-11-22T00:00:00Z")];
  assert.deepEqual(holeSince(before, "first", now), before);
  // a backup that was taken since, and has it not either
  assert.deepEqual(holeSince(before, "second", now), { base: "second", at: "2026-11-22T00:00:00.000Z" });
  assert.equal(holeSince(undefined, "first", now).at, "2026-11-22T00:00:00.000Z");
});
