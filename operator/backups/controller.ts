// One turn of the queue for the backups of one Database: record its Jobs, begin what people ask for, and report how all of them fare.
import { isDeepStrictEqual } from "node:util";
import { manualBackupJobName } from "../../components/naming";
import { foundIn } from "./found";
import type { DatabaseBackup } from "../api/backups/object";
import type { BackupStatus } from "../api/backups/status";
import type { BackupRun } from "../domain/backups";
import { placeOf, type Key } from "../domain/key";
import type { Next } from "../queue/queue";
import { StatusMemory } from "../reconcile/status-memory";
import { damageOf, missing, outdated, runOf, unrecorded, waiting, type Look } from "./decide";
import { withDrill } from "./drills";
import { afterFailure, afterGap, type OwnStep } from "./own";
import { lost } from "./lost";
import type { BackupPorts } from "./ports";
import { backupStatusFor, patienceLeft, type Standing } from "./status";
import { waitForCronJob, waitForRefusal, waitOf } from "./wait";

export interface BackupHooks {
  /** Notified of errors that have no name. */
  readonly onError: (database: Key, error: unknown) => void;
  /** A Job was made beside the schedule. */
  readonly onBegun: (run: BackupRun) => void;
}

/** How soon to look again at a copy of the past, and at what is waited for, in milliseconds; watches report most of it earlier. */
const againMs = { past: 1000, waiting: 30_000, suspended: 600_000 } as const;

/** The queue's worker. */
export type BackupWork = (database: Key) => Promise<Next>;

export function createBackupController(at: BackupPorts, hooks: BackupHooks): BackupWork {
  const memory = new StatusMemory<BackupStatus>();
  return async (key) => {
    const found = at.backups(key);
    // recorded once it is known what has been recorded
    if (found === undefined) return { kind: "forget" };
    if (found.some((backup) => memory.isPast(keyOf(backup), backup))) return { kind: "again", afterMs: againMs.past };
    const backups = found.map((backup) => ({ ...backup, status: memory.latest(keyOf(backup), backup) }));
    try {
      return await new Turn(key, { at, hooks, memory }).take(backups);
    } catch (error) {
      hooks.onError(key, error);
      return { kind: "retry" };
    }
  };
}

const keyOf = ({ metadata }: DatabaseBackup): Key => `${metadata.namespace}/${metadata.name}`;

interface Context {
  readonly at: BackupPorts;
  readonly hooks: BackupHooks;
  readonly memory: StatusMemory<BackupStatus>;
}

/** Of one that has begun, or needs not to. */
function standingOf(backup: DatabaseBackup, { runs }: Look): Standing {
  const [found, run] = [foundIn(backup), runOf(backup, runs)];
  if (found !== undefined) return { kind: "found", found };
  return run === undefined ? { kind: "gone" } : { kind: "run", run };
}

/** One turn. Each write may be the last before a crash: what is left follows from what there is. */
class Turn {
  readonly #key: Key;
  readonly #context: Context;
  #next: Next = { kind: "forget" };

  constructor(key: Key, context: Context) {
    this.#key = key;
    this.#context = context;
  }

  async take(backups: readonly DatabaseBackup[]): Promise<Next> {
    const { at } = this.#context;
    const look = await this.#lookAt(backups);
    for (const run of unrecorded(look)) this.#recorded(await at.writes.record(run));
    const gone = await this.#clear(look);
    for (const one of lost(look)) this.#recorded(await at.writes.recordFound(one));
    const yetToBegin = waiting(look);
    for (const backup of backups) {
      if (gone.has(backup) || backup.metadata.deletionTimestamp !== undefined || yetToBegin.includes(backup)) continue;
      await this.#report(backup, standingOf(backup, look));
    }
    let { runs } = look;
    for (const backup of yetToBegin) {
      const standing = await this.#begin(backup, { ...look, runs });
      if (standing.kind === "run") runs = [...runs, standing.run];
      await this.#report(backup, standing);
    }
    await this.#takeOwn({ ...look, runs });
    return this.#next;
  }

  /** Removes the records of what is gone. */
  async #clear(look: Look): Promise<ReadonlySet<DatabaseBackup>> {
    const { at, memory } = this.#context;
    const gone = new Set(outdated(look));
    for (const backup of gone) {
      await at.writes.remove(backup);
      memory.forget(keyOf(backup), backup.metadata.uid);
    }
    return gone;
  }

  /** With the Jobs that the watch does not show: it may lag, and a backup is not given up for that. */
  async #lookAt(backups: readonly DatabaseBackup[]): Promise<Look> {
    const { at } = this.#context;
    const shown = { database: at.database(this.#key), runs: at.runs(this.#key), backups };
    const found: BackupRun[] = [];
    for (const backup of missing(shown)) {
      const name = backup.status.job;
      const run = name && (await at.writes.findRun({ ...placeOf(this.#key), name }));
      if (run) found.push(run);
    }
    return { ...shown, runs: [...shown.runs, ...found] };
  }

  async #begin(backup: DatabaseBackup, look: Look): Promise<Standing> {
    const { at, hooks } = this.#context;
    const wait = waitOf(backup, look);
    if (wait !== undefined) return { kind: "waiting", wait };
    const { metadata, spec } = backup;
    const { namespace, name: requestedBy } = metadata;
    const job = manualBackupJobName(spec.database, metadata.uid);
    const begun = await at.writes.begin({ namespace, database: spec.database, job, requestedBy });
    switch (begun.kind) {
      case "begun":
        hooks.onBegun(begun.run);
        return { kind: "run", run: begun.run };
      case "suspended":
      case "no CronJob":
        this.#again(againMs.waiting);
        return { kind: "waiting", wait: waitForCronJob(backup) };
      case "refused":
        this.#again(againMs.waiting);
        return { kind: "waiting", wait: waitForRefusal(begun.message) };
    }
  }

  /** One that no person asked for. */
  async #takeOwn({ database, runs }: Look): Promise<void> {
    const { at } = this.#context;
    const look = { database, runs, note: at.archive(this.#key), now: at.now() };
    const closing = await this.#carryOut(afterGap(look));
    if (closing === undefined) await this.#carryOut(afterFailure(look), { unlessSuspended: true });
  }

  /** Undefined where none was begun. */
  async #carryOut(step: OwnStep, some: { readonly unlessSuspended?: true } = {}): Promise<BackupRun | undefined> {
    const { at, hooks } = this.#context;
    if (step.kind === "later") this.#again(step.afterMs);
    if (step.kind !== "begin") return undefined;
    const { namespace, name: database } = placeOf(this.#key);
    const begun = await at.writes.begin({ namespace, database, job: step.job, ...some });
    if (begun.kind !== "begun") {
      this.#again(begun.kind === "suspended" ? againMs.suspended : againMs.waiting);
      return undefined;
    }
    hooks.onBegun(begun.run);
    return begun.run;
  }

  async #report(backup: DatabaseBackup, standing: Standing): Promise<void> {
    const { at, memory } = this.#context;
    const now = at.now();
    const left = standing.kind === "run" ? patienceLeft(standing.run, now) : 0;
    if (left > 0) this.#again(left);
    const damaged = damageOf(backup, at.runs(this.#key));
    const drills = at.drills(this.#key);
    const statusAfter = (previous: BackupStatus): BackupStatus =>
      withDrill(backupStatusFor({ backup, standing, now, damaged }, previous), drills);
    if (isDeepStrictEqual(statusAfter(backup.status), backup.status)) return;
    const written = await at.writes.writeStatus(backup, statusAfter);
    memory.remember(keyOf(backup), backup.metadata.uid, written);
  }

  #recorded(isMade: boolean): void {
    if (!isMade) this.#again(againMs.waiting);
  }

  #again(afterMs: number): void {
    if (this.#next.kind !== "again" || afterMs < this.#next.afterMs) this.#next = { kind: "again", afterMs };
  }
}
