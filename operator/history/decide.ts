// Which DatabaseRevisions are missing, and which are too many: pure.
import { mostRevisions, revisionLimits as limits } from "../api/revisions/limits";
import { revisionName, type DatabaseRevision } from "../api/revisions/object";
import type { RevisionSpec } from "../api/revisions/spec";
import type { Place } from "../domain/key";
import type { Revision } from "../domain/records";
import { shortened } from "../domain/shortened";
import type { NewRevision } from "./ports";

/** Those of a Database, not of a former one of that name: the newest first. */
export const ownOf = (revisions: readonly DatabaseRevision[], uid: string): readonly DatabaseRevision[] =>
  revisions
    .filter(({ owner, metadata }) => owner === uid && metadata.deletionTimestamp === undefined)
    .toSorted((left, right) => right.spec.revision - left.spec.revision);

/** Beyond those that are kept. `own`: the newest first. */
export const surplusOf = (own: readonly DatabaseRevision[]): readonly DatabaseRevision[] => own.slice(mostRevisions);

/** Those of the record that are newer than all that there are, the oldest first: one that a person deleted is not made again. */
export function missingOf(
  history: readonly Revision[],
  own: readonly DatabaseRevision[],
  database: Place & { readonly uid: string },
): readonly NewRevision[] {
  const newest = own[0]?.spec.revision ?? 0;
  return history
    .filter(({ revision, told }) => revision > newest && told !== undefined)
    .toReversed()
    .map((revision) => newRevision(revision, database));
}

function newRevision(revision: Revision, { namespace, name, uid }: Place & { readonly uid: string }): NewRevision {
  return {
    namespace,
    name: revisionName(name, uid, revision.revision),
    owner: { name, uid },
    spec: specOf(revision, name),
  };
}

function specOf(
  { revision, at, seconds, summary, by, putBack, restarts, generation, told }: Revision,
  database: string,
): RevisionSpec {
  return {
    ...{ database, revision, at },
    ...(generation !== undefined && { generation }),
    ...(told ?? { origin: "Spec", changes: [] }),
    ...(by !== "" && { manager: shortened(by, limits.user) }),
    summary: shortened(summary, limits.summary),
    runSeconds: Math.round(seconds),
    ...(restarts !== undefined && { restarts: shortened(restarts, limits.summary) }),
    ...(putBack !== undefined && {
      putBack: putBack.slice(0, limits.putBack).map((text) => shortened(text, limits.summary)),
    }),
  };
}
