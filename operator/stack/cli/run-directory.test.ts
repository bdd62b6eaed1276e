import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { eventually } from "../../../test/harness/eventually";
import { sweepDirectories } from "../directories";
import { RunDirectory } from "./run-directory";

let base: string;
before(async () => {
  base = await mkdtemp(join(tmpdir(), "run-directory-test-"));
});
after(async () => {
  await rm(base, { recursive: true, force: true });
});

test("a run's directory is private, gives the checkpoint back, and is gone afterwards", async () => {
  const directory = await RunDirectory.create(base, "team.shop", "state");
  assert.equal((await stat(directory.path)).mode & 0o777, 0o700);
  assert.equal(await directory.checkpoint(), "state");
  await directory.remove();
  assert.deepEqual(await readdir(base), []);
});

test(
  "what a dead operator left is swept, its processes too; a living one's is not",
  { skip: process.platform !== "linux" },
  async () => {
    const dead = spawn("true");
    await new Promise((resolve) => dead.once("exit", resolve));
    const deadDirectory = await mkdtemp(join(base, `database-operator-run-${dead.pid ?? 0}-`));
    const livingDirectory = await mkdtemp(join(base, `database-operator-run-${process.ppid}-`));
    const orphan = spawn("sleep", ["600"], { cwd: deadDirectory, detached: true });
    const ended = new Promise((resolve) => orphan.once("exit", resolve));
    assert.equal(await sweepDirectories(base), 1);
    await ended;
    await eventually(async () => {
      assert.deepEqual(
        (await readdir(base)).map((name) => join(base, name)),
        [livingDirectory],
      );
    });
  },
);
