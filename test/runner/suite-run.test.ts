import assert from "node:assert/strict";
import test from "node:test";
import type { TestEvent } from "node:test/reporters";
import { dealt } from "./batches";
import { conclusionOf, failedIn } from "./conclusion";
import { endOf, type TestEnd } from "./events";
import { withMatches } from "./tally";
import { filesIn, parted, tallyOf } from "./suite-run";

const event = (type: "test:pass" | "test:fail", name: string, failureType?: string, more = {}): TestEvent => {
  const error = Object.assign(new Error("outer", { cause: new Error("inner") }), { failureType });
  const details = { duration_ms: 7, type: "test", ...(type === "test:fail" && { error }) };
  const data = { name, nesting: 0, file: "/p/a.test.ts", details, ...more };
  // the runner's own class of errors has fields that count for nothing here
  return { type, data } as unknown as TestEvent;
};
const source = { root: "/p", entry: "/p/a.test.ts", isBatch: false };
const endsOf = (...events: readonly TestEvent[]): TestEnd[] => events.flatMap((one) => endOf(one, source) ?? []);

test("tests are counted, one with a failed test within it too, and a file only where it failed by itself", () => {
  const ends = endsOf(
    event("test:pass", "good"),
    event("test:pass", "left", undefined, { skip: "no root" }),
    event("test:fail", "bad", "testCodeFailure"),
    event("test:fail", "parent", "subtestsFailed"),
    event("test:pass", "/p/a.test.ts"),
    event("test:fail", "/p/a.test.ts", "hookFailed"),
  );
  assert.deepEqual(tallyOf(ends), {
    ...{ passed: 1, failed: 3, skipped: 1 },
    failures: [
      "a.test.ts: bad\n    inner",
      "a.test.ts: parent\n    a test within it failed",
      "a.test.ts: the file as a whole\n    inner",
    ],
  });
});

test("a suite is not a test, but its hooks can fail", () => {
  const suite = { details: { duration_ms: 1, type: "suite" } };
  assert.equal(tallyOf(endsOf(event("test:pass", "s", undefined, suite))).passed, 0);
  const failed = (failureType: string): number => {
    const [end] = endsOf(event("test:fail", "s", failureType));
    return end === undefined ? NaN : tallyOf([{ ...end, isSuite: true }]).failed;
  };
  assert.deepEqual([failed("subtestsFailed"), failed("hookFailed")], [0, 1]);
});

const ended = (file: string, name: string, nesting: number, more: Partial<TestEnd> = {}): TestEnd => ({
  ...{ file, name, nesting, isSuite: false, result: "passed", ms: 3, ...more },
});

test("in a batch each file has its own tests, and one that its process did not live to see fails", () => {
  const died = ended("batch-1.cjs", "the file as a whole", 0, { result: "failed", reason: "killed" });
  const ends = [ended("a.test.ts", "one", 0), ended("batch-1.cjs", "a.test.ts", -1, { isSuite: true, ms: 9 }), died];
  const files = filesIn(["/p/a.test.ts", "/p/b.test.ts"], ends, "/p");
  assert.deepEqual(files, [
    { file: "a.test.ts", ends: [ends[0]], ms: 9 },
    { file: "b.test.ts", ends: [died], ms: 0 },
  ]);
});

test("dealt out, every file is in one batch, and the first ones are in different ones", () => {
  assert.deepEqual(dealt([1, 2, 3, 4, 5], 2), [
    [1, 3, 5],
    [2, 4],
  ]);
  assert.deepEqual(dealt([1], 4), [[1]]);
});

test("the last line counts, where CI is set what was skipped as failed", () => {
  const tally = { passed: 3, failed: 1, skipped: 2, failures: ["a: b\n    no"] };
  const rest = { ms: 1000, evidence: new Map([["a", "/tmp/e/a"]]), notRun: ["cluster"] };
  const lines = conclusionOf(tally, { ...rest, isStrict: true, leftOut: { tests: 1, groups: 2 } });
  assert.equal(lines.at(-1), "3 passed, 3 failed");
  const text = lines.join("\n");
  for (const part of ["/tmp/e/a", "1 test of 2 groups left for other commits", "failed: cluster", "counts as failed"])
    assert.ok(text.includes(part), part);
  assert.deepEqual([failedIn(tally, false), failedIn(tally, true)], [1, 3]);
});

test("a file that wants the machine for itself is not among those that run beside others", () => {
  const files = ["/p/test/a.test.ts", "/p/test/whole.test.ts", "/p/test/b.test.ts"];
  const at = { root: "/p", suite: { alone: ["test/whole.test.ts"] } };
  assert.deepEqual(parted(files, at), {
    together: ["/p/test/a.test.ts", "/p/test/b.test.ts"],
    alone: ["/p/test/whole.test.ts"],
  });
  assert.deepEqual(parted(files, { root: "/p", suite: {} }).together, files);
});

test("a pattern that matches no test fails, and one that matches some changes nothing", () => {
  const none = { passed: 0, failed: 0, skipped: 0, failures: [] };
  assert.deepEqual(withMatches(none, "^a|b").failures, ["no test's name matches ^a|b"]);
  assert.equal(withMatches(none, undefined), none);
  const some = { ...none, skipped: 1 };
  assert.equal(withMatches(some, "a"), some);
});
