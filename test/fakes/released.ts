// A Database that has come through, and meets other releases of the operator.
import assert from "node:assert/strict";
import { ChangePolicy } from "../../operator/api/change-policy";
import type { Outcome, Stalled } from "../../operator/domain/outcome";
import { reconcile } from "../../operator/reconcile/reconcile";
import { asked, released, turnOf } from "./asked-change";
import type { FakeCluster } from "./ports";

export const approves = ChangePolicy.parse({ requireApproval: ["RollingRestart"] });

/** A turn of another release. */
export const under = (cluster: FakeCluster, release?: string): Promise<Outcome> =>
  reconcile(cluster.key, cluster.database, released(cluster, release), turnOf);

/** One that has come through, and meets another release that restarts members. */
export async function meeting(spec: object = {}, releases = approves): Promise<FakeCluster> {
  const cluster = await asked(spec, {});
  cluster.foresight.settings.releases = releases;
  return cluster;
}

export function mustWait(outcome: Outcome): Stalled {
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  return outcome;
}
