// A Database during a major upgrade, for tests of the reconcile.
import assert from "node:assert/strict";
import type { Outcome } from "../../operator/domain/outcome";
import type { UpgradeJobSeen } from "../../operator/domain/ports";
import { begunUpgrade, type Upgrade } from "../../operator/domain/upgrade";
import { turn } from "./deleting";
import { databaseObject, FakeCluster, memberOf } from "./ports";

/** The two versions. */
export const [from, to] = ["15.20", "17.12"];
const images = { from: "server:15", to: "server:17", job: "upgrade:17" };
const begun = begunUpgrade("uid-1", { from, to, images });

/** Where no member is to serve. */
export const down: Partial<Upgrade> = { files: "either", keeps: true, stoppedAt: "2025-12-31T23:59:00.000Z" };

/** A Database that runs the former version, with this upgrade on record. */
export async function upgrading(
  change: Partial<Upgrade> = {},
  spec: Record<string, unknown> = {},
): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject({ version: from, replicas: 3 }));
  cluster.catalogue = {
    postgresql: {
      [from]: { image: "server:15" },
      [to]: { image: "server:17", upgrade: { image: "upgrade:17", from } },
    },
  };
  await turn(cluster);
  assert.ok(cluster.record);
  cluster.record = { ...cluster.record, upgrade: { ...begun, ...change } };
  cluster.object = databaseObject({ version: to, replicas: 3, ...spec }, { generation: 2 });
  cluster.ups.length = 0;
  cluster.events.length = 0;
  return cluster;
}

/** What the last run declared, in short. */
export function declared({ ups }: FakeCluster): unknown {
  const { desired } = ups.at(-1)?.program ?? {};
  const { members, job, removesOthers, backup } = desired?.upgrade ?? {};
  const isBackedUp = (desired?.finalBackup ?? backup) !== undefined;
  return [desired?.spec.version, desired?.image, members, job?.act, isBackedUp, removesOthers];
}

/** How the Job of the upgrade is seen. */
export const job = (state: UpgradeJobSeen["state"], some: Partial<UpgradeJobSeen["report"]> = {}): UpgradeJobSeen => ({
  state,
  report: { upgrade: "Converted", seconds: 9, message: "in its words", ...some },
});

/** Where it is; "none" where nothing is on record. */
export const phaseOf = ({ record }: FakeCluster): string => record?.upgrade?.phase ?? "none";

/** What is said, and where it is then. */
export const said = (outcome: Outcome, { record }: FakeCluster): string =>
  [outcome.kind, "reason" in outcome ? outcome.reason : "", record?.upgrade?.phase ?? "none"]
    .join(" ")
    .replace("  ", " ");

/** The first member, which leads, and the StatefulSet. */
export const member0 = memberOf("shop-0", { role: "primary" });
export const workload = { uid: "uid", generation: 1, seen: true, revision: "new", wanted: 3 };
