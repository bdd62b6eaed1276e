// A Database and its revisions, as the cluster has them.
import type { DatabaseRevision } from "../../operator/api/revisions/object";
import { kinds } from "../cluster/paths";
import { ofDatabase } from "../cluster/of-database";
import { databaseIfAny, listed, noSuch } from "../cluster/read";
import { invocation } from "../command/name";
import { Trouble } from "../command/trouble";
import type { Cluster } from "../command/world";
import { databaseIn } from "../objects/database";
import { revisionsOf } from "../objects/revision";

export interface Past {
  /** Undefined where it does not exist any more. */
  readonly database: unknown;
  /** The newest first. */
  readonly revisions: readonly DatabaseRevision[];
  readonly objects: readonly unknown[];
}

/** Throws a Trouble where there never was one of the name. */
export async function pastOf(cluster: Cluster, namespace: string, name: string): Promise<Past> {
  const [database, objects] = await Promise.all([
    databaseIfAny(cluster, namespace, name),
    ofDatabase(name, (query) => listed(cluster, kinds.revisions, { namespace, query })),
  ]);
  const revisions = revisionsOf(objects, name, databaseIn(database)?.metadata.uid);
  if (database === undefined && revisions.length === 0) throw await noSuch(cluster, namespace, name);
  const names = new Set(revisions.map(({ metadata }) => metadata.name));
  return { database, revisions, objects: objects.filter((object) => names.has(nameOf(object))) };
}

const nameOf = (object: unknown): string => databaseIn(object)?.metadata.name ?? "";

/** Throws a Trouble that says which there are. */
export function revisionNumbered(revisions: readonly DatabaseRevision[], number: number): DatabaseRevision {
  const found = revisions.find(({ spec }) => spec.revision === number);
  if (found !== undefined) return found;
  const [newest, oldest] = [revisions[0], revisions.at(-1)];
  const there =
    newest === undefined || oldest === undefined
      ? "there is none yet"
      : `there are ${oldest.spec.revision} to ${newest.spec.revision}`;
  throw new Trouble(`there is no revision ${number}`, [
    there,
    `${invocation} history ${newest?.spec.database ?? "NAME"}`,
  ]);
}
