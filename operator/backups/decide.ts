// What is to be done for the backups of one Database: pure, and the same again after a crash between any two writes.
import { backupJobAnnotation, manualBackupJobName } from "../../components/naming";
import { foundIn } from "./found";
import type { DatabaseBackup } from "../api/backups/object";
import { stampIn, stampOfRun, type BackupRun } from "../domain/backups";
import type { ObservedDatabase } from "../domain/observed-database";
import { isFinal } from "./status";

/** What is known of the backups of one Database. */
export interface Look {
  /** Undefined where there is no Database of the name. */
  readonly database: ObservedDatabase | undefined;
  /** Jobs, those that have ended too. */
  readonly runs: readonly BackupRun[];
  /** With their statuses as they were written last. */
  readonly backups: readonly DatabaseBackup[];
}

/** How many failed backups stay that no person asked for, the newest. */
const mostFailed = 3;

/** The uid of the Job that an object records, where the operator made it; undefined for one that a person made. */
const jobOf = ({ metadata }: DatabaseBackup): string | undefined => metadata.annotations[backupJobAnnotation];

/** The Job of a backup. */
export function runOf(backup: DatabaseBackup, runs: readonly BackupRun[]): BackupRun | undefined {
  const { metadata, spec } = backup;
  const uid = jobOf(backup);
  if (uid !== undefined) return runs.find((run) => run.uid === uid);
  const name = manualBackupJobName(spec.database, metadata.uid);
  return runs.find((run) => run.name === name && run.requestedBy === metadata.name);
}

/**
 * Jobs that no object records, the oldest first. One that is older than a recorded one has been recorded itself: its object was
 * deleted, by a person or with the data, and does not come back. Nor does that of a Job that a person's object asked for, or of one
 * whose data retention has removed: the Job of the first backup stays.
 */
export function unrecorded({ database, runs, backups }: Look): BackupRun[] {
  // with the Database go its Jobs; and where its data go, their records go last
  if (database === undefined || (isGoing(database) && database.deletionPolicy === "Delete")) return [];
  const told = new Set(backups.map(jobOf));
  const marks = backups.filter((backup) => jobOf(backup) !== undefined).map(stampOf);
  const latest = marks.sort().at(-1) ?? "";
  return runs
    .filter((run) => run.requestedBy === undefined && !told.has(run.uid) && stampOfRun(run) >= latest)
    .filter(({ report }) => !isRemoved(report, latestReported(runs)?.report))
    .sort((one, other) => compare(one.createdAt, other.createdAt) || compare(one.name, other.name));
}

/**
 * Objects of what is gone: backups that retention removed, and failures that newer ones follow. What retention left is known from the newest
 * backup, and acted on before that is recorded: of one that is no longer kept, the data stay until the next.
 */
export function outdated({ database, runs, backups }: Look): DatabaseBackup[] {
  if (database === undefined) return [];
  const news = newsOf({ database, runs, backups });
  const removed = backups.filter((backup) => runOf(backup, runs) !== news && isBefore(backup, news?.report));
  const failed = backups
    // what is damaged has data, and goes with them
    .filter(({ status }) => status.phase === "Failed" && status.label === undefined)
    .filter((backup) => jobOf(backup) !== undefined && !backup.spec.keep)
    .sort((one, other) => compare(stampOf(other), stampOf(one)) || compare(other.metadata.name, one.metadata.name));
  return [...removed, ...failed.slice(mostFailed)].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** The newest backup, while its object does not tell yet what its program reported. */
export function newsOf({ runs, backups }: Look): BackupRun | undefined {
  const newest = latestReported(runs);
  const its = newest && backups.find((backup) => runOf(backup, runs)?.uid === newest.uid);
  return its !== undefined && its.status.label !== newest?.report?.backup ? newest : undefined;
}

/** When the Job of one that the operator made was created. */
const stampOf = ({ metadata, spec }: DatabaseBackup): string => stampIn(metadata.name, spec.database);

/** Labels of one Database sort by time. */
const latestReported = (runs: readonly BackupRun[]): BackupRun | undefined =>
  runs
    .filter(({ report }) => report !== undefined)
    .sort((one, other) => compare(one.report?.backup ?? "", other.report?.backup ?? ""))
    .at(-1);

/** Whether retention has removed the data: only those of the same cluster, so that nothing that is there counts as gone. */
function isBefore({ spec, status }: DatabaseBackup, report: BackupRun["report"]): boolean {
  if (spec.keep || status.label === undefined || report?.oldest === undefined || report.cluster === undefined)
    return false;
  return status.cluster === report.cluster && isSamePlace(status, report) && status.label < report.oldest;
}

/** The same of a Job by what it reported itself. */
const isRemoved = (own: BackupRun["report"], newest: BackupRun["report"]): boolean =>
  own?.backup !== undefined &&
  newest?.oldest !== undefined &&
  newest.cluster !== undefined &&
  own.cluster === newest.cluster &&
  own.location === newest.location &&
  own.backup < newest.oldest;

/** What a later backup found: that this one, or the complete one that it needs, is damaged where it lies. Undefined: nothing of the kind. */
export function damageOf({ status }: DatabaseBackup, runs: readonly BackupRun[]): string | undefined {
  const { report } = latestReported(runs) ?? {};
  if (status.label === undefined || report?.damaged === undefined || status.cluster === undefined) return undefined;
  if (status.cluster !== report.cluster || !isSamePlace(status, report)) return undefined;
  return report.damaged.find((label) => label === status.label || label === status.base);
}

/** Retention knows one place: what lies elsewhere is left as it is. Volumes are not told in reports. */
const isSamePlace = (
  { location = "volume " }: DatabaseBackup["status"],
  report: NonNullable<BackupRun["report"]>,
): boolean => (report.location === undefined ? location.startsWith("volume ") : location === report.location);

/** Backups that have not begun, the oldest first. */
export const waiting = ({ backups, runs }: Look): DatabaseBackup[] =>
  backups
    .filter((backup) => !isFinal(backup.status) && !hasBegun(backup) && runOf(backup, runs) === undefined)
    .filter((backup) => foundIn(backup) === undefined)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort(
      (one, other) =>
        compare(one.metadata.creationTimestamp ?? "", other.metadata.creationTimestamp ?? "") ||
        compare(one.metadata.name, other.metadata.name),
    );

/** Backups whose Job the watch does not show, though they have begun. */
export const missing = ({ backups, runs }: Look): DatabaseBackup[] =>
  backups.filter((backup) => !isFinal(backup.status) && hasBegun(backup) && runOf(backup, runs) === undefined);

const hasBegun = (backup: DatabaseBackup): boolean => jobOf(backup) !== undefined || backup.status.job !== undefined;

const isGoing = ({ metadata }: ObservedDatabase): boolean => metadata.deletionTimestamp !== undefined;

/** By code units, as labels and names are sorted everywhere. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
