// Whether a backup is taken beside the schedule: because WAL was given up, so that no restore of the ones before gets past that, or because one failed. Pure.
import { gapBackupJobName, isGapBackupJobName } from "../../components/naming";
import type { ArchiveNote } from "../../contract/archive-note";
import { keepsLogs } from "../api/point-in-time";
import type { BackupRun } from "../domain/backups";
import type { ObservedDatabase } from "../domain/observed-database";
import { gapToldIn, isSince } from "../reconcile/archive";
import { firstUnmade, isStorageAway, retryAfter } from "../reconcile/backup-retries";

/** How long after an attempt that failed another one is made, in milliseconds. Each has attempts of its own, some minutes long. */
const againMs = 10 * 60_000;

/** How long after a backup on a volume that a gap made necessary another gap makes none: else gaps that come again and again would use up retention. */
const nextGapMs = 6 * 3_600_000;

/** What decides it. */
export interface OwnLook {
  /** Undefined where there is no Database of the name. */
  readonly database: ObservedDatabase | undefined;
  readonly runs: readonly BackupRun[];
  /** What the primary says of the archive; undefined while none does, or where there is none. */
  readonly note: ArchiveNote | undefined;
  readonly now: Date;
}

/** What comes of it; a Job that has ended, and a primary that says something else, are told by watches. */
export type OwnStep =
  | { readonly kind: "none" }
  | { readonly kind: "begin"; readonly job: string }
  | { readonly kind: "later"; readonly afterMs: number };

const none: OwnStep = { kind: "none" };

/** Because WAL was given up. */
export function afterGap({ database, runs, note, now }: OwnLook): OwnStep {
  if (database === undefined || !isBackedUp(database)) return none;
  const gap = closableIn(note, database);
  if (gap === undefined) return none;
  const after = runs.filter(({ createdAt }) => isSince(createdAt, gap.at));
  if (runs.some(({ state }) => state === "running") || after.some(({ state }) => state === "succeeded")) return none;
  const failedAt = Math.max(...after.map(({ finishedAt }) => (finishedAt === undefined ? 0 : Date.parse(finishedAt))));
  const left = Math.max(failedAt + againMs, restsUntil(database, runs)) - now.getTime();
  return left > 0
    ? { kind: "later", afterMs: left }
    : { kind: "begin", job: jobFor(database.metadata.name, gap, runs) };
}

/** Whether what changes between backups is kept beside them. */
const isOnVolume = ({ parsed }: Pick<ObservedDatabase, "parsed">): boolean =>
  parsed.ok && keepsLogs(parsed.database.spec);

/** For backups on a volume, of which each takes up as much as all data. In milliseconds. */
function restsUntil({ metadata: { name }, parsed }: ObservedDatabase, runs: readonly BackupRun[]): number {
  if (!isOnVolume({ parsed })) return -Infinity;
  const taken = runs.filter((run) => run.state === "succeeded" && isGapBackupJobName(name, run.name));
  return Math.max(...taken.map(({ createdAt }) => Date.parse(createdAt) + nextGapMs));
}

/** Because one failed. Those of a person are not tried again: the person sees it. */
export function afterFailure({ database, runs, note, now }: OwnLook): OwnStep {
  if (database === undefined || !isBackedUp(database) || isStorageAway(note, isOnVolume(database))) return none;
  const retry = retryAfter(database.metadata.name, runs);
  if (retry.kind !== "due") return none;
  const left = retry.at.getTime() - now.getTime();
  return left > 0 ? { kind: "later", afterMs: left } : { kind: "begin", job: retry.job };
}

type Gap = NonNullable<ArchiveNote["gap"]>;

/**
 * Where WAL still waits the storage is away, and a backup would fail as well. A primary knows its own only: what was said of a former one counts. Of
 * what is kept on a volume each knows all.
 */
function closableIn(note: ArchiveNote | undefined, { status, parsed }: ObservedDatabase): Gap | undefined {
  if (note?.state !== "Arriving") return undefined;
  if (note.gap !== undefined || isOnVolume({ parsed })) return note.gap;
  return gapToldIn(status.conditions?.find(({ type }) => type === "ArchiveReady"));
}

const jobFor = (database: string, gap: Gap, runs: readonly BackupRun[]): string =>
  firstUnmade((attempt) => gapBackupJobName(database, gap, attempt), runs);

const isBackedUp = ({ metadata, parsed }: ObservedDatabase): boolean =>
  metadata.deletionTimestamp === undefined && parsed.ok && parsed.database.spec.backup.enabled;
