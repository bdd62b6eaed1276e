// What the status says of Jobs: why they failed, what they produced.
import assert from "node:assert/strict";
import test from "node:test";
import { memberOf } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import { kstatusOf } from "../../test/harness/kstatus";
import { statusOf } from "../api/stored-status";
import type { JobRun, Observation } from "../domain/members";
import type { DatabaseStatus } from "../api/status";
import { eventsFor } from "./events";
import { settled } from "../domain/outcome";
import { statusFor } from "./status";

const healthy = {
  workload: { uid: "w", generation: 2, wanted: 1, seen: true, revision: "new" },
  members: [memberOf("shop-0", { role: "primary" })],
};

const job = (name: string, component: string, some: Partial<JobRun> = {}): JobRun => ({
  ...{ name, namespace: "team", database: "shop", component, state: "succeeded" },
  ...{ finishedAt: "2026-01-01T10:00:00Z", createdAt: "2026-01-01T09:00:00Z" },
  ...some,
});
const initialized = job("shop-init", "initialization");

function status(jobs: readonly JobRun[], previous: DatabaseStatus = {}): DatabaseStatus {
  const observation: Observation = { ...healthy, jobs };
  return statusFor({
    ...{ name: "shop", namespace: "team", generation: 4, deletionTimestamp: undefined, spec: specOf() },
    ...{ outcome: settled(), observation, record: undefined, serviceMonitors: false, previous },
    now: new Date("2026-01-01T12:00:00.400Z"),
  });
}

const messageOf = ({ conditions = [] }: DatabaseStatus, type: string): string =>
  conditions.find((one) => one.type === type)?.message ?? "";

test("why a Job failed is reported, and stays so when its pods and the operator that saw them are gone", () => {
  const failing = (some: Partial<JobRun>): JobRun[] => [
    job("shop-init", "initialization", some),
    job("b-1", "backup", some),
  ];
  const trouble = "No space left on device";
  const seen = status(failing({ state: "failed", trouble }));
  const wanted = {
    BackupReady: `Job b-1 failed at 2026-01-01T10:00:00Z: ${trouble}`,
    Initialized: `Job shop-init failed at 2026-01-01T10:00:00Z: ${trouble}`,
  };
  for (const [type, message] of Object.entries(wanted)) {
    assert.ok(messageOf(seen, type).startsWith(message), messageOf(seen, type));
    const later = status(failing({ state: "failed" }), seen);
    assert.equal(messageOf(later, type), messageOf(seen, type));
    assert.match(messageOf(status(failing({ state: "failed" })), type), /its log says why/);
  }
  const events = eventsFor({}, seen).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  assert.ok(events.some((text) => text.startsWith(`Warning BackupFailed ${wanted.BackupReady}`)));
  assert.ok(events.some((text) => text.startsWith(`Warning InitializationFailed ${wanted.Initialized}`)));
});

test("when a backup that failed is tried again is said, also when it is not known any more why it failed", () => {
  const failed = (some: Partial<JobRun>): DatabaseStatus["conditions"] =>
    status([initialized, job("shop-backup-29000000", "backup", { state: "failed", ...some })], known).conditions;
  const known = status([initialized, job("shop-backup-29000000", "backup", { state: "failed", trouble: "no room" })]);
  const wanted =
    "Job shop-backup-29000000 failed at 2026-01-01T10:00:00Z: no room. It is tried again at 2026-01-01T10:10:00Z (1 of 3); a DatabaseBackup takes one at once";
  assert.equal(messageOf(known, "BackupReady"), wanted);
  assert.equal(messageOf({ conditions: failed({}) }, "BackupReady"), wanted);
});

test("why the attempts of a Job fail is reported while it runs", () => {
  const some = { state: "running", finishedAt: undefined, trouble: "no member accepted connections" } as const;
  const jobs = [job("shop-init", "initialization", some), job("b-1", "backup", some)];
  const result = status(jobs);
  assert.match(messageOf(result, "Initialized"), /^Job shop-init has not finished: no member accepted connections/);
  assert.match(messageOf(result, "BackupReady"), /none taken yet; Job b-1: no member accepted connections/);
});

test("the last backup has the name of its object, and the label that a restore asks for as soon as that is known", () => {
  const having = (some: Partial<JobRun>): JobRun[] => [initialized, job("b-1", "backup", some)];
  const completedAt = "2026-01-01T10:00:00Z";
  const told = { name: "shop-20260101t090000", job: "b-1", completedAt };
  const known = { ...told, label: "shop-20260101T095900Z" };
  const unknown = status(having({}));
  assert.deepEqual(unknown.lastBackup, told);
  const after = status(having({ backup: known.label }), unknown);
  assert.deepEqual(after.lastBackup, known);
  assert.deepEqual(status(having({}), after).lastBackup, known);
  assert.match(messageOf(after, "BackupReady"), /^Job b-1 succeeded at 2026-01-01T10:00:00Z: shop-20260101T095900Z$/);
  assert.equal(messageOf(status(having({}), after), "BackupReady"), messageOf(after, "BackupReady"));
});

test("a newer operator's condition with an unknown reason survives a downgrade of the operator", () => {
  const at = { status: "True", message: "as it is", lastTransitionTime: "2025-12-31T00:00:00Z", observedGeneration: 4 };
  const conditions = [
    { type: "Initialized", reason: "InitializedOtherwise", ...at },
    { type: "Reconciling", reason: "ReconcilingOtherwise", ...at, status: "False" },
  ];
  const lastBackup = { name: "20260101T000000Z", completedAt: "2026-01-01T00:00:00Z" };
  const previous = statusOf({ status: { conditions, lastBackup } });
  // its Job is long gone
  const now = status([], previous);
  assert.equal(now.ready, true);
  assert.deepEqual(now.lastBackup, lastBackup);
  const times = now.conditions?.flatMap(({ type, lastTransitionTime }) =>
    ["Initialized", "Reconciling"].includes(type) ? [lastTransitionTime] : [],
  );
  assert.deepEqual(times, ["2025-12-31T00:00:00Z", "2025-12-31T00:00:00Z"]);
});

test("an init Job that failed for good is a settled failure, until it is created again", () => {
  const kstatus = (of: DatabaseStatus): string => kstatusOf({ metadata: { generation: 4 }, status: of });
  const trouble = "permission denied";
  const before = status([job("shop-init", "initialization", { state: "running" })]);
  assert.equal(kstatus(before), "InProgress");
  const failed = status([job("shop-init", "initialization", { state: "failed", trouble })], before);
  assert.equal(kstatus(failed), "Failed");
  assert.equal(failed.phase, "Failed");
  assert.match(messageOf(failed, "Stalled"), /permission denied\. Remove the cause, and delete the Job/);
  assert.equal(messageOf(failed, "Reconciling"), "nothing is in progress");
  // one warning of it, not one for each condition
  const warnings = eventsFor(before, failed).filter(({ reason }) => reason === "InitializationFailed");
  assert.equal(warnings.length, 1);
  const again = status([job("shop-init", "initialization", { state: "running" })], failed);
  assert.equal(kstatus(again), "InProgress");
  const done = status([job("shop-init", "initialization")], again);
  assert.deepEqual(
    [kstatus(done), done.phase, messageOf(done, "Stalled")],
    ["Current", "Running", "nothing needs attention"],
  );
});
