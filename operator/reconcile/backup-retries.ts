// Whether a backup that nobody asked for by hand is tried again after it failed, and when: pure.
import { againBackupJobName, firstBackupJobName, isScheduledBackupJobName } from "../../components/naming";
import type { ArchiveNote } from "../../contract/archive-note";
import { backupComponent } from "../domain/backups";
import type { JobRun } from "../domain/members";

/** How long after the end of a failed attempt the next one is made, in minutes: a Job has tried four times by itself, within some minutes. */
const pausesMinutes = [10, 30, 90] as const;

/** How many more times one is tried: after that the schedule goes its way. */
export const mostRetries = pausesMinutes.length;

/** What comes of a failure. */
export type Retry =
  /** The last backup succeeded or is running, or a person asked for it. */
  | { readonly kind: "none" }
  | { readonly kind: "due"; readonly job: string; readonly at: Date; readonly attempt: number }
  | { readonly kind: "exhausted" };

/** Of the Jobs of one Database. */
export function retryAfter(database: string, jobs: readonly JobRun[]): Retry {
  const runs = jobs.filter(({ component }) => component === backupComponent);
  const failed = newestOf(runs.filter((run) => isOwn(database, run)));
  if (failed?.state !== "failed") return { kind: "none" };
  const since = runs.filter((run) => run.createdAt >= failed.createdAt);
  if (runs.some(({ state }) => state === "running") || since.some(({ state }) => state === "succeeded"))
    return { kind: "none" };
  const made = new Set(runs.map(({ name }) => name));
  const nameOf = (attempt: number): string => againBackupJobName(database, failed, attempt);
  // the CronJob removes the first ones of many
  const attempt = pausesMinutes.findLastIndex((_, before) => made.has(nameOf(before))) + 1;
  const pause = pausesMinutes[attempt];
  if (pause === undefined) return { kind: "exhausted" };
  const ended = Math.max(...since.map(({ finishedAt, createdAt }) => Date.parse(finishedAt ?? createdAt)));
  return { kind: "due", job: nameOf(attempt), at: new Date(ended + pause * 60_000), attempt: attempt + 1 };
}

/** Of the Jobs of some attempts, by their numbers from 0, the first that is not there. */
export function firstUnmade(nameOf: (attempt: number) => string, runs: readonly JobRun[]): string {
  const made = new Set(runs.map(({ name }) => name));
  for (let attempt = 0; ; attempt++) {
    const job = nameOf(attempt);
    if (!made.has(job)) return job;
  }
}

/** The schedule, or the Database's first one. */
const isOwn = (database: string, { name, requestedBy }: JobRun): boolean =>
  requestedBy === undefined && (name === firstBackupJobName(database) || isScheduledBackupJobName(database, name));

const newestOf = (runs: readonly JobRun[]): JobRun | undefined =>
  runs.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1)).at(-1);

/** Where WAL waits the storage is away, and a backup would fail as well. On a volume it is what keeps it that is away, or slow, and a backup helps. */
export const isStorageAway = (note: ArchiveNote | undefined, isOnVolume: boolean): boolean =>
  note?.state === "Waiting" && !isOnVolume;

/** As the end of the sentence that says that it failed. */
export function retryText(retry: Retry, note: ArchiveNote | undefined, isOnVolume: boolean): string {
  switch (retry.kind) {
    case "none":
      return "";
    case "due": {
      if (isStorageAway(note, isOnVolume)) return ". It is tried again as soon as WAL arrives";
      const at = retry.at.toISOString().replace(/\.\d+Z$/, "Z");
      return `. It is tried again at ${at} (${retry.attempt} of ${mostRetries}); a DatabaseBackup takes one at once`;
    }
    case "exhausted":
      return `. It was tried again ${mostRetries} times: the schedule takes the next one, a DatabaseBackup one at once`;
  }
}
