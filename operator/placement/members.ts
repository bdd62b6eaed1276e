// Whether nodes could take the members of a Database, those that have a volume already where it is.
import { dataClaimNames } from "../../components/naming";
import type { DatabaseSpec } from "../api/spec";
import type { Engines } from "../domain/engines";
import type { Placement } from "../domain/ports";

/** Whose members. */
export interface Placed {
  readonly namespace: string;
  readonly name: string;
  readonly spec: DatabaseSpec;
}

/** Why not, in a sentence; undefined where they could, or it is not known. */
export async function memberPlacement(
  { namespace, name, spec }: Placed,
  at: { readonly engines: Engines; readonly placement: Placement },
): Promise<string | undefined> {
  return at.placement.problemOf(at.engines.requestsOf(spec), namespace, dataClaimNames(name, spec.replicas));
}
