import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { contentHash } from "./content-hash";

test("the hash of a directory changes with names, contents, executable bits and the recipe, and with nothing else", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "content-hash-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "sub", "script");
  await mkdir(join(directory, "sub"));
  await writeFile(file, "one", { mode: 0o644 });
  const hashes = new Set<string>();
  const add = async (recipe: unknown = "recipe"): Promise<void> => {
    hashes.add(await contentHash(directory, recipe));
  };
  await add();
  await writeFile(file, "one");
  await add();
  assert.equal(hashes.size, 1, "writing the same again changes nothing");
  await add("other recipe");
  await chmod(file, 0o755);
  await add();
  await writeFile(file, "two");
  await add();
  await rename(file, join(directory, "sub", "program"));
  await add();
  assert.equal(hashes.size, 5);
  for (const hash of hashes) assert.match(hash, /^[0-9a-f]{12}$/);
});
