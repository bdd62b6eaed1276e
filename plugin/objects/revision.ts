// DatabaseRevisions as verbs read them.
import { parseRevision, type DatabaseRevision } from "../../operator/api/revisions/object";

/** Those of a Database, the newest first. `uid`: of the Database; undefined where it is gone, and those that are left count. */
export function revisionsOf(
  objects: readonly unknown[],
  name: string,
  uid: string | undefined,
): readonly DatabaseRevision[] {
  return objects
    .flatMap((object) => parseRevision(object) ?? [])
    .filter(({ spec, owner }) => spec.database === name && (uid === undefined || owner === uid))
    .sort(newestFirst);
}

/** Of one Database by their numbers, for operators have clocks of their own. */
function newestFirst(a: DatabaseRevision, b: DatabaseRevision): number {
  if (a.owner === b.owner && a.owner !== "") return b.spec.revision - a.spec.revision;
  return a.spec.at > b.spec.at ? -1 : Number(a.spec.at < b.spec.at);
}

/** Who asked for it, as far as that is known. */
export function askerOf({ spec: { origin, author, manager } }: DatabaseRevision): string {
  if (origin === "Platform") return "the platform";
  return author ?? manager ?? "–";
}
