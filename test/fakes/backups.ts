// Backups of the Database `team/shop` in memory: its DatabaseBackups, its Jobs, and an operator that may die at any write.
import { backupJobAnnotation, foundBackupAnnotation } from "../../components/naming";
import type { ArchiveNote } from "../../contract/archive-note";
import { foundText } from "../../operator/backups/found";
import type { DatabaseBackup } from "../../operator/api/backups/object";
import { backupStatusIn } from "../../operator/api/backups/stored-status";
import type { BackupStatus } from "../../operator/api/backups/status";
import { createBackupController } from "../../operator/backups/controller";
import type { BackupPorts, BackupWrites } from "../../operator/backups/ports";
import { otherRecordNameOf, recordNameOf, type BackupRun } from "../../operator/domain/backups";
import type { Drill } from "../../operator/domain/drills";
import { ObservedDatabase } from "../../operator/domain/observed-database";
import type { Next } from "../../operator/queue/queue";
import { databaseObject, type FakeObject } from "./ports";

/** A Job of the schedule that has succeeded. */
export function runOf(day: number, some: Partial<BackupRun> = {}): BackupRun {
  const date = `2026-01-${String(day).padStart(2, "0")}`;
  return {
    ...{ name: `shop-backup-${day}`, database: "shop", namespace: "team", component: "backup", uid: `job ${day}` },
    ...{ state: "succeeded", createdAt: `${date}T02:00:00Z`, finishedAt: `${date}T02:05:00Z` },
    ...{ engine: "postgresql", isManual: false },
    ...some,
  };
}

export const labelOf = (day: number): string => `shop-202601${String(day).padStart(2, "0")}T020003Z`;

/** The same, with what its program said. */
export function reported(day: number, oldest = day, some: Partial<BackupRun> = {}): BackupRun {
  const startedAt = `2026-01-${String(day).padStart(2, "0")}T02:00:03Z`;
  const report = { backup: labelOf(day), startedAt, bytes: 3 * 1024 ** 2, cluster: "c", oldest: labelOf(oldest) };
  return runOf(day, { backup: report.backup, report: { ...report, member: "shop-1", version: "17.6" }, ...some });
}

/** A backup that a person asks for. */
export const asked = (name: string, keep = false): DatabaseBackup => ({
  metadata: {
    ...{ name, namespace: "team", uid: `00000000-${name}`, resourceVersion: "1", generation: 1 },
    ...{ creationTimestamp: "2026-01-09T10:00:00Z", finalizers: [], labels: {}, annotations: {} },
  },
  spec: { database: "shop", keep },
  status: {},
});

/** What is thrown where the operator dies. */
export class Died extends Error {}

export class FakeBackups {
  database: FakeObject | undefined = databaseObject();
  runs: BackupRun[] = [];
  /** Restore drills that have ended. */
  drills: Drill[] = [];
  readonly objects = new Map<string, DatabaseBackup>();
  /** What the primary says of its archive. */
  archive: ArchiveNote | undefined;
  hasCronJob = true;
  isSuspended = false;
  refusal: string | undefined;
  /** Whether the watches show DatabaseBackups. */
  isKnown = true;
  /** Whether the kind was removed from the cluster. */
  isRemoved = false;
  /** Jobs that are there and that the watch does not show. */
  readonly hidden: BackupRun[] = [];
  now = new Date("2026-01-10T12:00:00Z");
  /** How many more writes succeed before the operator dies; and whether the last of them arrives, and only its answer is lost. */
  writesLeft = Number.POSITIVE_INFINITY;
  losesAnswer = false;
  readonly begun: string[] = [];
  readonly errors: unknown[] = [];
  #controller = this.#start();

  ask(backup: DatabaseBackup): void {
    this.objects.set(backup.metadata.name, backup);
  }

  change(name: string, change: (backup: DatabaseBackup) => DatabaseBackup): void {
    const backup = this.objects.get(name);
    if (backup !== undefined) this.objects.set(name, change(backup));
  }

  /** A person keeps it, or does no longer. */
  keep(name: string, keep: boolean): void {
    this.change(name, ({ metadata, spec, status }) => ({
      metadata: { ...metadata, generation: metadata.generation + 1 },
      spec: { ...spec, keep },
      status,
    }));
  }

  status(name: string): BackupStatus {
    return this.objects.get(name)?.status ?? {};
  }

  get names(): string[] {
    return [...this.objects.keys()].sort();
  }

  turn(): Promise<Next> {
    return this.#controller("team/shop");
  }

  /** Turns until nothing changes any more. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 20; turns++) {
      const before = JSON.stringify([...this.objects]);
      await this.turn();
      if (JSON.stringify([...this.objects]) === before) return;
    }
    throw new Error("it does not come to rest");
  }

  /** Another operator takes over, which remembers nothing. */
  restart(): void {
    this.writesLeft = Number.POSITIVE_INFINITY;
    this.#controller = this.#start();
  }

  #start(): ReturnType<typeof createBackupController> {
    return createBackupController(this.#ports(), {
      onError: (_key, error) => this.errors.push(error),
      onBegun: ({ name, requestedBy }) => this.begun.push(requestedBy ?? name),
    });
  }

  #ports(): BackupPorts {
    return {
      backups: () => (this.isKnown ? [...this.objects.values()] : undefined),
      runs: () => this.runs.filter((run) => !this.hidden.includes(run)),
      drills: () => this.drills,
      database: () => this.database && new ObservedDatabase(this.database),
      archive: () => this.archive,
      writes: this.#writes(),
      now: () => this.now,
    };
  }

  /** Carries a write out, as long as the operator lives. */
  #write<T>(act: () => T): Promise<T> {
    if (this.writesLeft <= 0) return Promise.reject(new Died());
    this.writesLeft--;
    const done = act();
    return this.writesLeft <= 0 && this.losesAnswer ? Promise.reject(new Died()) : Promise.resolve(done);
  }

  #writes(): BackupWrites {
    return {
      record: (run) =>
        this.#write(() => {
          if (this.isRemoved) return false;
          for (const name of [recordNameOf(run), otherRecordNameOf(run)]) {
            const existing = this.objects.get(name)?.metadata.annotations[backupJobAnnotation];
            if (existing === run.uid) return true;
            if (this.objects.has(name)) continue;
            const { metadata, ...rest } = asked(name);
            this.ask({ ...rest, metadata: { ...metadata, annotations: { [backupJobAnnotation]: run.uid } } });
            return true;
          }
          return false;
        }),
      recordFound: ({ name, found }) =>
        this.#write(() => {
          if (this.isRemoved) return false;
          const { metadata, ...rest } = asked(name);
          const annotations = { [foundBackupAnnotation]: foundText(found) };
          if (!this.objects.has(name)) this.ask({ ...rest, metadata: { ...metadata, annotations } });
          return true;
        }),
      begin: ({ job, requestedBy, unlessSuspended }) => {
        if (this.isSuspended && unlessSuspended === true) return Promise.resolve({ kind: "suspended" });
        if (this.refusal !== undefined) return Promise.resolve({ kind: "refused", message: this.refusal });
        if (!this.hasCronJob) return Promise.resolve({ kind: "no CronJob" });
        return this.#write(() => {
          const existing = this.runs.find((run) => run.name === job);
          const some = {
            name: job,
            uid: `job ${job}`,
            state: "running",
            isManual: true,
            ...(requestedBy !== undefined && { requestedBy }),
          } as const;
          const run = existing ?? { ...runOf(9, some), finishedAt: undefined };
          if (existing === undefined) this.runs.push(run);
          return { kind: "begun", run } as const;
        });
      },
      findRun: ({ name }) => Promise.resolve(this.runs.find((run) => run.name === name)),
      remove: ({ metadata }) => this.#write(() => void this.objects.delete(metadata.name)),
      writeStatus: ({ metadata }, statusAfter) =>
        this.#write(() => {
          const before = this.objects.get(metadata.name);
          if (before === undefined) return undefined;
          // as the API server keeps it
          const status = backupStatusIn(JSON.parse(JSON.stringify(statusAfter(before.status))));
          this.objects.set(metadata.name, { ...before, status });
          return { version: before.metadata.resourceVersion, status };
        }),
    };
  }
}
