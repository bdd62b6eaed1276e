// What the status says while members are restarted: the database can be used, and is not through.
import assert from "node:assert/strict";
import test from "node:test";
import { memberOf, nothingObserved } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import { kstatusOf } from "../../test/harness/kstatus";
import type { DatabaseStatus } from "../api/status";
import { eventsFor } from "./events";
import type { Member, Observation } from "../domain/members";
import { settled, stalled, waiting, type Outcome } from "../domain/outcome";
import { statusFor } from "./status";

const old = { revision: "old" };
const primary = memberOf("shop-0", { ...old, role: "primary" });
const [shop1, shop2] = [memberOf("shop-1", old), memberOf("shop-2", old)];
const restarting = waiting("Restarting", "restarting shop-2: 1 of 3", 0);

const observed = (members: readonly Member[]): Observation => ({
  ...nothingObserved,
  workload: { uid: "w", generation: 2, wanted: 3, seen: true, revision: "new" },
  members,
});

function statusOf(members: readonly Member[], outcome: Outcome, previous: DatabaseStatus = before): DatabaseStatus {
  return statusFor({
    ...{ name: "shop", namespace: "team", generation: 4, spec: specOf(), outcome, previous },
    ...{ observation: observed(members), record: undefined, serviceMonitors: false },
    now: new Date("2026-01-01T12:00:00Z"),
  });
}

const at = { message: "", lastTransitionTime: "2026-01-01T10:00:00Z", observedGeneration: 3 };
/** At rest, with the generation before. */
const before: DatabaseStatus = {
  conditions: [
    { ...at, type: "Ready", status: "True", reason: "AllReplicasReady" },
    { ...at, type: "Initialized", status: "True", reason: "InitializationSucceeded" },
    { ...at, type: "Reconciling", status: "False", reason: "Reconciled" },
    { ...at, type: "Stalled", status: "False", reason: "NotStalled" },
  ],
};

const said = ({ conditions = [] }: DatabaseStatus, type: string): string => {
  const found = conditions.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason} ${found?.observedGeneration}`;
};
const kstatus = (status: DatabaseStatus): string => kstatusOf({ metadata: { generation: 4 }, status });

for (const [what, members, ready] of [
  ["a replica is down", [primary, shop1], "True PrimaryServing 3"],
  ["a replica starts", [primary, shop1, memberOf("shop-2", { ready: false })], "True PrimaryServing 3"],
  ["all are there", [primary, shop1, memberOf("shop-2")], "True PrimaryServing 3"],
  ["two are away", [primary], "False WaitingForMembers 3"],
  ["the primary is down", [shop1, memberOf("shop-2")], "False WaitingForPrimary 3"],
  [
    "no node has room for a replica",
    [primary, shop1, memberOf("shop-2", { ready: false, problem: "Unschedulable" })],
    "False WaitingForMembers 3",
  ],
] as const) {
  test(`while members are restarted and ${what}: ${ready}, and a waiting client does not see it as complete`, () => {
    const status = statusOf(members, restarting);
    assert.equal(said(status, "Ready"), ready);
    assert.equal(said(status, "Reconciling"), "True Restarting 4");
    assert.equal(status.phase, "Updating");
    assert.equal(kstatus(status), "InProgress");
  });
}

const renewed = [memberOf("shop-1"), memberOf("shop-2", { role: "primary" })];
const lastStep = statusOf([shop1, shop2, primary], waiting("Restarting", "restarting shop-0: 3 of 3", 0));

for (const [what, last] of [
  ["is away", []],
  ["is being deleted", [memberOf("shop-0", { terminating: true })]],
  ["starts", [memberOf("shop-0", { ready: false, role: undefined })]],
] as const) {
  test(`the last member has the new settings and ${what}: it is not complete yet`, () => {
    const status = statusOf([...last, ...renewed], settled(), lastStep);
    assert.equal(said(status, "Reconciling"), "True Restarting 4");
    assert.equal(said(status, "Ready"), "True PrimaryServing 3");
    assert.match(JSON.stringify(status.conditions), /restarting shop-0: 3 of 3/);
    assert.equal(kstatus(status), "InProgress");
  });
}

test("the last member is back: it is complete", () => {
  const status = statusOf([memberOf("shop-0"), ...renewed], settled(), lastStep);
  assert.deepEqual(
    [said(status, "Ready"), said(status, "Reconciling")],
    ["True AllReplicasReady 4", "False Reconciled 4"],
  );
  assert.equal(kstatus(status), "Current");
});

test("the last member does not come back for a reason of its own: Ready says so", () => {
  const last = memberOf("shop-0", { ready: false, problem: "Unschedulable: no node" });
  const status = statusOf([last, ...renewed], settled(), lastStep);
  assert.equal(said(status, "Ready"), "False WaitingForMembers 4");
});

test("ConfigRejected: it failed, and Ready says that a member is missing", () => {
  const broken = memberOf("shop-2", { ready: false, served: false, failure: "start failed" });
  const status = statusOf([primary, shop1, broken], stalled("ConfigRejected", "shop-2 does not start"), lastStep);
  assert.equal(said(status, "Stalled"), "True ConfigRejected 4");
  assert.equal(said(status, "Ready"), "False WaitingForMembers 3");
  assert.equal(kstatus(status), "Failed");
});

test("a pause in the middle, when all members serve, leaves the Database ready", () => {
  const status = statusOf([primary, shop1, memberOf("shop-2")], stalled("Paused", "x"), lastStep);
  assert.equal(said(status, "Ready"), "True AllReplicasReady 4");
  assert.equal(status.phase, "Running");
});

test("a member that is down outside a rollout is not a restart", () => {
  assert.equal(said(statusOf([primary, shop1], settled()), "Reconciling"), "True WaitingForMembers 4");
});

test("events: the primary's own restart is no warning, and a restart in progress is reported once", () => {
  const kinds = (from: DatabaseStatus, to: DatabaseStatus): string[] =>
    eventsFor(from, to)
      .filter(({ reason }) => reason !== "ServiceMonitorCRDMissing")
      .map(({ type, reason }) => `${type} ${reason}`);
  const replicaAway = statusOf([primary, shop1], restarting);
  assert.deepEqual(kinds(before, replicaAway), []);
  const primaryAway = statusOf([memberOf("shop-1"), memberOf("shop-2")], restarting, replicaAway);
  assert.deepEqual(kinds(replicaAway, primaryAway), ["Normal WaitingForPrimary"]);
  const over = statusOf([memberOf("shop-0"), ...renewed], settled(), replicaAway);
  assert.deepEqual(kinds(replicaAway, over), ["Normal AllReplicasReady"]);
  const broken = memberOf("shop-2", { ready: false, failure: "start failed" });
  const rejected = statusOf([primary, shop1, broken], stalled("ConfigRejected", "x"), replicaAway);
  assert.deepEqual(kinds(replicaAway, rejected), ["Warning WaitingForMembers", "Warning ConfigRejected"]);
});
