import assert from "node:assert/strict";
import test from "node:test";
import { isBackupJobName } from "../../components/naming";
import type { JobRun } from "../domain/members";
import { retryAfter, retryText } from "./backup-retries";

const at = (time: string): string => `2026-01-10T${time}:00Z`;

const run = (name: string, from: string, state: JobRun["state"], some: Partial<JobRun> = {}): JobRun => ({
  ...{ name: `shop-backup-${name}`, database: "shop", namespace: "team", component: "backup", state },
  ...{ createdAt: at(from), finishedAt: state === "running" ? undefined : at(from) },
  ...some,
});
const failed = run("29000000", "02:00", "failed");

/** The attempts that follow, each at the time that was told. */
function attempts(first: JobRun): string[] {
  const told: string[] = [];
  let runs: readonly JobRun[] = [first];
  for (let count = 0; count < 10; count++) {
    const retry = retryAfter("shop", runs);
    if (retry.kind !== "due") return [...told, retry.kind];
    const time = retry.at.toISOString().slice(11, 16);
    assert.ok(isBackupJobName("shop", retry.job), retry.job);
    told.push(time);
    runs = [...runs, { ...run("", time, "failed"), name: retry.job }];
  }
  return told;
}

test("one that failed is tried again three times, with longer and longer pauses", () => {
  assert.deepEqual(attempts(failed), ["02:10", "02:40", "04:10", "exhausted"]);
  assert.deepEqual(attempts(run("first", "02:00", "failed")), ["02:10", "02:40", "04:10", "exhausted"]);
});

test("attempts are counted where the first ones were removed meanwhile, as the CronJob keeps only some", () => {
  const first = retryAfter("shop", [failed]);
  assert.ok(first.kind === "due");
  const one = { ...run("", "02:10", "failed"), name: first.job };
  const second = retryAfter("shop", [failed, one]);
  assert.ok(second.kind === "due");
  const two = { ...run("", "02:40", "failed"), name: second.job };
  const third = retryAfter("shop", [failed, two]);
  assert.ok(third.kind === "due");
  assert.deepEqual([third.attempt, third.job !== first.job], [3, true]);
  const three = { ...run("", "04:10", "failed"), name: third.job };
  assert.deepEqual(retryAfter("shop", [failed, three]), { kind: "exhausted" });
});

test("the next one of the schedule is tried again by itself", () => {
  const retry = retryAfter("shop", [failed]);
  assert.ok(retry.kind === "due");
  const again = { ...run("", "02:10", "failed"), name: retry.job };
  const next = retryAfter("shop", [failed, again, run("29000060", "03:00", "failed")]);
  assert.ok(next.kind === "due");
  assert.equal(next.at.toISOString(), "2026-01-10T03:10:00.000Z");
  assert.notEqual(next.job, retry.job);
});

const others: readonly (readonly [what: string, runs: readonly JobRun[]])[] = [
  ["none failed", [run("29000000", "02:00", "succeeded")]],
  ["a newer one succeeded", [failed, run("m1", "03:00", "succeeded", { requestedBy: "by-hand" })]],
  ["a newer one of the schedule succeeded", [failed, run("29000060", "03:00", "succeeded")]],
  ["one is running", [failed, run("m1", "01:00", "running")]],
  ["a person asked for it", [run("m1", "02:00", "failed", { requestedBy: "by-hand" })]],
  ["it is no backup", [{ ...failed, component: "restore" }]],
];

for (const [what, runs] of others)
  test(`none is tried again where ${what}`, () => {
    assert.deepEqual(retryAfter("shop", runs), { kind: "none" });
    assert.equal(retryText({ kind: "none" }, undefined, false), "");
  });

test("what comes is told", () => {
  const retry = retryAfter("shop", [failed]);
  assert.equal(
    retryText(retry, { state: "Arriving" }, false),
    ". It is tried again at 2026-01-10T02:10:00Z (1 of 3); a DatabaseBackup takes one at once",
  );
  assert.equal(retryText(retry, { state: "Waiting" }, false), ". It is tried again as soon as WAL arrives");
  assert.match(retryText(retry, { state: "Waiting" }, true), /^\. It is tried again at /);
  assert.match(
    retryText({ kind: "exhausted" }, undefined, false),
    /was tried again 3 times: the schedule takes the next one/,
  );
});
