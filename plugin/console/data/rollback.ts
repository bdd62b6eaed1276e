// What it would do to go back to a revision, by the operator's word. Nothing is written.
import type { DatabaseRevision } from "../../../operator/api/revisions/object";
import type { Cluster } from "../../command/world";
import { judgeRollback, type Rollback } from "../../rollback/judge";
import { keeperOf, type Keeper } from "../../rollback/keeper";
import { previewOfSpec, specIn, type Edited } from "./edit";
import type { Place } from "./read";

export interface WayBack {
  readonly found: Rollback;
  /** Which tool would write over it; undefined where none is known to. */
  readonly keeper: Keeper | undefined;
  /** Undefined where nothing is there to be previewed. */
  readonly edited: Edited | undefined;
}

interface Back {
  /** The Database as it is. */
  readonly object: unknown;
  readonly to: DatabaseRevision;
  readonly keepsVersion: boolean;
}

export async function wayBack(cluster: Cluster, place: Place, { object, to, keepsVersion }: Back): Promise<WayBack> {
  const found = judgeRollback({ spec: specIn(object), to, keepsVersion });
  const edited =
    found.kind === "possible" ? await previewOfSpec(cluster, place, { object, spec: found.spec }) : undefined;
  return { found, keeper: keeperOf(object), edited };
}
