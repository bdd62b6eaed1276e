// One turn of the queue for one key: reconcile, report status and events, say when to come back.
import { isDeepStrictEqual } from "node:util";
import type { ObservedDatabase } from "../domain/observed-database";
import type { DatabaseStatus } from "../api/status";
import { systemClock, type Lane, type Next } from "../queue/queue";
import { fillingLevel } from "../../contract/volume-note";
import { growthRefusal } from "./growth";
import { eventsFor, eventsOfChange } from "./events";
import { failed, gone, waiting, type Outcome, type Stalled } from "../domain/outcome";
import type { Key } from "../domain/key";
import { OutdatedRecord, type StackRecord } from "../domain/records";
import { type DatabaseEvent, type Ports } from "../domain/ports";
import type { Repairs, Turn } from "./turn";
import { reconcile } from "./reconcile";
import { statusFor } from "./status";
import { StatusMemory } from "./status-memory";

export interface ControllerHooks {
  /** Notified of errors that have no name: the log is where their details go. */
  readonly onError: (key: Key, error: unknown) => void;
  readonly onOutcome: (key: Key, outcome: Outcome, seconds: number) => void;
}

/** The queue's worker, and a look at a key whose last attempt failed. */
export interface Controller {
  readonly work: (key: Key, lane: Lane) => Promise<Next>;
  /** Reports how the children of a failed Database fare now, without another attempt. */
  readonly refresh: (key: Key) => Promise<void>;
}

export function createController(at: Ports, hooks: ControllerHooks): Controller {
  const failures = new Map<Key, Outcome>();
  const memory = new StatusMemory();
  return {
    async work(key, lane) {
      const began = at.now().getTime();
      const database = at.world.database(key);
      const outcome = await attempt(key, database, { ...at, memory, lane }, hooks);
      if (database === undefined) {
        memory.miss(key);
        forgetAll(key, [at.databases, at.records, at.members, at.deletionLooks]);
      } else if (outcome.kind === "gone") memory.forget(key, database.metadata.uid);
      if (isOutOfFleet(outcome)) at.fleet.forget(key);
      if (outcome !== untold && hasFailed(outcome)) failures.set(key, outcome);
      else if (outcome.kind !== "due") failures.delete(key);
      hooks.onOutcome(key, outcome, (at.now().getTime() - began) / 1000);
      const next = nextOf(outcome);
      return outcome.kind === "gone" ? next : beforeRenewal(next, await renewalOf(key, at));
    },
    async refresh(key) {
      const outcome = failures.get(key);
      const database = at.world.database(key);
      if (outcome === undefined || database === undefined) return;
      await new Report(key, database, { ...at, memory, lane: "look" }).conclude(outcome).catch((error: unknown) => {
        hooks.onError(key, error);
      });
    },
  };
}

/** One that never got a finalizer goes without a turn that lets it go. */
function forgetAll(key: Key, memories: readonly { forget(key: Key): void }[]): void {
  for (const memory of memories) memory.forget(key);
}

/** Whether an attempt failed, be it to keep what was accepted before. */
const hasFailed = (outcome: Outcome): boolean =>
  outcome.kind === "failed" || (outcome.kind === "stalled" && outcome.meanwhile?.kind === "failed");

/** Whether its members are restarted no further: no other Database must wait for that. */
function isOutOfFleet(outcome: Outcome): boolean {
  if (outcome.kind !== "stalled") return outcome.kind === "gone" || outcome.kind === "failed";
  if (outcome.meanwhile !== undefined) return isOutOfFleet(outcome.meanwhile);
  return outcome.reason !== "ConfigRejected";
}

/** How soon to look again at a copy of the past, in milliseconds; the watch usually reports earlier. */
const outdatedMs = 1000;

/** How soon to look again at a state that another client wrote, in milliseconds. */
const contendedMs = 1000;

/** How long a run may take before the status shows it, in milliseconds: most are over before a client could read that. */
const noticeAfterMs = 500;

type ReportPorts = Ports & { readonly memory: StatusMemory; readonly lane: Lane };

/** All of it is about the object as it was at the beginning of the turn: a later edit is another turn's. */
async function attempt(
  key: Key,
  database: ObservedDatabase | undefined,
  at: ReportPorts,
  hooks: ControllerHooks,
): Promise<Outcome> {
  if (database === undefined) return gone();
  // an API server that lags may list what was; to act on that would undo a later edit
  if (at.memory.isPast(key, database)) return waiting("Updating", "the cached Database is outdated", outdatedMs);
  const report = new Report(key, database, at);
  try {
    const outcome = await carriedOut(key, database, { at, report }, hooks);
    if (outcome === undefined) return waiting("Updating", "another client wrote the state meanwhile", contendedMs);
    return await told(key, outcome, report, hooks);
  } finally {
    await report.settled();
  }
}

/** Undefined where another operator was at it: what it did is looked at again, and the status is its, too. */
async function carriedOut(
  key: Key,
  database: ObservedDatabase,
  { at, report }: { readonly at: ReportPorts; readonly report: Report },
  hooks: ControllerHooks,
): Promise<Outcome | undefined> {
  try {
    return await reconcile(key, database, at, report);
  } catch (error) {
    hooks.onError(key, error);
    return error instanceof OutdatedRecord ? undefined : unexpected();
  }
}

/**
 * A status that could not be written is written by the next attempt. To write another one at once could take back what did arrive, and whose
 * answer alone was lost.
 */
async function told(key: Key, outcome: Outcome, report: Report, hooks: ControllerHooks): Promise<Outcome> {
  try {
    await report.conclude(outcome);
    return outcome;
  } catch (error) {
    hooks.onError(key, error);
    return untold;
  }
}

/** No word of it in any status: what is there is not known. */
const untold = failed("InternalError", "the status could not be written; the operator's log has the details");

const unexpected = (): Outcome => failed("InternalError", "an unexpected error; the operator's log has the details");

function nextOf(outcome: Outcome): Next {
  switch (outcome.kind) {
    case "settled":
    case "gone":
      return { kind: "forget" };
    case "stalled":
      return afterStall(outcome);
    case "waiting":
      return { kind: "again", afterMs: outcome.afterMs };
    case "failed":
      return { kind: "retry" };
    case "due":
      return { kind: "run" };
  }
}

function afterStall({ reason, meanwhile, pending }: Stalled): Next {
  if (meanwhile !== undefined) return sooner(nextOf(meanwhile), pending?.afterMs);
  if (pending !== undefined) return { kind: "again", afterMs: pending.afterMs };
  // no watch reports when the foreign object goes
  return reason === "NameConflict" ? { kind: "again", afterMs: 15_000 } : { kind: "forget" };
}

/** How long it waits at most for a time that it knows, in milliseconds: timers do not count further than 24 days. */
const longestWaitMs = 86_400_000;
/** How long after it was due it is looked at again what is not renewed, in milliseconds. */
const overdueMs = 60_000;

/** In how many milliseconds certificates are due; undefined where there are none. */
async function renewalOf(key: Key, { records, now }: Pick<Ports, "records" | "now">): Promise<number | undefined> {
  const tls = (await records.load(key).catch(() => undefined))?.tls;
  if (tls?.issued === undefined || tls.declared === "Off") return undefined;
  const left = Date.parse(tls.issued.due) - now().getTime();
  return left > 0 ? Math.min(left, longestWaitMs) : overdueMs;
}

/** No watch reports that certificates are due. */
const beforeRenewal = (next: Next, afterMs: number | undefined): Next =>
  next.kind === "forget" || next.kind === "again" ? sooner(next, afterMs) : next;

/** No watch reports when a window opens. */
function sooner(next: Next, afterMs: number | undefined): Next {
  if (afterMs === undefined || next.kind === "retry" || next.kind === "run") return next;
  return { kind: "again", afterMs: next.kind === "again" ? Math.min(next.afterMs, afterMs) : afterMs };
}

/** Writes the status of one turn: while a run is in progress, and at the end; only where it differs. */
class Report implements Turn {
  readonly looksOnly: boolean;
  readonly #before: DatabaseStatus;
  #written: DatabaseStatus;
  #record: StackRecord | undefined;
  #cancelNotice = (): void => undefined;
  #notice: Promise<void> = Promise.resolve();

  constructor(
    private readonly key: Key,
    private readonly database: ObservedDatabase,
    private readonly at: ReportPorts,
  ) {
    this.looksOnly = at.lane === "look";
    this.#before = at.memory.latest(key, database);
    this.#written = this.#before;
  }

  running(reason: Parameters<Turn["running"]>[0]): void {
    const messages = {
      Creating: "creating the children",
      Updating: "applying the change",
      TakingFinalBackup: "creating the Job of the last backup",
      Deleting: "destroying the stack",
    };
    const tell = (): void => {
      // should it fail, so does the one at the end, and that is reported
      this.#notice = this.#write(waiting(reason, messages[reason], 0)).catch(() => undefined);
    };
    this.#cancelNotice = systemClock.after(noticeAfterMs, tell);
  }

  changed(record: StackRecord, repairs: Repairs): void {
    this.#record = record;
    for (const event of eventsOfChange(record, repairs)) this.#tell(event);
  }

  async conclude(outcome: Outcome): Promise<void> {
    await this.settled();
    if (outcome.kind === "gone" || outcome.kind === "due") return;
    await this.#write(outcome);
    for (const event of eventsFor(this.#before, this.#written)) this.#tell(event);
  }

  /** Resolves when no notice of a run is in progress, and none will come. */
  async settled(): Promise<void> {
    this.#cancelNotice();
    await this.#notice;
  }

  /** Asked only where it matters: a volume fills up, and shall grow by itself. */
  async #growthRefusal(): Promise<string | undefined> {
    const { parsed } = this.database;
    const { members } = this.at.world.observe(this.key);
    const isFilling = members.some(({ volume }) => (volume?.level ?? 0) >= fillingLevel);
    if (!parsed.ok || parsed.database.spec.storageAutoGrow === undefined || !isFilling) return undefined;
    return growthRefusal(this.key, this.at.volumes);
  }

  #tell(event: DatabaseEvent): void {
    this.at.databases.recordEvent(this.database.metadata, event);
  }

  async #write(outcome: Outcome): Promise<void> {
    const { metadata, parsed } = this.database;
    const known = {
      ...metadata,
      spec: parsed.ok ? parsed.database.spec : undefined,
      outcome,
      observation: this.at.world.observe(this.key),
      record: this.#record ?? (await this.at.records.load(this.key)),
      serviceMonitors: this.at.world.serviceMonitors,
      growthRefusal: await this.#growthRefusal(),
      now: this.at.now(),
    };
    const statusAfter = (previous: DatabaseStatus): DatabaseStatus => statusFor({ ...known, previous });
    const previous = this.#written;
    const status = statusAfter(previous);
    if (isDeepStrictEqual(status, previous)) return;
    const written = await this.at.databases.writeStatus(metadata, { previous, statusAfter });
    this.#written = written?.status ?? status;
    this.at.memory.remember(this.key, metadata.uid, written);
  }
}
