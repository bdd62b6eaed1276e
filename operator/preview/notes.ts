// What a person should know before reading a preview on.
import { finalizer } from "../api/lifecycle";
import type { DatabaseMetadata } from "../api/object";
import type { DatabaseSpec } from "../api/spec";
import type { Consequence } from "../consequences/consequence";
import type { DeletedBy } from "../consequences/deletion";
import { isStopped, type Upgrade } from "../domain/upgrade";
import type { Look } from "../reconcile/drift";
import { drillsRefusal } from "../reconcile/drills";
import { phaseText } from "../reconcile/upgrade-texts";

/** Of a change: what is asked for, what is made of that, and what there is. */
export interface Noted {
  readonly spec: DatabaseSpec;
  readonly desired: DatabaseSpec;
  /** What a major upgrade leads to. */
  readonly upgrade: readonly Consequence[];
  readonly look: Look;
}

export function notesOn({ spec, desired, upgrade, look }: Noted): string[] {
  const refusal = drillsRefusal(spec, desired);
  return [
    ...(refusal === undefined ? [] : [refusal]),
    ...upgrade.map(({ message }) => message),
    ...(desired.storage === spec.storage
      ? []
      : [`the data volumes have grown to ${desired.storage} by themselves: they stay so, whatever spec.storage says`]),
    ...(spec.paused ? ["spec.paused is true: the operator does the following only once it is false"] : []),
    ...(look.state === "unreadable" ? [rebuildNote] : []),
    ...look.terminating.map((child) => `${child} is being deleted, and is created again once it is gone`),
  ];
}

/** What is said where there is a state that cannot be read. */
export const rebuildNote =
  "the stored state cannot be read: it is rebuilt, and what is to be created below may already exist, and is adopted unchanged";

/** Of a deletion. */
export interface NotedDeletion {
  readonly metadata: Pick<DatabaseMetadata, "deletionTimestamp" | "finalizers">;
  readonly by: DeletedBy;
  readonly upgrade: Upgrade | undefined;
}

export function deletionNotes({ metadata: { deletionTimestamp, finalizers }, by, upgrade }: NotedDeletion): string[] {
  return [
    ...(deletionTimestamp === undefined ? [] : [`it is being deleted already, since ${deletionTimestamp}`]),
    ...(by === "Namespace" ? ["the namespace is being deleted, and all data in it, whatever deletionPolicy says"] : []),
    ...(by === "Snapshot" && isStopped(upgrade) ? [stoppedNote(upgrade)] : []),
    ...(finalizers.includes(finalizer) ? [] : ["the operator never created anything for it"]),
  ];
}

const stoppedNote = (upgrade: Upgrade): string =>
  `no member serves, of which a last backup could be taken: first the major upgrade goes the rest of its way (${phaseText(upgrade)})`;
