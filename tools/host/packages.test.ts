import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ensurePackages, isPresent, missingPackages } from "./packages";

test("a program counts as present when it may be executed, a path when it exists", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "packages-"));
  const path = process.env["PATH"];
  t.after(async () => {
    process.env["PATH"] = path;
    await rm(directory, { recursive: true });
  });
  const program = join(directory, "some-program");
  await writeFile(program, "");
  process.env["PATH"] = `${directory}:${path ?? ""}`;
  assert.equal(await isPresent("some-program"), false);
  assert.equal(await isPresent(program), true);
  await chmod(program, 0o755);
  assert.equal(await isPresent("some-program"), true);
  assert.equal(await isPresent(`${program}-else`), false);
});

test("each missing package is named once, and nothing is installed when none is missing", async () => {
  const wanted = [
    { name: "coreutils", provides: "ls" },
    { name: "nothing", provides: "no-such-program" },
    { name: "nothing", provides: "/no/such/file" },
  ];
  assert.deepEqual(await missingPackages(wanted), ["nothing"]);
  await ensurePackages(wanted.slice(0, 1), () => assert.fail("there is nothing to say"));
});
