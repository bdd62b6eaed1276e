// Whether a backup is taken because WAL was given up, so that no restore of the ones before gets past that: pure.
import { gapBackupJobName } from "../../components/naming";
import type { ArchiveNote } from "../../contract/archive-note";
import type { BackupRun } from "../domain/backups";
import type { ObservedDatabase } from "../domain/observed-database";
import { isSince } from "../reconcile/archive";

/** How long after an attempt that failed another one is made, in milliseconds. Each has attempts of its own, some minutes long. */
const againMs = 10 * 60_000;

/** What decides it. */
export interface GapLook {
  /** Undefined where there is no Database of the name. */
  readonly database: ObservedDatabase | undefined;
  readonly runs: readonly BackupRun[];
  /** What the primary says; undefined while none does. */
  readonly note: ArchiveNote | undefined;
  readonly now: Date;
}

/** What comes of it; a Job that has ended, and a primary that says something else, are told by watches. */
export type GapStep =
  | { readonly kind: "none" }
  | { readonly kind: "begin"; readonly job: string }
  | { readonly kind: "later"; readonly afterMs: number };

const none: GapStep = { kind: "none" };

/** See the header. */
export function afterGap({ database, runs, note, now }: GapLook): GapStep {
  const gap = closableIn(note);
  if (gap === undefined || database === undefined || !isBackedUp(database)) return none;
  const after = runs.filter(({ createdAt }) => isSince(createdAt, gap.at));
  if (runs.some(({ state }) => state === "running") || after.some(({ state }) => state === "succeeded")) return none;
  const failedAt = Math.max(...after.map(({ finishedAt }) => (finishedAt === undefined ? 0 : Date.parse(finishedAt))));
  const left = failedAt + againMs - now.getTime();
  return left > 0
    ? { kind: "later", afterMs: left }
    : { kind: "begin", job: nextJob(database.metadata.name, gap, runs) };
}

type Gap = NonNullable<ArchiveNote["gap"]>;

/** Where WAL still waits the storage is away, and a backup would fail as well. */
const closableIn = (note: ArchiveNote | undefined): Gap | undefined =>
  note?.state === "Arriving" ? note.gap : undefined;

/** The first attempt that has not been made. */
function nextJob(database: string, gap: Gap, runs: readonly BackupRun[]): string {
  const made = new Set(runs.map(({ name }) => name));
  for (let attempt = 0; ; attempt++) {
    const job = gapBackupJobName(database, gap, attempt);
    if (!made.has(job)) return job;
  }
}

const isBackedUp = ({ metadata, parsed }: ObservedDatabase): boolean =>
  metadata.deletionTimestamp === undefined && parsed.ok && parsed.database.spec.backup.enabled;
