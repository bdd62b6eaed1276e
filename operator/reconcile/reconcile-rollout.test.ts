// When a reconcile restarts members, and when it leaves them alone.
import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { changes, databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import type { StackResult } from "../domain/runner";
import type { Outcome } from "../domain/outcome";
import { reconcile } from "./reconcile";

const quiet = { running: () => undefined, changed: () => undefined };
const turn = (cluster: FakeCluster): Promise<Outcome> => reconcile(cluster.key, cluster.database, cluster.ports, quiet);
const state = checkpointOf("StatefulSet shop", "Service shop");
const failure: StackResult = {
  kind: "failed",
  problem: { message: "quota exceeded", resource: undefined },
  checkpoint: undefined,
};

/** A state of `shop` whose members have this template. */
const stateWith = (template: unknown): string => {
  const file = JSON.parse(state) as { checkpoint: { latest: { resources: { type: string; inputs?: unknown }[] } } };
  for (const resource of file.checkpoint.latest.resources) {
    if (!resource.type.endsWith("StatefulSet")) continue;
    Object.assign(resource, { type: "kubernetes:apps/v1:StatefulSet", inputs: { spec: { template } } });
  }
  return JSON.stringify(file);
};
const templates = ["db:1", "db:2"].map((image) => ({ spec: { containers: [{ name: "postgresql", image }] } }));
const ran = (template: unknown, generation: number): StackResult => ({
  ...{ kind: "succeeded", changes: changes({ updated: 1 }), checkpoint: stateWith(template) },
  workload: { uid: "w", generation },
});

test("a run that changed the members' pods is not complete before they have restarted, and notes why", async () => {
  const cluster = new FakeCluster();
  cluster.results = [ran(templates[0], 1), ran(templates[1], 2)];
  await turn(cluster);
  const members = [memberOf("shop-0", { role: "primary" })];
  cluster.observation = {
    workload: { uid: "w", generation: 1, wanted: 1, seen: true, revision: "new" },
    members,
    jobs: [],
  };
  cluster.object = databaseObject({ storage: "20Gi" });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "Restarting");
  assert.equal(cluster.record?.history[0]?.restarts, "image db:1 → db:2");
  assert.deepEqual(cluster.evicted, [], "the StatefulSet is still the previous one");
  cluster.observation = {
    workload: { uid: "w", generation: 2, wanted: 1, seen: true, revision: "next" },
    members,
    jobs: [],
  };
  await turn(cluster);
  assert.deepEqual(cluster.evicted, ["shop-0"]);
});

test("a run that left the members' pods as they are restarts none", async () => {
  const cluster = new FakeCluster();
  cluster.results = [ran(templates[0], 1), ran(templates[0], 2)];
  await turn(cluster);
  cluster.object = databaseObject({ storage: "20Gi" });
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.record?.history[0]?.restarts, undefined);
});

for (const [what, hinder] of [
  ["paused", (cluster: FakeCluster) => (cluster.object = databaseObject({ paused: true }))],
  [
    "about to change",
    (cluster: FakeCluster) => ((cluster.object = databaseObject({ replicas: 5 })), (cluster.results = [failure])),
  ],
  [
    "being deleted",
    (cluster: FakeCluster) => (cluster.object = databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z" })),
  ],
] as const) {
  test(`no member of a Database that is ${what} is restarted`, async () => {
    const cluster = new FakeCluster();
    await turn(cluster);
    const members = [memberOf("shop-0", { role: "primary", revision: "old" })];
    cluster.observation = {
      workload: { uid: "w", generation: 1, wanted: 1, seen: true, revision: "new" },
      members,
      jobs: [],
    };
    hinder(cluster);
    await turn(cluster);
    assert.deepEqual(cluster.evicted, []);
  });
}
