// What is refused stops what was asked for, and nothing else.
import assert from "node:assert/strict";
import test from "node:test";
import { observedFrom } from "../../test/fakes/observed";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { changes, databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import type { Drift } from "../domain/children";
import type { StackResult } from "../domain/runner";
import { createController } from "./controller";
import type { Outcome } from "../domain/outcome";
import { reconcile } from "./reconcile";

const told: string[] = [];
const turnOf = {
  running: (reason: string) => told.push(reason),
  changed: () => undefined,
};
const turn = (cluster: FakeCluster, more: object = {}): Promise<Outcome> =>
  reconcile(cluster.key, cluster.database, cluster.ports, { ...turnOf, ...more });
const state = checkpointOf("StatefulSet shop", "Service shop", "PersistentVolumeClaim data-shop-0");
const through = (): StackResult => ({
  ...{ kind: "succeeded", changes: changes({ updated: 1 }), checkpoint: state },
  workload: { uid: "w", generation: 1 },
});

const edited: Drift = {
  ...{ child: "Service shop", kind: "edited", fields: ["spec.ports"], by: "kubectl-edit" },
  urn: "urn:pulumi:team.shop::databases::kubernetes:v1:Service::shop",
};
const grown: Drift = {
  ...{ child: "PersistentVolumeClaim data-shop-0", kind: "edited", fields: [], by: "autoresizer", size: "20Gi" },
  urn: "urn:pulumi:team.shop::databases::kubernetes:v1:PersistentVolumeClaim::data-shop-0",
};

/** A converged Database, before anything happens to it. */
async function converged(spec: Record<string, unknown> = {}): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject(spec));
  cluster.results = [through(), through(), through()];
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
  return cluster;
}

/** From now on these children are not as they were left, until a run restores them. */
function drifts(cluster: FakeCluster, ...drift: readonly Drift[]): void {
  const observed = observedFrom(state);
  for (const { child } of drift)
    observed.set(child, { uid: `uid of ${child}`, applied: "other", terminating: false, disposable: false });
  cluster.observed = observed;
  cluster.inspection = { drift, conflicts: [], terminating: [] };
}

const refusals: Record<string, { readonly reason: string; readonly spoil: (cluster: FakeCluster) => void }> = {
  "a spec that the API server should have refused": {
    reason: "SpecInvalid",
    spoil: (cluster) => (cluster.object = databaseObject({ replicas: -1 }, { generation: 2 })),
  },
  "storage that shrinks": {
    reason: "SpecInvalid",
    spoil: (cluster) => (cluster.object = databaseObject({ storage: "5Gi" }, { generation: 2 })),
  },
  "a version that was taken out of the catalogue": {
    reason: "VersionUnavailable",
    spoil: (cluster) => (cluster.catalogue = { postgresql: { "17.5": { image: "postgresql:17.5" } } }),
  },
  "a typo in a shared ConfigMap": {
    reason: "ParameterReserved",
    spoil: (cluster) => cluster.configMaps.set("team/tuning", { port: "1" }),
  },
  "a shared ConfigMap that is gone": {
    reason: "ConfigSourceMissing",
    spoil: (cluster) => cluster.configMaps.delete("team/tuning"),
  },
  "a version that goes down": {
    reason: "UpgradeUnsupported",
    spoil: (cluster) => (cluster.object = databaseObject({ version: "17.5" }, { generation: 2 })),
  },
};

async function refused({ spoil }: { readonly spoil: (cluster: FakeCluster) => void }): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject({ configFrom: { name: "tuning" } }));
  cluster.configMaps.set("team/tuning", { work_mem: "8MB" });
  cluster.results = [through(), through(), through()];
  await turn(cluster);
  spoil(cluster);
  told.length = 0;
  return cluster;
}

for (const [what, refusal] of Object.entries(refusals)) {
  test(`${what} is refused, and the children stay as they were accepted`, async () => {
    const cluster = await refused(refusal);
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === refusal.reason, JSON.stringify(outcome));
    assert.equal(cluster.ups.length, 1, "nothing is run while nothing differs");
    drifts(cluster, edited);
    const repaired = await turn(cluster);
    assert.ok(repaired.kind === "stalled" && repaired.reason === refusal.reason, JSON.stringify(repaired));
    const [first, second] = cluster.ups.map(({ program }) => program.desired);
    assert.deepEqual(second, first);
    const [revision] = cluster.record?.history ?? [];
    assert.deepEqual([revision?.summary, revision?.generation], ["restored: Service shop", 1]);
    assert.deepEqual(told, [], "the status keeps saying what is refused");
  });

  test(`${what}: a rollout that had begun continues`, async () => {
    const cluster = await refused(refusal);
    const [primary, replica] = [memberOf("shop-0", { role: "primary", revision: "old" }), memberOf("shop-1")];
    cluster.observation = {
      ...{ workload: { uid: "w", generation: 1, wanted: 2, seen: true, revision: "new" }, jobs: [] },
      members: [primary, { ...replica, revision: "old" }],
    };
    const outcome = await turn(cluster);
    assert.deepEqual(cluster.evicted, ["shop-1"]);
    assert.ok(outcome.kind === "stalled" && outcome.reason === refusal.reason, JSON.stringify(outcome));
    assert.ok(outcome.meanwhile?.kind === "waiting" && outcome.meanwhile.reason === "Restarting");
  });
}

test("a volume that was grown by hand stalls, stays as it is, and everything else is still restored", async () => {
  const cluster = await converged();
  drifts(cluster, grown, edited);
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "VolumeGrown", JSON.stringify(outcome));
  assert.equal(cluster.ups.length, 2);
  assert.match(cluster.ups[1]?.checkpoint ?? "", /data-shop-0/, "the claim does not change hands");
  assert.doesNotMatch(cluster.ups[1]?.checkpoint ?? "", /Service/);
  assert.deepEqual(cluster.record?.history[0]?.putBack?.length, 1);
});

test("after a failed run a grown volume is left to a person: the next run would read it, and shrink it", async () => {
  const cluster = await converged();
  cluster.record = cluster.record && { ...cluster.record, digest: undefined };
  drifts(cluster, grown, edited);
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "VolumeGrown");
  assert.equal(cluster.ups.length, 1);
});

test("a change that failed halfway and was reverted, by a spec that is refused, is neither finished nor undone", async () => {
  const cluster = await converged();
  cluster.results = [
    { kind: "failed", problem: { message: "quota exceeded", resource: undefined }, checkpoint: undefined },
  ];
  cluster.object = databaseObject({ storage: "20Gi" }, { generation: 2 });
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.object = databaseObject({ replicas: -1 }, { generation: 3 });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "SpecInvalid" && outcome.meanwhile === undefined);
  assert.equal(cluster.ups.length, 2);
});

test("when maintaining the accepted state fails, the queue retries it", async () => {
  const cluster = await refused({ spoil: (one) => (one.object = databaseObject({ replicas: -1 }, { generation: 2 })) });
  drifts(cluster, edited);
  cluster.results = [
    { kind: "failed", problem: { message: "quota exceeded", resource: undefined }, checkpoint: undefined },
  ];
  const controller = createController(cluster.ports, { onError: () => undefined, onOutcome: () => undefined });
  assert.deepEqual(await controller.work(cluster.key, "look"), { kind: "run" });
  assert.deepEqual(await controller.work(cluster.key, "run"), { kind: "retry" });
  const conditions = new Map(cluster.statuses.at(-1)?.conditions?.map((one) => [one.type, one]));
  assert.equal(conditions.get("Stalled")?.reason, "SpecInvalid");
  assert.equal(conditions.get("Reconciling")?.reason, "RunFailed");
  assert.match(conditions.get("Reconciling")?.message ?? "", /maintaining what was accepted before: quota exceeded/);
  const warnings = cluster.events.filter(({ type, reason }) => type === "Warning" && reason === "RunFailed");
  assert.equal(warnings.length, 1);
});

for (const [what, change] of [
  ["of another Database with its name", { object: databaseObject({ replicas: -1 }, { uid: "other" }) }],
  ["while it is paused", { object: databaseObject({ paused: true }, { generation: 2 }) }],
  ["while a spec that does not parse is paused", { object: databaseObject({ paused: true, replicas: -1 }) }],
] as const) {
  test(`nothing is maintained ${what}`, async () => {
    const cluster = await converged();
    cluster.object = change.object;
    drifts(cluster, edited);
    assert.equal((await turn(cluster)).kind, "stalled");
    assert.equal(cluster.ups.length, 1);
  });
}
