// What became of a Database: its revisions, as the person may read them.
import type { DatabaseRevision } from "../../../operator/api/revisions/object";
import { kinds } from "../../cluster/paths";
import { listedIfAllowed } from "../../cluster/read";
import type { Cluster } from "../../command/world";
import { revisionsOf } from "../../objects/revision";
import type { Found } from "./read";

export interface History {
  /** The newest first. */
  readonly revisions: readonly DatabaseRevision[];
  /** Why they are not shown; undefined where they are. */
  readonly missing: string | undefined;
}

export async function historyOf(cluster: Cluster, { database }: Found): Promise<History> {
  const { namespace, name, uid } = database.metadata;
  const { items, missing } = await listedIfAllowed(cluster, kinds.revisions, { namespace });
  return { revisions: revisionsOf(items, name, uid), missing };
}
