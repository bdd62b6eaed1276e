// What the controller of DatabaseBackups needs of the world; kube provides it, tests hand in their own.
import type { ArchiveNote } from "../../contract/archive-note";
import type { DatabaseBackup } from "../api/backups/object";
import type { BackupStatus } from "../api/backups/status";
import type { BackupRun } from "../domain/backups";
import type { Drill } from "../domain/drills";
import type { Key, Place } from "../domain/key";
import type { ObservedDatabase } from "../domain/observed-database";
import type { WrittenStatus } from "../domain/status-write";
import type { LostBackup } from "./lost";

/** What became of a wish to begin a backup. */
export type Begun =
  | { readonly kind: "begun"; readonly run: BackupRun }
  /** There is no CronJob to make its Job from. */
  | { readonly kind: "no CronJob" }
  /** A person has suspended the CronJob. */
  | { readonly kind: "suspended" }
  /** The API server does not take the Job, in its own words. */
  | { readonly kind: "refused"; readonly message: string };

/** A Job that takes a backup beside the schedule. */
export interface JobWish {
  readonly namespace: string;
  readonly database: string;
  readonly job: string;
  /** The DatabaseBackup that asks for it; missing where the operator does. */
  readonly requestedBy?: string;
  /** Whether it is not made while the CronJob is suspended. Default: a backup is taken all the same. */
  readonly unlessSuspended?: true;
}

/** Writes of DatabaseBackups and of their Jobs. What is gone meanwhile, or not known to the cluster, is no error. */
export interface BackupWrites {
  /** Makes the object that records a Job, where there is none. False where none can be made now: the kind was removed, or the namespace ends. */
  record(run: BackupRun): Promise<boolean>;
  /** The same for a backup of which no Job tells. */
  recordFound(lost: LostBackup): Promise<boolean>;
  /** Makes a Job from the CronJob of its Database; the same one however often it is asked for. */
  begin(wish: JobWish): Promise<Begun>;
  /** The Job of that name as the API server has it, past the watch's copy; undefined where there is none. */
  findRun(place: Place): Promise<BackupRun | undefined>;
  /** Deletes the object, and nothing else. */
  remove(backup: DatabaseBackup): Promise<void>;
  /** Undefined where the object is gone. */
  writeStatus(
    backup: DatabaseBackup,
    statusAfter: (previous: BackupStatus) => BackupStatus,
  ): Promise<WrittenStatus<BackupStatus> | undefined>;
}

/** Reads are from memory. */
export interface BackupPorts {
  /** The DatabaseBackups of a Database, or of the name of one; undefined while they are not known. */
  backups(database: Key): readonly DatabaseBackup[] | undefined;
  /** The Jobs that take backups of a Database, or took some. */
  runs(database: Key): readonly BackupRun[];
  /** The restore drills of a Database that have ended, the latest first. */
  drills(database: Key): readonly Drill[];
  database(key: Key): ObservedDatabase | undefined;
  /** What the primary says of its archive; undefined while none does, or where there is none. */
  archive(database: Key): ArchiveNote | undefined;
  readonly writes: BackupWrites;
  readonly now: () => Date;
}
