import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { exists } from "../../disk";
import { markIn } from "../../restore/place";
import { isUnusedRestore, markUsed } from "./data-directory";
import { filesOf } from "./options";

test("data of a backup are those of a restore until they were used, and its mark stays", async () => {
  const volume = await mkdtemp(join(tmpdir(), "data-directory-"));
  const settings = { volume, runDirectory: volume };
  const { fresh } = filesOf(settings);
  await writeFile(fresh, "");
  await markUsed(settings);
  assert.equal(await exists(fresh), false);
  assert.equal(await isUnusedRestore(settings), false, "data that no restore put there");
  await writeFile(markIn(volume), "db-20310101T000000Z");
  assert.equal(await isUnusedRestore(settings), true);
  await markUsed(settings);
  assert.equal(await isUnusedRestore(settings), false);
  assert.equal(await readFile(markIn(volume), "utf8"), "db-20310101T000000Z");
  await rm(volume, { recursive: true });
});
