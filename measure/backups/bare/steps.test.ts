import assert from "node:assert/strict";
import test from "node:test";
import { run } from "../../../tools/host/command";
import { prelude, secondsOf, stepsIn } from "./steps";

test("a script tells how long each of its steps took, and not what it printed", async () => {
  const printed = await run("bash", ["-c", `${prelude}\ntook copy echo noise\ntook check true`]);
  const steps = stepsIn(printed);
  assert.deepEqual([...steps.keys()], ["copy", "check"]);
  assert.ok(secondsOf(steps) > 0 && secondsOf(steps) < 60);
});

test("a step that fails ends the script with its words", async () => {
  const failing = run("bash", ["-c", `${prelude}\ntook copy bash -c 'echo no room; exit 1'\ntook check true`]);
  await assert.rejects(failing, /no room/);
});

test("a script that tells nothing is an error", () => {
  assert.throws(() => stepsIn("done\n"), /no step/);
  assert.equal(secondsOf(stepsIn("took copy 1500000000\ntook check 500000000\n")), 2);
});
