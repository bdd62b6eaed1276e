// One turn of the queue for one key: reconcile, report status and events, say when to come back.
import { isDeepStrictEqual } from "node:util";
import { metadataOf, parseDatabase, statusOf, type Database, type DatabaseMetadata } from "../api/object";
import type { DatabaseStatus } from "../api/status";
import type { Next } from "../queue";
import { eventsFor } from "./events";
import { failed, waiting, type Outcome } from "./outcome";
import type { Key, Ports, StackRecord } from "../ports";
import { reconcile, type Progress } from "./reconcile";
import { statusFor } from "./status";

export interface ControllerHooks {
  /** Told of errors that have no name: the log is where their details go. */
  readonly onError: (key: Key, error: unknown) => void;
  readonly onOutcome: (key: Key, outcome: Outcome, seconds: number) => void;
}

/** Makes the queue's worker. */
export function createController(at: Ports, hooks: ControllerHooks): (key: Key) => Promise<Next> {
  return async (key) => {
    const began = at.now().getTime();
    const outcome = await attempt(key, at, hooks);
    hooks.onOutcome(key, outcome, (at.now().getTime() - began) / 1000);
    return nextOf(outcome);
  };
}

async function attempt(key: Key, at: Ports, hooks: ControllerHooks): Promise<Outcome> {
  const report = new Report(key, at);
  try {
    const outcome = await reconcile(key, at, report);
    await report.conclude(outcome);
    return outcome;
  } catch (error) {
    hooks.onError(key, error);
    const outcome = failed("InternalError", "an unexpected error; the operator's log has the details");
    await report.conclude(outcome).catch((cause: unknown) => {
      hooks.onError(key, cause);
    });
    return outcome;
  }
}

function nextOf(outcome: Outcome): Next {
  switch (outcome.kind) {
    case "settled":
    case "gone":
      return { kind: "forget" };
    case "stalled":
      // no watch tells when the foreign object goes
      return outcome.reason === "NameConflict" ? { kind: "again", afterMs: 15_000 } : { kind: "forget" };
    case "waiting":
      return { kind: "again", afterMs: outcome.afterMs };
    case "failed":
      return { kind: "retry" };
  }
}

/** Writes the status of one turn: when a run begins, and at the end; only where it differs. */
class Report implements Progress {
  readonly #key: Key;
  readonly #at: Ports;
  #written: DatabaseStatus | undefined;
  #record: StackRecord | undefined;

  constructor(key: Key, at: Ports) {
    this.#key = key;
    this.#at = at;
  }

  async running(reason: "Creating" | "Updating" | "Deleting"): Promise<void> {
    const messages = {
      Creating: "making the children",
      Updating: "carrying the change out",
      Deleting: "destroying the stack",
    };
    await this.#write(waiting(reason, messages[reason], 0));
  }

  async changed(record: StackRecord): Promise<void> {
    this.#record = record;
    const object = this.#at.world.database(this.#key);
    if (object === undefined) return;
    const reason = record.revision === 1 ? "Creating" : "Updating";
    const message = `revision ${record.revision}: ${record.summary}`;
    await this.#at.databases.recordEvent(metadataOf(object), { type: "Normal", reason, message });
  }

  async conclude(outcome: Outcome): Promise<void> {
    if (outcome.kind !== "gone") await this.#write(outcome);
  }

  async #write(outcome: Outcome): Promise<void> {
    const object = this.#at.world.database(this.#key);
    if (object === undefined) return;
    const metadata = metadataOf(object);
    const previous = this.#written ?? statusOf(object);
    const status = statusFor({
      ...metadata,
      spec: specOf(object),
      outcome,
      observation: this.#at.world.observe(this.#key),
      record: this.#record ?? (await this.#at.records.load(this.#key)),
      serviceMonitors: this.#at.world.serviceMonitors,
      previous,
      now: this.#at.now(),
    });
    this.#written = status;
    if (isDeepStrictEqual(status, previous)) return;
    await this.#at.databases.writeStatus(metadata, status);
    await this.#announce(metadata, previous, status);
  }

  async #announce(metadata: DatabaseMetadata, before: DatabaseStatus, after: DatabaseStatus): Promise<void> {
    for (const event of eventsFor(before, after)) await this.#at.databases.recordEvent(metadata, event);
  }
}

function specOf(object: unknown): Database["spec"] | undefined {
  const parsed = parseDatabase(object);
  return parsed.ok ? parsed.database.spec : undefined;
}
