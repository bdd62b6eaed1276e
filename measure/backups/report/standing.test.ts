import assert from "node:assert/strict";
import test from "node:test";
import {
  added,
  everyStory,
  inParts,
  later,
  measured,
  proven,
  story,
  type AcceptanceCase,
  type Holder,
} from "../acceptance/case";
import { kills } from "../scenarios";
import { caseOutcome, killedIn, standingOf, type Records } from "./standing";
import type { StepResult } from "./results";

const step = (more: Partial<StepResult> = {}): StepResult => ({
  ...{ scenario: "postgresql-s3", step: "restore", killed: "nothing", version: "17.6", asked_gib: 1, bytes: 1 },
  ...{ program_s: 1, date: "2026-11-26", commit: "abc1234", acked: 5, lost: 0 },
  ...more,
});

const records = (more: Partial<Records> = {}): Records => ({ rotation: {}, proofs: new Map(), steps: [], ...more });
const passed = { commit: "8a686c2160771334", date: "2026-11-25T07:20:27Z", content: "x" };
const of = (...heldBy: readonly Holder[]): AcceptanceCase => ({
  ...{ number: 1, promise: "It holds.", engines: ["postgresql"], heldBy },
});

test("a group of tests that has passed says when, and one that has not was not run", () => {
  const holder = story("restore", "a test");
  assert.deepEqual(standingOf(holder, records()), { outcome: "not run" });
  assert.deepEqual(standingOf(holder, records({ rotation: { restore: passed } })), {
    ...{ outcome: "passed", when: { date: "2026-11-25", commit: "8a686c2" } },
  });
});

test("what a group passed before a test came into it says nothing of that test", () => {
  const holder = added(story("restore", "a later test"));
  const standingAt = (date: string): string =>
    standingOf(holder, records({ rotation: { restore: { ...passed, date } } })).outcome;
  assert.deepEqual(["2026-11-27T17:44:59Z", "2026-12-01T00:00:00Z"].map(standingAt), ["not run", "passed"]);
});

test("a case of reliability stands as it ended last", () => {
  const proof = { commit: "8a686c2160771334", date: "2026-11-25", subcases: 0, extent: "full" } as const;
  const outcomeOf = (result: "passed" | "failed" | "skipped"): string =>
    standingOf(proven("a.b", "real"), records({ proofs: new Map([["a.b", { ...proof, result }]]) })).outcome;
  assert.deepEqual([outcomeOf("passed"), outcomeOf("failed"), outcomeOf("skipped")], ["passed", "failed", "not run"]);
  assert.equal(standingOf(proven("a.b", "real"), records()).outcome, "not run");
});

test("a measured step has passed with all kills, and has failed where a row is lost, also with one kill only", () => {
  const holder = measured("postgresql-s3", "restore");
  const all = kills.map((killed) => step({ killed }));
  const lost = step({ step: "moment", lost: 3 });
  assert.equal(standingOf(holder, records({ steps: [...all, lost] })).outcome, "passed");
  for (const one of all)
    assert.equal(
      standingOf(holder, records({ steps: all.filter((other) => other !== one) })).outcome,
      "in part",
      `without the one with ${one.killed} killed`,
    );
  const moment = step({ step: "moment" });
  assert.equal(standingOf(measured("postgresql-s3", "moment"), records({ steps: [moment] })).outcome, "passed");
  assert.equal(standingOf(holder, records({ steps: [step(), step({ killed: "pod", lost: 3 })] })).outcome, "failed");
  assert.equal(standingOf(holder, records()).outcome, "not run");
});

test("a case is what all that holds it is together", () => {
  const each = everyStory("postgresql", "a test");
  const grouped = story("restore", "a test");
  const rotation = { restore: passed };
  assert.equal(caseOutcome(of(), records()), "not supported");
  assert.equal(caseOutcome(of(each), records()), "each run");
  assert.equal(caseOutcome(of(each, grouped), records({ rotation })), "passed");
  assert.equal(caseOutcome(of(each, grouped), records()), "not run");
  assert.equal(caseOutcome(of(grouped, measured("mysql-volume", "backup")), records({ rotation })), "in part");
  const measuredInPart = records({ rotation, steps: [step({ scenario: "mysql-volume" })] });
  assert.equal(caseOutcome(of(grouped, measured("mysql-volume", "restore")), measuredInPart), "in part");
  assert.equal(caseOutcome(of(measured("mysql-volume", "restore")), measuredInPart), "in part");
  const lost = step({ lost: 1 });
  assert.equal(
    caseOutcome(of(grouped, measured("postgresql-s3", "restore")), records({ rotation, steps: [lost] })),
    "failed",
  );
});

test("what no test with a real server holds says so, however its tests ended", () => {
  const holder = inParts("a.test.ts", "a test");
  assert.equal(caseOutcome(of(holder), records()), "only in parts");
  assert.equal(caseOutcome(of(holder, everyStory("postgresql", "a test")), records()), "each run");
});

test("what is killed is told by tests, and by what was measured", () => {
  const one = of(story("restore", "a test", "operator"), measured("postgresql-s3", "restore"));
  const rotation = { restore: passed };
  assert.deepEqual(killedIn(one, records({ rotation })), ["operator"]);
  assert.deepEqual(killedIn(one, records({ rotation, steps: [step(), step({ killed: "pod" })] })), ["operator", "pod"]);
});

test("what is killed in tests that were not run since is not told", () => {
  const killedWith = (holder: Holder, date: string): readonly string[] =>
    killedIn(of(holder), records({ rotation: { restore: { ...passed, date } } }));
  const holders = [story("restore", "a test", "pod", later("operator")), added(story("restore", "another", "member"))];
  const dates = ["2026-11-25T07:20:27Z", "2026-12-01T00:00:00Z"];
  assert.deepEqual(
    holders.map((holder) => dates.map((date) => killedWith(holder, date))),
    [
      [["pod"], ["operator", "pod"]],
      [[], ["member"]],
    ],
  );
  assert.deepEqual(killedIn(of(...holders), records()), []);
});
