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

/** Where WAL still waits the storage is away, and a backup would fail as well. */
export function afterGap({ database, runs, note, now }: GapLook): GapStep {
  if (note?.gap === undefined || note.state !== "Arriving" || database === undefined || !isBackedUp(database))
    return none;
  const { gap } = note;
  const after = runs.filter(({ createdAt }) => isSince(createdAt, gap.at));
  if (runs.some(({ state }) => state === "running") || after.some(({ state }) => state === "succeeded")) return none;
  const failedAt = Math.max(...after.map(({ finishedAt }) => (finishedAt === undefined ? 0 : Date.parse(finishedAt))));
  const left = failedAt + againMs - now.getTime();
  if (left > 0) return { kind: "later", afterMs: left };
  const taken = new Set(runs.map(({ name }) => name));
  for (let attempt = 0; ; attempt++) {
    const job = gapBackupJobName(database.metadata.name, gap, attempt);
    if (!taken.has(job)) return { kind: "begin", job };
  }
}

const isBackedUp = ({ metadata, parsed }: ObservedDatabase): boolean =>
  metadata.deletionTimestamp === undefined && parsed.ok && parsed.database.spec.backup.enabled;
