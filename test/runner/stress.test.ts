// What repeated runs under load say of themselves: one that says nothing has not passed.
import assert from "node:assert/strict";
import test from "node:test";
import { keepBusy } from "./busy-core";
import { resultIn, suitesWith, summaryOf } from "./stress";

test("a run's result is its last line, and one that ended without it has failed", () => {
  assert.deepEqual(resultIn("✔ one\nin 3.0s\n12 passed, 1 failed\n"), { passed: 12, failed: 1 });
  assert.deepEqual(resultIn("✔ one\n"), { passed: 0, failed: 1 });
});

test("a run in which nothing ran has not passed", () => {
  const run = { failed: 0, ms: 1000 };
  assert.equal(
    summaryOf([
      { ...run, passed: 3 },
      { ...run, passed: 0, ms: 2000 },
    ]),
    "1 of 2 runs passed, 1.0s to 2.0s each",
  );
});

test("the suites of a file are found, and a path that no file has is refused", () => {
  assert.deepEqual(suitesWith("runner/stress.test"), ["unit"]);
  assert.deepEqual(suitesWith("test/cluster/operator.test"), ["cluster"]);
  assert.throws(() => suitesWith("no-such-file"), /no file of tests has "no-such-file"/);
});

test("what keeps a core busy can be ended, and does not keep this process alive", async () => {
  const leaveIdle = await keepBusy(5000);
  leaveIdle();
});
