import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import type { Backup } from "./retention";
import { givingWay, makeRoom } from "./room";

const backup = (name: string, group: string): Backup => ({ name, bytes: 1, group });

test("the oldest of the group give way, never its newest, one that is kept, or another group's", () => {
  const all = [backup("a", "old"), ...["b", "c", "d", "e"].map((name) => backup(name, "g"))];
  assert.deepEqual(givingWay(all, { group: "g", kept: new Set(["c"]) }), ["b", "d"]);
  assert.deepEqual(givingWay(all, { group: "g", kept: undefined }), []);
  assert.deepEqual(givingWay(all, { group: "new", kept: new Set() }), []);
});

test("nothing goes where there is room, and where there is none it is said before anything is copied", async () => {
  const directory = await mkdtemp(join(tmpdir(), "room-"));
  const names = ["db-20310101T000000Z", "db-20310102T000000Z"];
  for (const name of names) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, "manifest.json"), JSON.stringify({ group: "g" }));
  }
  const need = { directory, database: "db", group: "g", kept: new Set<string>() };
  await makeRoom({ ...need, bytes: 1 });
  assert.deepEqual(await readdir(directory), names);
  await assert.rejects(makeRoom({ ...need, bytes: 1e18 }), /takes up .* MiB free: raise spec\.backup/);
  assert.deepEqual(await readdir(directory), names.slice(1));
  await rm(directory, { recursive: true });
});
