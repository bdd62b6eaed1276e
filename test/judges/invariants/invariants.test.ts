// What invariants must not take for a fault, and what the report on them looks like.
import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf, childOf, database, healthy, state } from "./healthy";
import { invariants, judge, reportOf } from "./invariants";
import {
  claim3,
  conditions,
  gone,
  last,
  left,
  redIn,
  stalled,
  then,
  thenWithoutDrills,
  withDatabase,
  without,
  write,
} from "./planting";
import type { ObjectView, Snapshot } from "./snapshot";

const scheduled: ObjectView = {
  ...childOf("Job", "shop-backup-29391840"),
  owners: [{ kind: "CronJob", name: "shop-backup", uid: "c", controller: true }],
};

const records = ["state.production.shop", "certificates.production.shop", "former-credentials.production.shop.1"];

/** What must not be taken for a fault. */
const harmless: Record<string, Partial<Snapshot>> = {
  "all is as it should be": {},
  "a backup that the schedule made": { objects: [...healthy.objects, scheduled] },
  "the claim of a previous third member": { objects: [...healthy.objects, claim3] },
  "another client's object under the short labels": {
    objects: [
      ...healthy.objects,
      { ...childOf("Service", "mine"), labels: { app: "database", database: "shop" }, owners: [] },
    ],
  },
  "data that Retain keeps": { ...gone, objects: left },
  "data that Retain keeps, though the policy was Delete once": {
    ...{ ...gone, objects: left },
    watched: [
      {
        at: last,
        deleted: false,
        first: false,
        database: { ...database, spec: { ...database.spec, deletionPolicy: "Delete" } },
      },
      { at: last + 1, deleted: true, first: false, database },
    ],
  },
  "a Database that never was reconciled": {
    ...withDatabase({ finalizers: [], conditions: stalled }),
    objects: [],
    states: [],
  },
  "a Database that adopts what a previous one left, and is stalled": {
    ...withDatabase({ finalizers: [], conditions: stalled }),
    objects: left,
    states: [],
  },
  "a Database whose change is in progress": {
    ...withDatabase({ generation: 2 }),
    objects: without("Service shop"),
    states: [{ ...state, checkpoint: checkpointOf([], [{}]) }],
  },
  "a Database that is being deleted": { ...withDatabase({ deleting: true }), objects: without("StatefulSet shop") },
  "a paused Database whose Service was deleted": {
    ...withDatabase({ spec: { ...database.spec, paused: true } }),
    objects: without("Service shop"),
  },
  "a condition that changed twice while the watch was down": {
    watched: then({ conditions: conditions("Ready", { lastTransitionTime: "2026-11-21T10:00:09Z" }) }).map(
      (event, index) => (index === 2 ? { ...event, first: true } : event),
    ),
  },
  "a condition of drills that an edit switches off": { watched: thenWithoutDrills(database.conditions) },
  "a refusal because the namespace is going": {
    writes: write({ verb: "create", code: 403, at: last, answer: "it is being terminated" }),
  },
  "events that the provider may not list": {
    writes: write({ verb: "list", resource: "events", name: "", code: 403, at: last }),
  },
  "a refusal by an API server that has just started": { writes: write({ code: 403, at: last }) },
  "children without an owner under Snapshot": {
    ...withDatabase({ spec: { ...database.spec, deletionPolicy: "Snapshot" } }),
    objects: healthy.objects.map((object) => ({ ...object, owners: [] })),
  },
  ...Object.fromEntries(
    records.map((name) => [
      `a write to the record ${name}`,
      { writes: write({ resource: "secrets", namespace: "database-operator-system", name, at: last }) },
    ]),
  ),
  "the state of a previous Database, before it was adopted": {
    ...withDatabase({ finalizers: [], conditions: stalled }),
    objects: left,
    states: [{ ...state, uid: "former" }],
  },
};

for (const [sentence, change] of Object.entries(harmless)) {
  test(`green: ${sentence}`, () => {
    assert.deepEqual(redIn({ ...healthy, ...change }), {});
  });
}

test("what was not observed is not judged, and the report says so", () => {
  const blind = { ...healthy, watched: undefined, writes: undefined, operator: undefined, leftovers: undefined };
  const report = reportOf(judge(blind));
  assert.match(report, /- quiet +not judged/);
  assert.match(report, /- leftovers +not judged/);
});

test("the report has a line for each invariant, and what is wrong below it", () => {
  const report = reportOf(judge({ ...healthy, ...withDatabase({ finalizers: [] }) }));
  assert.equal(report.split("\n").length, invariants.length + 1);
  assert.match(report, /✖.* finalizer .*\n {4}production\/shop has no finalizer/);
});
