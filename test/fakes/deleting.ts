// A Database that is being deleted, for tests of the reconcile.
import { finalizer } from "../../operator/api/lifecycle";
import type { Outcome } from "../../operator/domain/outcome";
import { reconcile } from "../../operator/reconcile/reconcile";
import type { StackResult } from "../../operator/domain/runner";
import { databaseObject, FakeCluster } from "./ports";

const quiet = { running: () => undefined, changed: () => undefined };

/** One turn that may run. */
export const turn = (cluster: FakeCluster, ports = cluster.ports): Promise<Outcome> =>
  reconcile(cluster.key, cluster.database, ports, quiet);

/** A run that failed, and left half of what it was to do. */
export const failure: StackResult = {
  kind: "failed",
  problem: { message: "services is forbidden", resource: "Service shop" },
  checkpoint: "half",
};

/** A Database that ran once and is now being deleted. */
export async function deleted(spec: Record<string, unknown>, generation = 2): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject(spec));
  await turn(cluster);
  remove(cluster, spec, generation);
  return cluster;
}

/** It is being deleted from now on, with this spec. */
export function remove(cluster: FakeCluster, spec: Record<string, unknown>, generation = 2): void {
  const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer], generation };
  cluster.object = databaseObject(spec, deletion);
}
