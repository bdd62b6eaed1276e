// Members of a Database in a fake cluster, and what a run left that declares them.
import type { StackResult } from "../../operator/domain/runner";
import { createController, type Controller } from "../../operator/reconcile/controller";
import { checkpointOf } from "./checkpoints";
import { changes, memberOf, type FakeCluster } from "./ports";

/** One that throws what goes wrong. */
export const controllerOf = (cluster: FakeCluster): Controller =>
  createController(cluster.ports, {
    onError: (_key, error) => {
      throw error;
    },
    onOutcome: () => undefined,
  });

/** Members of the template that was applied last (`now`), or of another one. */
export function observe(cluster: FakeCluster, ...revisions: readonly string[]): void {
  const members = revisions.map((revision, ordinal) =>
    memberOf(`shop-${ordinal}`, { revision, role: ordinal === 0 ? "primary" : "replica" }),
  );
  cluster.observation = {
    workload: { uid: "w", generation: 1, seen: true, wanted: revisions.length, revision: "now" },
    ...{ members, jobs: [] },
  };
}

/** Of the members that `templated` leaves. */
export const membersTemplate = { metadata: { labels: { kept: "yes" } } };

/** A run that leaves a StatefulSet with this template. */
export function templated(template: object = membersTemplate): StackResult {
  const text = JSON.parse(checkpointOf("StatefulSet shop")) as {
    checkpoint: { latest: { resources: { type: string; inputs?: unknown }[] } };
  };
  for (const resource of text.checkpoint.latest.resources) {
    resource.type = "kubernetes:apps/v1:StatefulSet";
    resource.inputs = { spec: { template } };
  }
  return {
    ...{ kind: "succeeded", changes: changes({ updated: 2 }), workload: undefined },
    checkpoint: JSON.stringify(text),
  };
}
