import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { takesWrites } from "./disk";

test("a volume takes writes, and nothing is left on it", async (t) => {
  const volume = mkdtempSync(join(tmpdir(), "volume-"));
  t.after(() => {
    rmSync(volume, { recursive: true });
  });
  assert.equal(await takesWrites(volume, 5_000), true);
  assert.deepEqual(readdirSync(volume), []);
});

test("a volume that cannot be written to, or does not answer, takes none", async (t) => {
  assert.equal(await takesWrites("/proc", 5_000), false);
  const volume = mkdtempSync(join(tmpdir(), "volume-"));
  t.after(() => {
    rmSync(volume, { recursive: true });
  });
  // a pipe that is opened to write to it waits for a reader
  execFileSync("mkfifo", [join(volume, "probe")]);
  assert.equal(await takesWrites(volume, 100), false);
  assert.equal(await readFile(join(volume, "probe"), "utf8"), "probe");
});
