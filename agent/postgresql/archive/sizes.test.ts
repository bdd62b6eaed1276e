import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { Sizes } from "./sizes";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sizes-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("backups are looked at one at a time, the newest first, and each once", async () => {
  const asked: string[] = [];
  const measure = (backup: string): Promise<number> => {
    asked.push(basename(backup));
    return basename(backup) === "b" ? Promise.reject(new Error("gone")) : Promise.resolve(asked.length);
  };
  const sizes = new Sizes(measure);
  const told = await sizes.of(directory, "/backups", ["a", "b", "c"]);
  assert.deepEqual([...told], [], "it is not waited for");
  await sizes.idle();
  assert.deepEqual(asked, ["c"]);
  await sizes.of(directory, "/backups", ["a", "b", "c"]);
  await sizes.idle();
  assert.deepEqual(asked, ["c", "b"]);
  await sizes.of(directory, "/backups", ["a", "b", "c"]);
  await sizes.idle();
  assert.deepEqual(asked, ["c", "b", "a"]);
  const another = new Sizes(measure);
  assert.deepEqual(Object.fromEntries(await another.of(directory, "/backups", ["a", "c"])), { a: 3, c: 1 });
  await another.idle();
  assert.equal(asked.length, 3, "it is noted");
  assert.deepEqual(Object.fromEntries(await another.of(directory, "/backups", ["c"])), { c: 1 });
});
