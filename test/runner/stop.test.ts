import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { eventually } from "../harness/eventually";
import { isRunning } from "../faults/processes";

const root = join(__dirname, "../..");

test("a run that is told to end takes the processes of its tests along", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "stop-test-"));
  t.after(() => rm(directory, { recursive: true }));
  const started = join(directory, "pid");
  const entry = join(directory, "endless.test.cjs");
  await writeFile(
    entry,
    `require("node:fs").writeFileSync(${JSON.stringify(started)}, String(process.pid));
     require("node:test")("endless", () => new Promise((resolve) => setTimeout(resolve, 60_000)));`,
  );
  const from = (module: string): string => `require(${JSON.stringify(join(__dirname, module))})`;
  const limits = "testMs: 60_000, fileMs: 60_000, isBatch: false, onText: () => undefined";
  const program = join(directory, "runner.cjs");
  await writeFile(
    program,
    `${from("stop.ts")}.stopOnSignals();
     ${from("file-run.ts")}.runFile({ root: ${JSON.stringify(directory)}, entry: ${JSON.stringify(entry)}, ${limits} });`,
  );
  // as a file's own process it would run nothing
  const env = { ...process.env };
  delete env["NODE_TEST_CONTEXT"];
  const runner = spawn(process.execPath, ["--import", "tsx", program], { env, cwd: root, stdio: "inherit" });
  const ended = once(runner, "exit");
  const child = await eventually(async () => {
    const pid = Number(await readFile(started, "utf8"));
    assert.ok(pid > 0);
    return pid;
  });
  runner.kill("SIGTERM");
  assert.equal((await ended)[0], 143);
  await eventually(async () => {
    assert.ok(!(await isRunning(child)));
  });
});
