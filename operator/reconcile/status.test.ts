import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import { memberOf, nothingObserved } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import type { DatabaseStatus } from "../api/status";

import { eventsFor } from "./events";
import { failed, settled, stalled, waiting, type Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import type { JobRun, Member, Observation } from "../domain/members";
import { statusFor, type StatusInputs } from "./status";

const now = new Date("2026-01-01T12:00:00.400Z");
const earlier = "2025-12-31T00:00:00Z";

const job = (name: string, component: string, some: Partial<JobRun> = {}): JobRun => ({
  ...{ name, namespace: "team", database: "shop", component },
  state: "succeeded",
  finishedAt: "2026-01-01T10:00:00Z",
  createdAt: "2026-01-01T09:00:00Z",
  ...some,
});
const healthy: Observation = {
  workload: { uid: "w", generation: 2, wanted: 3, seen: true, revision: "new" },
  members: [memberOf("shop-0", { role: "primary" }), memberOf("shop-1"), memberOf("shop-2")],
  jobs: [job("shop-init", "initialization")],
};

function status(
  observation: Observation,
  outcome: Outcome = settled(),
  some: Partial<Omit<StatusInputs, "name" | "namespace" | "outcome" | "observation" | "now">> = {},
): DatabaseStatus {
  return statusFor({
    name: "shop",
    namespace: "team",
    generation: some.generation ?? 4,
    deletionTimestamp: some.deletionTimestamp,
    spec: some.spec ?? specOf(),
    outcome,
    observation,
    record: some.record,
    serviceMonitors: some.serviceMonitors ?? false,
    previous: some.previous ?? {},
    now,
  });
}

/** `Type=Status/Reason` of every condition. */
const said = ({ conditions }: DatabaseStatus): string[] =>
  (conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
const condition = (of: DatabaseStatus, type: string): string =>
  said(of).find((text) => text.startsWith(`${type}=`)) ?? `${type} is missing`;

for (const [what, observation, ready] of [
  ["nothing exists yet", nothingObserved, "Ready=False/Creating"],
  ["no pod runs yet", { ...healthy, members: [] }, "Ready=False/WaitingForPrimary"],
  ["no member is primary", { ...healthy, members: [memberOf("shop-1")] }, "Ready=False/WaitingForPrimary"],
  [
    "the primary is not ready",
    {
      ...healthy,
      members: [memberOf("shop-0", { role: "primary", ready: false }), memberOf("shop-1"), memberOf("shop-2")],
    },
    "Ready=False/WaitingForPrimary",
  ],
  [
    "the primary is being deleted",
    { ...healthy, members: [memberOf("shop-0", { role: "primary", terminating: true }), memberOf("shop-1")] },
    "Ready=False/WaitingForPrimary",
  ],
  ["the init Job runs", { ...healthy, jobs: [] }, "Ready=False/WaitingForInitialization"],
  [
    "the init Job failed",
    { ...healthy, jobs: [job("shop-init", "initialization", { state: "failed" })] },
    "Ready=False/InitializationFailed",
  ],
  ["a member is missing", { ...healthy, members: healthy.members.slice(0, 2) }, "Ready=False/WaitingForMembers"],
  [
    "there is one member too many",
    { ...healthy, members: [...healthy.members, memberOf("shop-3")] },
    "Ready=False/WaitingForMembers",
  ],
  [
    "an extra member is still terminating",
    { ...healthy, members: [...healthy.members, memberOf("shop-3", { terminating: true })] },
    "Ready=False/WaitingForMembers",
  ],
  [
    "a rolling update is in progress",
    { ...healthy, workload: { uid: "w", generation: 2, wanted: 3, seen: false, revision: "new" } },
    "Ready=False/WaitingForMembers",
  ],
  ["all is well", healthy, "Ready=True/AllReplicasReady"],
] as const satisfies readonly (readonly [string, Observation, string])[]) {
  test(`${ready} when ${what}`, () => {
    const result = status(observation);
    assert.equal(condition(result, "Ready"), ready);
    assert.equal(result.ready, ready.startsWith("Ready=True"));
    const isHopeless = condition(result, "Stalled") === "Stalled=True/InitializationFailed";
    assert.equal(condition(result, "Reconciling").startsWith("Reconciling=True"), !result.ready && !isHopeless);
  });
}

test("a StatefulSet older than the last run does not prove that the change has arrived", () => {
  const record: StackRecord = {
    ...{ checkpoint: kept("state"), digest: "d", uid: "uid-1", version: "1" },
    workload: { uid: "w", generation: 3 },
    declared: { engine: "postgresql", version: "17.6", storage: "10Gi" },
    accepted: undefined,
    history: [
      { revision: 2, at: "2026-01-01T00:00:00Z", seconds: 1, digest: "d", summary: "1 updated", by: "kubectl" },
    ],
  };
  const outdated = status(healthy, settled(), { record });
  assert.equal(condition(outdated, "Ready"), "Ready=False/WaitingForMembers");
  const restored = { ...healthy, workload: { uid: "other", generation: 1, wanted: 3, seen: true, revision: "new" } };
  assert.equal(condition(status(restored, settled(), { record }), "Ready"), "Ready=True/AllReplicasReady");
  const current = { ...healthy, workload: { uid: "w", generation: 3, wanted: 3, seen: true, revision: "new" } };
  assert.equal(condition(status(current, settled(), { record }), "Ready"), "Ready=True/AllReplicasReady");
});

test("the kubelet's or scheduler's words about a pod reach the message", () => {
  const members = [
    memberOf("shop-0", { ready: false, role: undefined, problem: "Unschedulable: 0/3 nodes are available" }),
  ];
  const { conditions } = status({ ...healthy, members });
  assert.match(conditions?.[0]?.message ?? "", /shop-0: Unschedulable: 0\/3 nodes/);
});

for (const [outcome, observation, phase, reconciling, stalling] of [
  [settled(), healthy, "Running", "False/Reconciled", "False/NotStalled"],
  [waiting("Creating", "", 0), nothingObserved, "Pending", "True/Creating", "False/NotStalled"],
  [waiting("Updating", "", 0), healthy, "Updating", "True/Updating", "False/NotStalled"],
  [failed("RunFailed", "x"), healthy, "Failed", "True/RunFailed", "False/NotStalled"],
  [stalled("SpecInvalid", "x"), healthy, "Failed", "False/Reconciled", "True/SpecInvalid"],
  [stalled("Paused", "x"), healthy, "Running", "False/Reconciled", "False/Paused"],
  [
    settled(),
    { ...healthy, members: healthy.members.slice(0, 2) },
    "Running",
    "True/WaitingForMembers",
    "False/NotStalled",
  ],
  [
    settled(),
    { ...healthy, workload: { uid: "w", generation: 2, wanted: 3, seen: false, revision: "new" } },
    "Updating",
    "True/WaitingForMembers",
    "False/NotStalled",
  ],
] as const satisfies readonly (readonly [Outcome, Observation, string, string, string])[]) {
  const reason = "reason" in outcome ? outcome.reason : "";
  test(`${outcome.kind} ${reason} with ${observation.members.length} members: ${phase}`, () => {
    const result = status(observation, outcome);
    assert.equal(result.phase, phase);
    assert.equal(condition(result, "Reconciling"), `Reconciling=${reconciling}`);
    assert.equal(condition(result, "Stalled"), `Stalled=${stalling}`);
  });
}

test("a stalled change leaves Ready about the running database alone", () => {
  assert.equal(condition(status(healthy, stalled("VersionUnavailable", "x")), "Ready"), "Ready=True/AllReplicasReady");
});

for (const outcome of [
  waiting("Deleting", "", 0),
  waiting("TakingFinalBackup", "", 0),
  failed("DestroyFailed", "x"),
  stalled("FinalBackupFailed", "x"),
]) {
  test(`a Database being deleted is Deleting and never Ready, whatever happens (${outcome.kind})`, () => {
    const deleting = status(healthy, outcome, { deletionTimestamp: "2026-01-01T11:00:00Z" });
    assert.equal(condition(deleting, "Ready"), "Ready=False/Deleting");
    assert.equal(deleting.phase, "Deleting");
  });
}

test("conditions of backups, metrics and replicas do not go away with the members", () => {
  const previous = status(healthy);
  const deletionTimestamp = "2026-01-01T11:00:00Z";
  const deleting = status(nothingObserved, waiting("Deleting", "", 0), { previous, deletionTimestamp });
  assert.equal(condition(deleting, "BackupReady"), condition(previous, "BackupReady"));
  assert.equal(condition(deleting, "MonitoringReady"), condition(previous, "MonitoringReady"));
  assert.equal(condition(deleting, "ReplicationReady"), condition(previous, "ReplicationReady"));
});

test("the transition time moves when the status flips, not when the reason changes", () => {
  const former = status(healthy);
  const previous = {
    ...former,
    conditions: former.conditions?.map((condition) => ({ ...condition, lastTransitionTime: earlier })),
  };
  const times = (result: DatabaseStatus): (string | undefined)[] =>
    ["Ready", "Stalled"].map((wanted) => result.conditions?.find(({ type }) => type === wanted)?.lastTransitionTime);
  assert.deepEqual(times(status(healthy, settled(), { previous })), [earlier, earlier]);
  assert.deepEqual(times(status({ ...healthy, members: [] }, settled(), { previous })), [
    "2026-01-01T12:00:00Z",
    earlier,
  ]);
});

test("every condition carries the generation it was judged from", () => {
  assert.deepEqual(
    new Set(status(healthy).conditions?.map(({ observedGeneration }) => observedGeneration)),
    new Set([4]),
  );
});

for (const [what, jobs, expected] of [
  ["none was taken", [], "BackupReady=False/BackupScheduled"],
  ["one runs", [job("b-1", "backup", { state: "running" })], "BackupReady=False/BackupScheduled"],
  ["one succeeded", [job("b-1", "backup")], "BackupReady=True/BackupSucceeded"],
  [
    "the last one failed",
    [job("b-1", "backup"), job("b-2", "backup", { state: "failed", createdAt: "2026-01-01T09:30:00Z" })],
    "BackupReady=False/BackupFailed",
  ],
  [
    "one failed before the last",
    [job("b-1", "backup", { state: "failed" }), job("b-2", "backup", { createdAt: "2026-01-01T09:30:00Z" })],
    "BackupReady=True/BackupSucceeded",
  ],
] as const) {
  test(`${expected} when ${what}`, () => {
    assert.equal(condition(status({ ...healthy, jobs: [...healthy.jobs, ...jobs] }), "BackupReady"), expected);
  });
}

for (const [what, outcome, expected] of [
  ["a run is in progress", waiting("Updating", "", 0), 4],
  ["a person must act", stalled("VersionUnavailable", ""), 4],
  ["a run failed", failed("RunFailed", ""), 4],
  ["it was applied", settled(), 5],
  ["it was a pause", stalled("Paused", ""), 5],
] as const) {
  test(`Ready speaks of generation ${expected} after a change to generation 5 when ${what}`, () => {
    const after = status(healthy, outcome, { previous: status(healthy), generation: 5 });
    const ready = after.conditions?.find(({ type }) => type === "Ready");
    assert.deepEqual([ready?.status, ready?.observedGeneration], ["True", expected]);
  });
}

test("the last backup stays known when its Job has been removed", () => {
  const withBackup = status({ ...healthy, jobs: [...healthy.jobs, job("b-1", "backup")] });
  assert.equal(withBackup.lastBackup?.completedAt, "2026-01-01T10:00:00Z");
  assert.deepEqual(status(healthy, settled(), { previous: withBackup }).lastBackup, withBackup.lastBackup);
});

test("an older backup is not the last one because the Job of a newer one was deleted", () => {
  const newer = { name: "before-the-release", completedAt: "2026-01-01T11:00:00Z" };
  const observed = { ...healthy, jobs: [...healthy.jobs, job("b-1", "backup")] };
  const previous = { ...status(healthy), lastBackup: newer };
  assert.deepEqual(status(observed, settled(), { previous }).lastBackup, newer);
  const past = { name: "a", completedAt: "2025-12-31T00:00:00Z" };
  const later = status(observed, settled(), { previous: { ...previous, lastBackup: past } });
  assert.equal(later.lastBackup?.job, "b-1");
});

for (const state of ["succeeded", "failed"] as const) {
  test(`the result of the last backup stays reported when its Job has been removed: ${state}`, () => {
    const before = status({ ...healthy, jobs: [...healthy.jobs, job("b-1", "backup", { state })] });
    const after = status(healthy, settled(), { previous: before });
    const said = ({ conditions = [] }: DatabaseStatus): unknown =>
      conditions.find(({ type }) => type === "BackupReady");
    assert.deepEqual(said(after), said(before));
  });
}

test("MonitoringReady reports the ServiceMonitor only once the run that creates it is complete", () => {
  const before = status(healthy);
  assert.equal(condition(before, "MonitoringReady"), "MonitoringReady=False/ServiceMonitorCRDMissing");
  const during = status(healthy, waiting("Updating", "", 0), { previous: before, serviceMonitors: true });
  assert.equal(condition(during, "MonitoringReady"), "MonitoringReady=False/ServiceMonitorCRDMissing");
  const afterwards = status(healthy, settled(), { previous: during, serviceMonitors: true });
  assert.equal(condition(afterwards, "MonitoringReady"), "MonitoringReady=True/ServiceMonitorCreated");
});

test("features that are off say so", () => {
  const spec = specOf({ backup: { enabled: false }, monitoring: { enabled: false } });
  const result = status(healthy, settled(), { spec });
  assert.equal(condition(result, "BackupReady"), "BackupReady=False/BackupDisabled");
  assert.equal(condition(result, "MonitoringReady"), "MonitoringReady=False/MonitoringDisabled");
});

test("an event is recorded for each change of a condition, and none at rest", () => {
  const ready = status(healthy);
  const degraded = status({ ...healthy, members: healthy.members.slice(1) });
  const reasons = (before: DatabaseStatus, after: DatabaseStatus): string[] =>
    eventsFor(before, after).map(({ type, reason }) => `${type} ${reason}`);
  assert.deepEqual(reasons(status(nothingObserved), ready), [
    "Normal AllReplicasReady",
    "Normal ServiceMonitorCRDMissing",
  ]);
  assert.deepEqual(reasons(ready, ready), []);
  assert.deepEqual(reasons(ready, degraded), ["Warning WaitingForPrimary"]);
  const asked = status({ ...healthy, members: healthy.members.slice(0, 2) }, settled(), { generation: 5 });
  assert.deepEqual(reasons(ready, asked), ["Normal WaitingForMembers"]);
  assert.deepEqual(reasons(ready, status(healthy, stalled("SpecInvalid", "x"))), ["Warning SpecInvalid"]);
  assert.deepEqual(reasons(ready, status(healthy, failed("RunFailed", "x"))), ["Warning RunFailed"]);
});

test("while there is no primary the status quotes the server", () => {
  const readyMessage = (members: readonly Member[]): string =>
    status({ ...healthy, members, jobs: [] }).conditions?.find(({ type }) => type === "Ready")?.message ?? "";
  const complaint = 'FATAL:  could not access file "nosuch"';
  const failure = `container postgresql: CrashLoopBackOff: ${complaint}`;
  const problem = "container postgresql: CrashLoopBackOff: back-off 40s";
  const away = { ready: false, role: undefined } as const;
  const members = [memberOf("shop-0", { ...away, problem }), memberOf("shop-1", { ...away, failure, complaint })];
  assert.match(readyMessage(members), /pod shop-1: .*could not access file "nosuch"/);
  const silent = [memberOf("shop-0", { ...away, failure: 'the server says "start failed"' })];
  assert.match(readyMessage(silent), /pod shop-0: the server says/);
  const asking = [memberOf("shop-0", { ...away, undecided: "shop-2 is not there" }), memberOf("shop-1", away)];
  assert.match(readyMessage(asking), /; pod shop-0: shop-2 is not there$/);
});
