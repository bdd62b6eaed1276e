// Runs that end with their operator, or whose record another client wrote first: nothing but the children shows them.
import assert from "node:assert/strict";
import test from "node:test";
import { OutdatedRecord } from "../domain/records";
import { observedFrom } from "../../test/fakes/observed";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { changes, databaseObject, FakeCluster } from "../../test/fakes/ports";
import type { Outcome } from "../domain/outcome";
import { reconcile } from "./reconcile";

const quiet = { running: () => undefined, changed: () => undefined };
const turn = (cluster: FakeCluster): Promise<Outcome> => reconcile(cluster.key, cluster.database, cluster.ports, quiet);
const state = checkpointOf("StatefulSet shop", "Service shop");

/** A run that was lost with its operator: what it did is there, and its record is not. */
async function lostRun(): Promise<FakeCluster> {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject({ replicas: 5 });
  cluster.saveFailures = [true];
  await assert.rejects(turn(cluster), OutdatedRecord);
  assert.equal(cluster.ups.length, 2);
  return cluster;
}

test("a run whose end could not be recorded is repeated", async () => {
  const cluster = await lostRun();
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 3);
  assert.equal(cluster.ups[2]?.program.desired.spec.replicas, 5);
});

test("what a lost run changed is reverted when the spec is reverted", async () => {
  const cluster = await lostRun();
  cluster.object = databaseObject();
  const service = { uid: "uid of Service shop", applied: "later", terminating: false, disposable: true };
  cluster.observed = observedFrom(state).set("Service shop", service);
  const urn = "urn:pulumi:team.shop::databases::kubernetes:v1:Service::shop";
  const drift = { child: "Service shop", urn, kind: "outdated", fields: [], by: undefined, uid: "its uid" } as const;
  cluster.inspection = { drift: [drift], conflicts: [], terminating: [] };
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 3);
  assert.doesNotMatch(cluster.ups[2]?.checkpoint ?? "", /Service/);
  assert.deepEqual([...(cluster.ups[2]?.existing ?? [])], [["Service shop", "its uid"]]);
});

const leftOver = { uid: "new", applied: "x", terminating: false, disposable: true };

test("what a lost run made is removed when nothing asks for it any more, except data", async () => {
  const cluster = await lostRun();
  cluster.object = databaseObject();
  cluster.observed = observedFrom(state)
    .set("CronJob shop-backup", leftOver)
    .set("PersistentVolumeClaim data-shop-4", { ...leftOver, disposable: false });
  cluster.ours = ["CronJob shop-backup"];
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(cluster.removed, ["CronJob shop-backup"]);
  assert.equal(cluster.record?.history[0]?.summary, "restored: CronJob shop-backup");
});

test("what a lost run made is taken into the state, and not removed, when it is asked for", async () => {
  const cluster = await lostRun();
  cluster.object = databaseObject();
  cluster.observed = observedFrom(state).set("StatefulSet other", leftOver);
  cluster.ours = ["StatefulSet other"];
  const checkpoint = checkpointOf("StatefulSet shop", "Service shop", "StatefulSet other");
  cluster.results = [{ kind: "succeeded", changes: changes({ created: 1 }), checkpoint, workload: undefined }];
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(cluster.removed, []);
});

test("a child that is already gone but still shown by the watches causes no run", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.observed = observedFrom(state).set("CronJob shop-backup", leftOver);
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.ups.length, 1);
});

test("Jobs that are missing from the state are created again: they cannot be changed", async () => {
  const cluster = await lostRun();
  cluster.ours = ["Job shop-init", "Service shop-ro"];
  await turn(cluster);
  assert.deepEqual(cluster.removed, ["Job shop-init"]);
  assert.equal(cluster.ups[2]?.existing?.get("Service shop-ro"), "uid of Service shop-ro");
});

test("a first run may adopt what belongs to this Database, and nothing else", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  const taken = new FakeCluster();
  taken.ours = ["PersistentVolumeClaim data-shop-0"];
  await turn(taken);
  const existing = [cluster, taken].map(({ ups }) => [...(ups[0]?.existing ?? ["whatever it finds"])]);
  assert.deepEqual(existing, [[], [["PersistentVolumeClaim data-shop-0", "uid of PersistentVolumeClaim data-shop-0"]]]);
});
