import assert from "node:assert/strict";
import test from "node:test";
import type { DatabaseStatus } from "../api/status";
import { settled, stalled, waiting } from "../domain/outcome";
import { companionStatusFor, type CompanionInputs } from "./status";

const now = new Date("2026-11-21T10:00:00Z");
const earlier = "2026-11-21T09:00:00Z";

type Said = readonly [
  type: "Ready" | "Reconciling" | "Stalled" | "BackupReady",
  status: "True" | "False",
  reason: string,
];
const ready: readonly Said[] = [
  ["Ready", "True", "AllReplicasReady"],
  ["Reconciling", "False", "Reconciled"],
  ["Stalled", "False", "NotStalled"],
  ["BackupReady", "True", "BackupSucceeded"],
];

/** A Database whose status is of generation `observed`, and whose conditions speak of `spoken` (default: the same). */
function database(generation: number, observed: number, said: readonly Said[] = ready, spoken = observed): unknown {
  const conditions = said.map(([type, status, reason]) => ({
    ...{ type, status, reason, message: "as it is", lastTransitionTime: earlier, observedGeneration: spoken },
  }));
  return {
    metadata: { name: "shop", namespace: "a", uid: "1", generation },
    status: {
      ...{ ready: true, phase: "Running", observedGeneration: observed, replicas: 3, readyReplicas: 3 },
      ...{
        labelSelector: "a=b",
        primary: "shop-0",
        endpoint: "shop.a.svc:5432",
        credentialsSecret: "shop-credentials",
      },
      ...{ version: "17.6", conditions, lastChange: { revision: 1, summary: "19 created", at: earlier } },
    },
  };
}

const inputs: CompanionInputs = {
  ...{ generation: 7, isGoing: false, outcome: settled(), database: database(2, 2), previous: {}, now },
};
const saidBy = ({ conditions = [] }: DatabaseStatus): unknown[] =>
  conditions.map(({ type, status, reason, observedGeneration }) => [type, status, reason, observedGeneration]);

test("the status of the Database is mirrored, judged from the companion's own generation", () => {
  const { conditions, ...rest } = companionStatusFor(inputs);
  assert.deepEqual(rest, {
    ...{ ready: true, phase: "Running", observedGeneration: 7, replicas: 3, readyReplicas: 3, labelSelector: "a=b" },
    ...{ primary: "shop-0", endpoint: "shop.a.svc:5432", credentialsSecret: "shop-credentials", version: "17.6" },
  });
  assert.deepEqual(
    saidBy({ conditions }),
    ready.map((said) => [...said, 7]),
  );
});

test("until the Database has been observed, its status is of the previous generation, and work is in progress", () => {
  const previous = companionStatusFor({ ...inputs, generation: 6 });
  const status = companionStatusFor({ ...inputs, database: database(3, 2), previous });
  assert.equal(status.phase, "Updating");
  assert.equal(status.observedGeneration, 7);
  assert.deepEqual(saidBy(status), [
    ["Ready", "True", "AllReplicasReady", 6],
    ["Reconciling", "True", "Updating", 7],
    ["Stalled", "False", "NotStalled", 7],
    ["BackupReady", "True", "BackupSucceeded", 6],
  ]);
});

test("for a Database that was just created the companion itself says that nothing is ready", () => {
  const fresh = {
    metadata: { name: "shop", namespace: "a", uid: "1", generation: 1 },
    status: { observedGeneration: -1 },
  };
  const status = companionStatusFor({ ...inputs, database: fresh });
  assert.equal(status.ready, false);
  assert.equal(status.phase, "Pending");
  assert.deepEqual(saidBy(status), [
    ["Ready", "False", "Creating", 7],
    ["Reconciling", "True", "Updating", 7],
    ["Stalled", "False", "NotStalled", 7],
  ]);
});

test("a companion without a Database of its own is not ready, and says why; nothing of a foreign one is shown", () => {
  const outcome = stalled("NameConflict", "somebody else's");
  const status = companionStatusFor({ ...inputs, outcome, database: undefined });
  assert.deepEqual(Object.keys(status).sort(), ["conditions", "observedGeneration", "phase", "ready"]);
  assert.equal(status.phase, "Failed");
  assert.deepEqual(saidBy(status), [
    ["Ready", "False", "NameConflict", 7],
    ["Reconciling", "False", "Reconciled", 7],
    ["Stalled", "True", "NameConflict", 7],
  ]);
});

test("a companion that cannot be applied while its Database serves is stalled and ready", () => {
  const outcome = stalled("DatabaseRefused", "must not shrink");
  const previous = companionStatusFor({ ...inputs, generation: 6 });
  const status = companionStatusFor({ ...inputs, outcome, previous });
  assert.equal(status.ready, true);
  assert.equal(status.phase, "Failed");
  assert.deepEqual(saidBy(status).slice(0, 3), [
    ["Ready", "True", "AllReplicasReady", 6],
    ["Reconciling", "False", "Reconciled", 7],
    ["Stalled", "True", "DatabaseRefused", 7],
  ]);
});

test("Ready is of the companion's generation only once the Database has applied the change", () => {
  const previous = companionStatusFor({ ...inputs, generation: 6 });
  const ready: Said = ["Ready", "True", "AllReplicasReady"];
  const underWay: Said = ["Reconciling", "True", "Updating"];
  const looking = companionStatusFor({ ...inputs, database: database(3, 3, [ready, underWay], 2), previous });
  assert.deepEqual(saidBy(looking)[0], [...ready, 6]);
  const done = companionStatusFor({ ...inputs, database: database(3, 3, [ready, underWay]), previous: looking });
  assert.deepEqual(saidBy(done)[0], [...ready, 7]);
});

test("what stalls a Database stalls its companion", () => {
  const said: readonly Said[] = [
    ["Ready", "False", "Creating"],
    ["Reconciling", "False", "Reconciled"],
    ["Stalled", "True", "VersionUnavailable"],
  ];
  const status = companionStatusFor({ ...inputs, database: database(2, 2, said) });
  assert.deepEqual(
    saidBy(status),
    said.map((one) => [...one, 7]),
  );
});

test("a Database that is being deleted by hand is waited for", () => {
  const status = companionStatusFor({ ...inputs, outcome: waiting("Deleting", "made again", 1) });
  assert.deepEqual(saidBy(status)[1], ["Reconciling", "True", "Deleting", 7]);
});

test("a companion that is being deleted says so, and shows what stalls its Database", () => {
  const said: readonly Said[] = [...ready.slice(0, 2), ["Stalled", "True", "FinalBackupFailed"]];
  const status = companionStatusFor({ ...inputs, isGoing: true, database: database(2, 2, said) });
  assert.equal(status.phase, "Deleting");
  assert.equal(status.ready, false);
  assert.deepEqual(saidBy(status), [
    ["Ready", "False", "Deleting", 7],
    ["Reconciling", "True", "Deleting", 7],
    ["Stalled", "True", "FinalBackupFailed", 7],
  ]);
});

test("the transition time moves with the status alone, and by the companion's own clock", () => {
  const first = companionStatusFor(inputs);
  const later = companionStatusFor({
    ...inputs,
    generation: 8,
    previous: first,
    now: new Date("2026-11-21T11:00:00Z"),
  });
  assert.equal(later.conditions?.[0]?.lastTransitionTime, first.conditions?.[0]?.lastTransitionTime);
  const stalledLater = companionStatusFor({
    ...{ ...inputs, previous: first, now: new Date("2026-11-21T11:00:00Z") },
    outcome: stalled("SpecInvalid", "no"),
  });
  assert.equal(stalledLater.conditions?.[2]?.lastTransitionTime, "2026-11-21T11:00:00Z");
});

test("a reason that only a newer operator knows is mirrored as it is", () => {
  const newer: readonly Said[] = [["Ready", "True", "ServingOtherwise"], ...ready.slice(1)];
  const mirrored = companionStatusFor({ ...inputs, database: database(2, 2, newer) });
  assert.deepEqual(saidBy(mirrored)[0], ["Ready", "True", "ServingOtherwise", 7]);
  assert.equal(mirrored.phase, "Running");
});
