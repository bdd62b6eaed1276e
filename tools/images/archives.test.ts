import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { markUsed, removeUnused } from "./archives";

test("of many builds of an image the last used ones stay, and other images are left alone", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "archives-"));
  t.after(() => rm(directory, { recursive: true }));
  for (let age = 0; age < 6; age++) {
    const file = join(directory, `postgresql-00000000000${age}`);
    await writeFile(`${file}.tar`, "");
    await writeFile(`${file}.json`, "");
    await utimes(`${file}.json`, 1000 - age, 1000 - age);
  }
  await writeFile(join(directory, "postgresql-tools-000000000000.json"), "");
  await markUsed(join(directory, "postgresql-000000000005.json"));
  await removeUnused(directory, "postgresql");
  assert.deepEqual((await readdir(directory)).filter((file) => file.endsWith(".tar")).sort(), [
    "postgresql-000000000000.tar",
    "postgresql-000000000001.tar",
    "postgresql-000000000002.tar",
    "postgresql-000000000005.tar",
  ]);
  assert.equal((await readdir(directory)).length, 9);
});
