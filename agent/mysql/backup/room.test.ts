import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import type { Backup } from "../copies/retention";
import { giveWay, givingWay, makeRoom } from "./room";

const mebibyte = 1024 ** 2;
const names = ["db-20310101T000000Z", "db-20310102T000000Z", "db-20310103T000000Z"] as const;
let directory = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "room-"));
});
afterEach(() => rm(directory, { recursive: true }));

/** A backup of 10 MiB. */
async function place(name: string, group: string): Promise<void> {
  await mkdir(join(directory, name));
  await writeFile(join(directory, name, "manifest.json"), JSON.stringify({ group }));
  await writeFile(join(directory, name, "rows"), Buffer.alloc(10 * mebibyte));
}

/** A volume with so many MiB free beside the backups, of which there were three. */
const room = (free: number) => async (): Promise<{ free: number }> => ({
  free: (free + 10 * (names.length - (await readdir(directory)).length)) * mebibyte,
});
const need = (bytes: number): Parameters<typeof makeRoom>[0] => ({
  ...{ directory, database: "db", group: "g", kept: new Set<string>() },
  bytes: bytes * mebibyte,
  redo: 0,
});

test("the oldest of the group give way, never its newest, one that is kept, or another group's", () => {
  const backup = (name: string, group: string): Backup => ({ name, bytes: 1, group });
  const all = [backup("a", "old"), ...["b", "c", "d", "e"].map((name) => backup(name, "g"))];
  const namesFor = (group: string, kept: ReadonlySet<string> | undefined): string[] =>
    givingWay(all, { group, kept }).map(({ name }) => name);
  assert.deepEqual(namesFor("g", new Set(["c"])), ["b", "d"]);
  assert.deepEqual(namesFor("g", undefined), []);
  assert.deepEqual(namesFor("new", new Set()), []);
});

test("nothing goes where there is room, and as few as needed where there is not", async () => {
  for (const name of names) await place(name, "g");
  await makeRoom(need(10), room(43));
  assert.deepEqual(await readdir(directory), names);
  await makeRoom(need(10), room(40));
  assert.deepEqual(await readdir(directory), names.slice(1));
});

test("where all that may go would not be enough, nothing goes", async () => {
  for (const name of names) await place(name, "g");
  await assert.rejects(
    makeRoom(need(10), room(12)),
    /needs 43 MiB, the volume has 12 MiB free, 33 MiB if all went that may: raise spec\.backup\.destination\.volume\.size$/,
  );
  assert.deepEqual(await readdir(directory), names);
});

test("binary logs that are in the way are named with their size", async () => {
  await mkdir(join(directory, ".binlogs"));
  await writeFile(join(directory, ".binlogs", "binlog.000001"), Buffer.alloc(3 * mebibyte));
  await assert.rejects(makeRoom(need(10), room(-18)), /has 2 MiB free beside 3 MiB of binary logs: raise/);
});

test("copies of another group, which no program removes, are named with their sizes where they are in the way", async (t) => {
  for (const name of names.slice(0, 2)) await place(name, "former");
  const written = t.mock.method(process.stdout, "write");
  await assert.rejects(
    makeRoom(need(10), room(2)),
    /volume\.size, or remove backups of other groups by hand \(21 MiB\)$/,
  );
  const lines = written.mock.calls.map(({ arguments: [line] }) => String(line)).join("");
  written.mock.restore();
  assert.match(
    lines,
    /other groups take up 21 MiB until you remove them: db-20310101T000000Z \(11 MiB\), db-20310102T000000Z \(11 MiB\)"/,
  );
  assert.deepEqual(await readdir(directory), names.slice(0, 2));
});

test("after a copy that did not fit the oldest goes, and is named; the newest stays", async () => {
  for (const name of names.slice(1)) await place(name, "g");
  const full = "Error writing file (OS errno 28 - No space left on device)";
  await assert.rejects(
    giveWay(need(10), full),
    /db-20310102T000000Z was removed, and the next attempt has its room.*OS/,
  );
  await assert.rejects(giveWay(need(10), full), /no older backup may give way: raise spec\.backup/);
  assert.deepEqual(await readdir(directory), names.slice(2));
});
