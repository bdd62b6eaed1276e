// Backups as they are recorded: what is known of the Job of one, and what its DatabaseBackup is called.
import {
  finalBackupJobName,
  firstBackupJobName,
  isAgainBackupJobName,
  isGapBackupJobName,
} from "../../components/naming";
import type { BackupReport } from "../../contract/backup-report";
import type { BackupTrigger } from "../api/backups/status";
import type { JobRun } from "./members";

/** The component of Jobs that take backups, as the label of a child says it. */
export const backupComponent = "backup";

/** A Job that takes a backup. */
export interface BackupRun extends JobRun {
  readonly uid: string;
  /** As its label says it; empty where it says none. */
  readonly engine: string;
  /** Whether a person asked for it, and not the schedule. */
  readonly isManual: boolean;
  /** What its program said when it ended well; missing where it did not, or its pod had gone before it could be asked. */
  readonly report?: BackupReport;
  /** Whether its pod has ended well and said nothing: no report is to come. Missing: it may. */
  readonly isSilent?: true;
}

type Named = Pick<JobRun, "name" | "database" | "createdAt" | "requestedBy">;

/** `20261121t020000` of a time in RFC 3339: as labels are, but that names of objects have no capitals. */
const stampOf = (createdAt: string): string => createdAt.replaceAll(/[-:]|\.\d+|Z$/g, "").toLowerCase();

/** What the DatabaseBackup of a Job is called: a function of the Job alone, so that it is the same however often it is created. */
export function recordNameOf({ name, database, createdAt, requestedBy }: Named): string {
  if (requestedBy !== undefined) return requestedBy;
  const suffixes = new Map([
    [firstBackupJobName(database), "-first"],
    [finalBackupJobName(database), "-final"],
  ]);
  return `${database}-${stampOf(createdAt)}${suffixes.get(name) ?? ""}`;
}

/** The same, where an object that records another Job has that name: two Jobs of one second. */
export const otherRecordNameOf = (run: Named & Pick<BackupRun, "uid">): string =>
  `${recordNameOf(run)}-${run.uid.slice(0, 8)}`;

/** What the DatabaseBackup of a backup is called that was found where it lies: by when it began, which its label ends with. Undefined for another label. */
export function foundRecordNameOf(database: string, label: string): string | undefined {
  const [stamp] = /\d{8}[T-]\d{6}(?=[A-Z]$)/.exec(label) ?? [];
  return stamp && `${database}-${stamp.replace(/[T-]/, "t")}-found`;
}

/** What of a Job tells when it was created, comparable with `stampIn`. */
export const stampOfRun = ({ createdAt }: Pick<JobRun, "createdAt">): string => stampOf(createdAt);

/** When the Job was created that an object with such a name records; empty for another name. */
export const stampIn = (record: string, database: string): string =>
  record.startsWith(`${database}-`) ? (/^\d{8}t\d{6}/.exec(record.slice(database.length + 1))?.[0] ?? "") : "";

/** What asked for the backup that a Job takes. */
export function triggerOf({ name, database, requestedBy, isManual }: BackupRun): BackupTrigger {
  if (name === firstBackupJobName(database)) return "Initial";
  if (name === finalBackupJobName(database)) return "Final";
  if (isGapBackupJobName(database, name)) return "ArchiveGap";
  if (isAgainBackupJobName(database, name)) return "Retry";
  return isManual || requestedBy !== undefined ? "Manual" : "Scheduled";
}
