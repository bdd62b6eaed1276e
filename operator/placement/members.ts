// Whether nodes could take the members of a Database, those that have a volume already where it is.
import { backupClaimName, claimOfMember, dataClaimNames } from "../../components/naming";
import type { DatabaseSpec } from "../api/spec";
import type { Engines } from "../domain/engines";
import type { Placement } from "../domain/ports";
import type { PodWish } from "../domain/pod-wish";

/** Whose members. */
export interface Placed {
  readonly namespace: string;
  readonly name: string;
  readonly spec: DatabaseSpec;
}

interface Reads {
  readonly engines: Engines;
  readonly placement: Placement;
}

/** What the pod of a member asks for. */
export function podWishOf(spec: DatabaseSpec, engines: Engines): PodWish {
  const { nodeSelector, tolerations, nodeAffinity, antiAffinity, priorityClassName } = spec.placement ?? {};
  const { nodeSelectorTerms } = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const isApart = antiAffinity?.type === "Required";
  return {
    ...engines.requestsOf(spec),
    ...{ nodeSelector, tolerations, priorityClassName },
    terms: nodeSelectorTerms?.map(({ matchExpressions }) => matchExpressions),
    ...(isApart && { apart: { topologyKey: antiAffinity.topologyKey, members: spec.replicas } }),
  };
}

/** Why not, in a sentence; undefined where they could, or it is not known. */
export async function memberPlacement(placed: Placed, at: Reads): Promise<string | undefined> {
  const { namespace, name, spec } = placed;
  return at.placement.problemOf(podWishOf(spec, at.engines), namespace, dataClaimNames(name, spec.replicas));
}

/** The same of one member, unless all of them must find places together. */
export async function placementOf(member: string, placed: Placed, at: Reads): Promise<string | undefined> {
  const wish = podWishOf(placed.spec, at.engines);
  if (wish.apart !== undefined) return memberPlacement(placed, at);
  return at.placement.problemOf(wish, placed.namespace, [claimOfMember(member)]);
}

/** The same of the pods that take backups, which ask for little, but need the volume of these. */
export async function backupPlacement({ namespace, name, spec }: Placed, at: Reads): Promise<string | undefined> {
  if (!spec.backup.enabled) return undefined;
  const wish = { ...podWishOf(spec, at.engines), apart: undefined };
  const claims = spec.backup.destination?.s3 === undefined ? [backupClaimName(name)] : [];
  return at.placement.problemOf({ ...wish, cpu: 0, memory: 0 }, namespace, claims);
}
