// What the controller of DatabaseRevisions needs of the world; kube provides it, tests hand in their own.
import type { DatabaseRevision } from "../api/revisions/object";
import type { RevisionSpec } from "../api/revisions/spec";
import type { RevisionStatus } from "../api/revisions/status";
import type { Key } from "../domain/key";
import type { Observation } from "../domain/members";
import type { ObservedDatabase } from "../domain/observed-database";
import type { Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import type { WrittenStatus } from "../domain/status-write";

/** One that is to be made. */
export interface NewRevision {
  readonly namespace: string;
  readonly name: string;
  /** The Database that owns it. */
  readonly owner: { readonly name: string; readonly uid: string };
  readonly spec: RevisionSpec;
}

/** Writes of DatabaseRevisions. What is gone meanwhile, or not known to the cluster, is no error. */
export interface RevisionWrites {
  /** Makes it, where there is none of that name. False where none can be made now: the kind was removed, or the namespace ends. */
  create(revision: NewRevision): Promise<boolean>;
  remove(revision: DatabaseRevision): Promise<void>;
  /** Undefined where the object is gone. */
  writeStatus(
    revision: DatabaseRevision,
    statusAfter: (previous: RevisionStatus) => RevisionStatus,
  ): Promise<WrittenStatus<RevisionStatus> | undefined>;
}

/** Reads are from memory. */
export interface HistoryPorts {
  /** The DatabaseRevisions of a Database, or of the name of one; undefined while they are not known. */
  revisions(database: Key): readonly DatabaseRevision[] | undefined;
  database(key: Key): ObservedDatabase | undefined;
  observe(key: Key): Observation;
  /** What the reconcile read or saved last; undefined where it has done neither. */
  record(key: Key): Pick<StackRecord, "uid" | "history"> | undefined;
  /** How its last turn went; undefined where there was none. */
  outcome(key: Key): Outcome | undefined;
  /** Whether a turn of its reconcile is at work that may run. */
  isAtWork(key: Key): boolean;
  readonly writes: RevisionWrites;
  readonly now: () => Date;
}
