import assert from "node:assert/strict";
import test from "node:test";
import { observedFrom } from "../../test/fakes/observed";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { finalizer } from "../api/lifecycle";
import { createController } from "./controller";
import type { Outcome } from "../domain/outcome";
import { reconcile } from "./reconcile";

const quiet = { running: () => undefined, changed: () => undefined };
const turn = (cluster: FakeCluster): Promise<Outcome> => reconcile(cluster.key, cluster.database, cluster.ports, quiet);
const state = checkpointOf("StatefulSet shop", "Service shop");

const drift = {
  child: "Service shop",
  urn: "urn:pulumi:team.shop::databases::kubernetes:v1:Service::shop",
  kind: "edited",
  fields: ["spec.ports"],
  by: "kubectl-edit",
} as const;

/** A converged Database of which the watches show that the Service is not as it was left. */
async function touched(object = databaseObject()): Promise<FakeCluster> {
  const cluster = new FakeCluster(object);
  await turn(cluster);
  const observed = observedFrom(state);
  observed.set("Service shop", { uid: "uid of Service shop", applied: "other", terminating: false, disposable: true });
  cluster.observed = observed;
  return cluster;
}

test("a child that only the watches show as changed is read again, and nothing runs when it is unchanged", async () => {
  const cluster = await touched();
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(cluster.inspected, [["Service shop"]]);
  assert.equal(cluster.ups.length, 1);
});

test("drift is reverted by a run that forgets the child, and the history says what and by whom", async () => {
  const cluster = await touched();
  cluster.inspection = { drift: [drift], conflicts: [], terminating: [] };
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(Object.keys(JSON.parse(cluster.ups[1]?.checkpoint ?? "{}") as object), ["version", "checkpoint"]);
  assert.doesNotMatch(cluster.ups[1]?.checkpoint ?? "", /Service/);
  assert.match(cluster.ups[1]?.checkpoint ?? "", /StatefulSet/);
  const [revision] = cluster.record?.history ?? [];
  assert.equal(revision?.by, "kubectl-edit");
  assert.equal(revision.summary, "restored: Service shop");
  assert.deepEqual(revision.putBack, ["Service shop was edited by kubectl-edit: spec.ports"]);
});

test("drift is reported to metrics when it is found and when it is reverted", async () => {
  const cluster = await touched();
  cluster.inspection = { drift: [drift], conflicts: [], terminating: [] };
  cluster.driftNotes.length = 0;
  await reconcile(cluster.key, cluster.database, cluster.ports, { ...quiet, looksOnly: true });
  await turn(cluster);
  const note = { key: "team/shop", drift: [drift] };
  assert.deepEqual(cluster.driftNotes, [
    { ...note, state: "found" },
    { ...note, state: "found" },
    { ...note, state: "repaired" },
  ]);
  cluster.inspection = { drift: [], conflicts: [], terminating: [] };
  await turn(cluster);
  assert.deepEqual(cluster.driftNotes.at(-1), { ...note, state: "found", drift: [] });
});

test("what a failed run was restoring is reported by the run that completes it, though the state no longer shows it", async () => {
  const cluster = await touched();
  cluster.inspection = { drift: [drift], conflicts: [], terminating: [] };
  const problem = { message: "the API server did not answer", resource: "Service shop" };
  cluster.results = [{ kind: "failed", problem, checkpoint: state }];
  const { work } = createController(cluster.ports, { onError: assert.ifError, onOutcome: () => undefined });
  await work(cluster.key, "run");
  assert.deepEqual(cluster.record?.restoring, [drift]);
  cluster.inspection = { drift: [], conflicts: [], terminating: [] };
  cluster.events.length = 0;
  await work(cluster.key, "run");
  const told = cluster.events.filter(({ reason }) => reason === "DriftCorrected").map(({ message }) => message);
  assert.deepEqual(told, [
    "Service shop was edited by kubectl-edit: spec.ports; it was restored: change the Database instead",
  ]);
  assert.deepEqual(cluster.record.history[0]?.putBack, ["Service shop was edited by kubectl-edit: spec.ports"]);
  assert.deepEqual(cluster.record.restoring, []);
});

test("an edit that keeps coming is reverted less and less often", async () => {
  const cluster = await touched();
  cluster.inspection = { drift: [drift], conflicts: [], terminating: [] };
  for (let repair = 0; repair < 5; repair++) assert.deepEqual(await turn(cluster), { kind: "settled" });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "DriftRepeated", JSON.stringify(outcome));
  assert.equal(outcome.afterMs, 5000);
  assert.match(outcome.message, /Service shop was edited by kubectl-edit.*restored 5 times already/);
  // a person's edit is applied at once, and the drift with it
  cluster.object = databaseObject({ replicas: 5 });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 7);
});

test("another client's object that took a child's place later is a conflict and left alone", async () => {
  const cluster = await touched();
  cluster.inspection = { drift: [], conflicts: ["Service shop"], terminating: [] };
  cluster.conflicts = ["Service shop"];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "NameConflict");
  assert.equal(cluster.ups.length, 1);
});

test("another client's object in the place of a child that is declared no more is not the run's to delete", async () => {
  const cluster = await touched();
  cluster.inspection = { drift: [], conflicts: ["Service shop"], terminating: [] };
  cluster.object = databaseObject({ replicas: 5 });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.doesNotMatch(cluster.ups[1]?.checkpoint ?? "Service", /Service/);
  assert.match(cluster.ups[1]?.checkpoint ?? "", /StatefulSet/);
});

test("a child that is being deleted is waited for", async () => {
  const cluster = await touched();
  cluster.observed = new Map(observedFrom(state)).set("Service shop", {
    uid: "uid of Service shop",
    applied: "other",
    terminating: true,
    disposable: true,
  });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(cluster.inspected, []);
});

const claim = (fields: Record<string, unknown>): FakeCluster["inspection"] => ({
  drift: [{ ...drift, child: "PersistentVolumeClaim data-shop-0", ...fields }],
  conflicts: [],
  terminating: [],
});

test("a volume that was grown by hand stalls until the spec says so too", async () => {
  const cluster = await touched(databaseObject({ replicas: 1 }));
  cluster.inspection = claim({ fields: ["spec.resources.requests.storage"], size: "20Gi" });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "VolumeGrown", JSON.stringify(outcome));
  assert.match(outcome.message, /write spec\.storage: 20Gi/);
  cluster.object = databaseObject({ replicas: 1, storage: "20Gi" });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
});

test("when every data volume was deleted and no member is primary, no empty ones are created", async () => {
  const cluster = await touched(databaseObject({ replicas: 1 }));
  cluster.inspection = claim({ kind: "deleted", fields: [] });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "VolumesLost", JSON.stringify(outcome));
  assert.equal(cluster.ups.length, 1);
});

for (const [who, by, isLost] of [
  ["the StatefulSet's controller, which makes them empty", "kube-controller-manager", true],
  ["the same controller of another distribution", "k3s", true],
  ["a person who restored it", "kubectl-create", false],
  ["a backup tool, which brings back who held what", undefined, false],
] as const) {
  test(`a data volume of the only member that was recreated by ${who} is ${isLost ? "lost" : "adopted"}`, async () => {
    const cluster = await touched(databaseObject({ replicas: 1 }));
    cluster.inspection = claim({ kind: "replaced", fields: [], by });
    const outcome = await turn(cluster);
    assert.equal(outcome.kind === "stalled" ? outcome.reason : outcome.kind, isLost ? "VolumesLost" : "settled");
  });
}

test("deleting the Database and creating it again, as the message says, starts empty: the record goes with it", async () => {
  const cluster = await touched(databaseObject({ replicas: 1 }));
  cluster.inspection = claim({ kind: "deleted", fields: [] });
  cluster.object = databaseObject({ replicas: 1 }, { uid: "of a new cluster" });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "VolumesLost", JSON.stringify(outcome));
  assert.deepEqual(cluster.finalizers, [finalizer]);
});

test("a lost volume among others is created again: its member copies the data", async () => {
  const cluster = await touched(databaseObject({ replicas: 3 }));
  cluster.inspection = claim({ kind: "deleted", fields: [] });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 2);
});

for (const [what, uid, told] of [
  [
    "whose children another client changed gets a warning for each",
    "uid-1",
    ["Warning DriftCorrected", "Warning DriftCorrected"],
  ],
  ["that adopts what a previous one left gets a single event", "uid-2", ["Normal TakenOver"]],
] as const) {
  test(`a Database ${what}`, async () => {
    const cluster = await touched();
    cluster.object = databaseObject({}, { uid, finalizers: [finalizer] });
    const gone = { ...drift, kind: "deleted", fields: [], by: undefined } as const;
    cluster.inspection = { drift: [gone, { ...gone, child: "Role shop" }], conflicts: [], terminating: [] };
    const { work } = createController(cluster.ports, { onError: assert.ifError, onOutcome: () => undefined });
    cluster.events.length = 0;
    await work(cluster.key, "run");
    const repairs = cluster.events.filter(({ reason }) => !["Creating", "Updating"].includes(reason));
    assert.deepEqual(
      repairs.map(({ type, reason }) => `${type} ${reason}`).filter((text) => !text.includes("ServiceMonitor")),
      told,
    );
    assert.match(repairs.map(({ message }) => message).join(), /Service shop.*Role shop/);
  });
}
