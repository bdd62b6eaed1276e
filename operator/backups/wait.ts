// Why a backup that a person asks for does not begin, and what to do about it: pure.
import type { DatabaseBackup } from "../api/backups/object";
import type { BackupRun } from "../domain/backups";
import type { ObservedDatabase } from "../domain/observed-database";

/** What a backup waits for. */
export interface Wait {
  readonly reason: "BackupPending" | "BackupDisabled" | "DatabaseMissing";
  readonly message: string;
  /** Whether a person must act. */
  readonly isStalled: boolean;
}

/** What decides whether one may begin. */
export interface Circumstances {
  /** Undefined where there is no Database of the name. */
  readonly database: ObservedDatabase | undefined;
  readonly runs: readonly BackupRun[];
}

/** Undefined where it may begin. A pause is about changes: a Database that is paused is backed up, as by its schedule. */
export function waitOf(
  { spec: { database: name } }: DatabaseBackup,
  { database, runs }: Circumstances,
): Wait | undefined {
  if (database === undefined)
    return missingDatabase(`there is no Database ${name} in this namespace: create it, or delete this DatabaseBackup`);
  if (database.metadata.deletionTimestamp !== undefined)
    return missingDatabase(`Database ${name} is being deleted: no more backups are taken of it but the last one`);
  const { parsed } = database;
  if (parsed.ok && !parsed.database.spec.backup.enabled) {
    const message = `spec.backup.enabled of Database ${name} is false: set it to true, or delete this DatabaseBackup`;
    return { reason: "BackupDisabled", isStalled: true, message };
  }
  const running = runs.find(({ state }) => state === "running");
  return running && { ...pending, message: `two backups never run at once: it waits for Job ${running.name} to end` };
}

const missingDatabase = (message: string): Wait => ({ reason: "DatabaseMissing", isStalled: true, message });

const pending = { reason: "BackupPending", isStalled: false } as const;

/** The CronJob, which all Jobs are made from, is created by a run. */
export const waitForCronJob = ({ spec }: DatabaseBackup): Wait => ({
  ...pending,
  message: `Database ${spec.database} has no CronJob yet to take it from: its first run creates it. See the Database's conditions`,
});

/** The API server takes no Job now; it may later. */
export const waitForRefusal = (message: string): Wait => ({
  reason: "BackupPending",
  isStalled: true,
  message: `the API server refuses its Job: ${message}`,
});
