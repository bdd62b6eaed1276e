import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Ahead } from "./ahead";
import { createResident } from "./resident";

/** One that is started in a directory which the test can look into. */
async function started(t: TestContext): Promise<{ readonly ahead: Ahead; readonly left: () => Promise<string[]> }> {
  const workDirectory = await mkdtemp(join(tmpdir(), "ahead-"));
  t.after(() => rm(workDirectory, { recursive: true, force: true }));
  const program = process.execPath;
  const ahead = await Ahead.start({ workDirectory, program, args: [join(__dirname, "stand-in.mjs")] });
  assert(ahead !== undefined);
  return { ahead, left: () => readdir(workDirectory) };
}

test("it becomes ready once it is told the key, and is another's from then on", async (t) => {
  const { ahead, left } = await started(t);
  assert.equal((await left()).length, 1);
  const taken = ahead.take("");
  assert(taken !== undefined);
  assert.equal(ahead.take(""), undefined);
  const resident = await taken.process;
  await ahead.close();
  assert.equal(resident.isGone, false);
  await resident.close();
  await taken.directory.remove();
  assert.deepEqual(await left(), []);
});

test("one that is not needed ends, and leaves nothing behind", async (t) => {
  const { ahead, left } = await started(t);
  await ahead.close();
  await ahead.close();
  assert.deepEqual(await left(), []);
  assert.equal(ahead.take(""), undefined);
});

test("the first process of a resident Pulumi is the one that started ahead, and goes with it", async (t) => {
  const { ahead, left } = await started(t);
  let processes = 0;
  const pulumi = createResident({
    program: "/does/not/exist",
    passphrase: "",
    workDirectory: "/does/not/exist",
    onLog: () => undefined,
    onProcess: () => processes++,
    ahead,
  });
  const signal = new AbortController().signal;
  const plan = { stack: "good", checkpoint: { text: "{}", salt: "" }, program: "", signal };
  const session = await pulumi.open(plan);
  assert.equal((await left()).length, 1);
  await session.close();
  await pulumi.close();
  assert.equal(processes, 1);
  assert.deepEqual(await left(), []);
});

test("where there is no such program, none is started", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "";
  try {
    assert.equal(await Ahead.start({ workDirectory: tmpdir() }), undefined);
  } finally {
    process.env["PATH"] = path;
  }
});
