import assert from "node:assert/strict";
import test from "node:test";
import { costsIn, latestOf, stepsIn, type StepResult } from "./results";

const step: StepResult = {
  ...{ scenario: "mysql-volume", step: "restore", killed: "nothing", version: "9.7", asked_gib: 1, bytes: 10 },
  ...{ program_s: 3, ready_s: 5, acked: 100, lost: 0, date: "2026-11-26", commit: "abc1234", load: 3 },
};

test("lines are read as they were written", () => {
  assert.deepEqual(stepsIn(`${JSON.stringify(step)}\n\n`), [step]);
});

test("an invalid line is an error", () => {
  assert.throws(() => stepsIn(JSON.stringify({ ...step, killed: "everything" })));
  assert.throws(() => costsIn(JSON.stringify(step)));
});

test("of each scenario, step and kill the latest line counts", () => {
  const [later, other] = [
    { ...step, program_s: 4 },
    { ...step, killed: "pod" as const },
  ];
  assert.deepEqual(latestOf({ steps: [step, other, later], costs: [] }).steps, [other, later]);
});
