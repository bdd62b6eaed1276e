// What keeps a major upgrade from ending members: where no node could take them again they would stay away, on the way back as well.
import type { Database } from "../api/object";
import type { Ports } from "../domain/ports";
import type { Upgrade, UpgradeStep } from "../domain/upgrade";
import { memberPlacement } from "../placement/members";

/** Undefined where nothing does. A Database that is being deleted needs no members. */
export async function roomObstacle(
  { phase }: Upgrade,
  step: UpgradeStep,
  { metadata, spec }: Pick<Database, "metadata" | "spec">,
  at: Pick<Ports, "engines" | "placement">,
): Promise<string | undefined> {
  if (step.kind !== "go" || step.upgrade.heading !== "to" || metadata.deletionTimestamp !== undefined) return undefined;
  const isEnding = stopping.some(([from, to]) => from === phase && to === step.upgrade.phase);
  const { namespace, name } = metadata;
  return isEnding ? memberPlacement({ namespace, name, spec }, at) : undefined;
}

const stopping = [
  ["BackingUp", "Gathering"],
  ["Gathering", "Stopping"],
] as const;
