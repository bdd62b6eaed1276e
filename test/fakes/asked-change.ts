// A Database that ran, and is then asked for something that a policy may hold back.
import assert from "node:assert/strict";
import { approvalKeys } from "../../contract/approvals";
import type { ForeseenEffect } from "../../operator/domain/foreseen";
import type { Stalled } from "../../operator/domain/outcome";
import type { StackResult } from "../../operator/domain/runner";
import { reconcile } from "../../operator/reconcile/reconcile";
import type { Turn } from "../../operator/reconcile/turn";
import type { Drift } from "../../operator/domain/children";
import { checkpointOf } from "./checkpoints";
import type { FakeForesight } from "./foresight";
import { observedFrom } from "./observed";
import { changes, databaseObject, FakeCluster } from "./ports";

export const turnOf: Turn = { running: () => undefined, changed: () => undefined };
export const turn = (cluster: FakeCluster, more: object = {}): ReturnType<typeof reconcile> =>
  reconcile(cluster.key, cluster.database, cluster.ports, { ...turnOf, ...more });
export const template = { metadata: {}, spec: { containers: [] } };
const state = checkpointOf("StatefulSet shop", "Service shop")
  .replaceAll("kubernetes:v1:StatefulSet", "kubernetes:apps/v1:StatefulSet")
  .replace('"outputs":', `"inputs":${JSON.stringify({ spec: { template } })},"outputs":`);
export const through = (): StackResult => ({
  ...{ kind: "succeeded", changes: changes({ updated: 1 }), checkpoint: state, workload: undefined },
});
export const failing = (): StackResult => ({
  ...{ kind: "failed", checkpoint: state, problem: { message: "the webhook says no", resource: undefined } },
});

export const restart: ForeseenEffect = {
  effect: "RollingRestart",
  members: ["shop-0"],
  message: "all members restart",
};
export const quiet: ForeseenEffect = { effect: "None", members: [], message: "no member restarts" };
export const asks = { changePolicy: { requireApproval: ["RollingRestart", "DataLoss"] } };
export const sunday = { schedule: "0 2 * * SUN", duration: "2h" };
export const windowed = { changePolicy: { windows: [sunday] } };
export const both = { changePolicy: { requireApproval: ["RollingRestart"], windows: [sunday] } };
export const wednesday = new Date("2026-01-07T12:00:00Z");
export const night = new Date("2026-01-11T03:00:00Z");

/** A plan with this digest. */
export const plan = (digest: string, ...effects: readonly ForeseenEffect[]): FakeForesight["found"] => ({
  ...{ kind: "plan", digest, effects, primary: undefined },
});

/** Writes the spec, as a person does. */
export function edit(cluster: FakeCluster, spec: Record<string, unknown>): void {
  const generation = (cluster.object?.metadata.generation ?? 0) + 1;
  const annotations = cluster.object?.metadata["annotations"] ?? {};
  const finalizers = cluster.finalizers;
  cluster.object = databaseObject(spec, { generation, annotations, finalizers });
}

export function annotate(cluster: FakeCluster, annotations: Readonly<Record<string, string>>): void {
  assert.ok(cluster.object !== undefined);
  cluster.object.metadata = { ...cluster.object.metadata, annotations };
}

export const approval = (digest: string, by = "maria", key: string = approvalKeys.approve): Record<string, string> => ({
  [key]: digest,
  [approvalKeys.by]: by,
});

/** A Database that has come through, and then is asked for something that restarts members. */
export async function asked(
  policy: object,
  spec: object = { config: { max_connections: "200" } },
): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject({ ...policy }));
  cluster.now = wednesday;
  cluster.results = Array.from({ length: 9 }, through);
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.foresight.previews], [1, 0], "a creation asks for nothing");
  cluster.foresight.found = plan("plan-1", restart);
  edit(cluster, { ...policy, ...spec });
  return cluster;
}

export async function waits(cluster: FakeCluster, more: object = {}): Promise<Stalled> {
  const outcome = await turn(cluster, more);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  return outcome;
}

const edited: Drift = {
  ...{ child: "Service shop", kind: "edited", fields: ["spec.ports"], by: "kubectl-edit" },
  urn: "urn:pulumi:team.shop::databases::kubernetes:v1:Service::shop",
};

/** A child is not as it was left, until a run restores it. */
export function drifts(cluster: FakeCluster): void {
  const observed = observedFrom(state);
  observed.set("Service shop", { uid: "uid of Service shop", applied: "other", terminating: false, disposable: false });
  cluster.observed = observed;
  cluster.inspection = { drift: [edited], conflicts: [], terminating: [] };
}

/** From now on another release of the operator has its turns. */
export const released = ({ ports }: FakeCluster, release = "release-2"): FakeCluster["ports"] => ({
  ...ports,
  release,
  digest: (desired) => `${release} ${ports.digest(desired)}`,
  foresee: async (object) => {
    const found = await ports.foresee(object);
    return found.kind === "plan" ? { ...found, wish: `${release} ${found.wish}` } : found;
  },
});
