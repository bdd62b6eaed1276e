// Scheduled events: the server of a replica keeps each disabled, and does not enable it by itself when it becomes primary.
import { escape, escapeId } from "mysql2";
import { z } from "zod";
import { log, textOf } from "../log";
import type { RecordSnapshot } from "./record";
import type { RecordStore } from "./record-store";
import type { OwnServer } from "./server/connection";

/** An event as the server has it. */
export interface ScheduledEvent {
  /** Schema and name, quoted: what SQL calls it. */
  readonly name: string;
  /** ENABLED, DISABLED (a person's), or REPLICA_SIDE_DISABLED: on a replica all have this status, whatever it is on the primary. */
  readonly status: string;
  readonly definer: string;
  /** In which it was created: ALTER EVENT takes both from the session, and leaves sql_mode and time zone as they are. */
  readonly characterSet: string;
  readonly collation: string;
}

/** Asks for all events of applications. */
export const eventsStatement = `
  SELECT EVENT_SCHEMA AS \`schema\`, EVENT_NAME AS name, STATUS AS status, DEFINER AS definer,
    CHARACTER_SET_CLIENT AS characterSet, COLLATION_CONNECTION AS collation
    FROM information_schema.EVENTS ORDER BY 1, 2`;

const Rows = z.array(
  z.object({
    schema: z.string(),
    name: z.string(),
    status: z.string(),
    definer: z.string(),
    characterSet: z.string(),
    collation: z.string(),
  }),
);

/** The events in an answer to `eventsStatement`. Throws where it is not one. */
export function eventsIn(answer: unknown): ScheduledEvent[] {
  return Rows.parse(answer).map(({ schema, name, ...rest }) => ({
    ...rest,
    name: `${escapeId(schema, true)}.${escapeId(name, true)}`,
  }));
}

/** The names of those that run. */
export const enabledAmong = (events: readonly ScheduledEvent[]): string[] =>
  events.filter(({ status }) => status === "ENABLED").map(({ name }) => name);

/**
 * How much of the note is names, in bytes. A ConfigMap takes 1 MiB, and with a full one no new primary could be recorded; each member reads all of
 * it every five seconds.
 */
export const noteBytes = 256 * 1024;

/** As many of these, from the first, as fit the note. */
export function notable(names: readonly string[]): readonly string[] {
  let bytes = 1;
  const end = names.findIndex((name) => (bytes += Buffer.byteLength(JSON.stringify(name)) + 1) > noteBytes);
  return end === -1 ? names : names.slice(0, end);
}

/**
 * The events that ran on the last primary and do not run here. One that is not noted stays off: a person may have disabled it, which cannot be seen
 * on a replica.
 */
export function eventsToEnable(events: readonly ScheduledEvent[], noted: readonly string[]): ScheduledEvent[] {
  const ran = new Set(noted);
  return events.filter(({ name, status }) => status === "REPLICA_SIDE_DISABLED" && ran.has(name));
}

/** The statements that enable an event, or disable it as on a replica, and leave the rest of it as it is. The replicas get them, too, and keep it disabled. */
export function alteringStatements(
  { name, definer, characterSet, collation }: ScheduledEvent,
  to: "ENABLE" | "DISABLE ON REPLICA",
): string[] {
  const at = definer.lastIndexOf("@");
  const account = `${escape(definer.slice(0, at))}@${escape(definer.slice(at + 1))}`;
  const inThatOf = `SET SESSION character_set_client = ${escape(characterSet)}, SESSION collation_connection = ${escape(collation)}`;
  return [inThatOf, `ALTER DEFINER = ${account} EVENT ${name} ${to}`, "SET NAMES utf8mb4"];
}

/**
 * Disables those that run, in the data of another Database: what they do is for a person to begin. Those of a replica's data are disabled already.
 * Where it throws, the session may be left with the character set of an event.
 */
export async function disableEvents(server: Pick<OwnServer, "query">): Promise<void> {
  const running = eventsIn(await server.query(eventsStatement, patienceMs)).filter(
    ({ status }) => status === "ENABLED",
  );
  for (const event of running) {
    for (const statement of alteringStatements(event, "DISABLE ON REPLICA")) await server.query(statement, patienceMs);
    log("a scheduled event was disabled", { event: event.name });
  }
}

const lookMs = 5_000;
const patienceMs = 10_000;

/** What it needs of a member. */
export interface EventsArgs {
  readonly server: Pick<OwnServer, "query" | "close">;
  readonly records: Pick<RecordStore, "noteEvents">;
  /** In milliseconds, from any start. Default: of this process. */
  readonly now?: () => number;
}

/** On a primary: enables what ran on the last one, and notes beside the record what runs, for the next. */
export class Events {
  #isTakenOver = false;
  #lookedAt = -Infinity;
  #problem: string | undefined;

  constructor(private readonly args: EventsArgs) {}

  /** What stops after a failover, for people. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** A replica has nothing to do: as primary it will start over. */
  asReplica(): void {
    this.#isTakenOver = false;
    this.#lookedAt = -Infinity;
    this.#problem = undefined;
  }

  /** Returns the snapshot after it, where the note was changed. Failures are logged, and the next look tries again. */
  async asPrimary(snapshot: RecordSnapshot): Promise<RecordSnapshot | undefined> {
    const now = (this.args.now ?? (() => performance.now()))();
    if (now - this.#lookedAt < lookMs) return undefined;
    this.#lookedAt = now;
    try {
      return await this.#follow(snapshot);
    } catch (error) {
      log("scheduled events cannot be checked", { why: textOf(error) });
      return undefined;
    }
  }

  async #follow(snapshot: RecordSnapshot): Promise<RecordSnapshot | undefined> {
    const noted = snapshot.events ?? [];
    if (!this.#isTakenOver) await this.#takeOver(noted);
    this.#isTakenOver = true;
    const enabled = enabledAmong(await this.#read());
    const names = notable(enabled);
    this.#tell(enabled.length, names.length);
    if (JSON.stringify(names) === JSON.stringify(noted)) return undefined;
    return this.args.records.noteEvents(snapshot, names);
  }

  #tell(all: number, noted: number): void {
    const before = this.#problem;
    this.#problem =
      all === noted
        ? undefined
        : `${all - noted} of ${all} scheduled events would stop after a failover: their names exceed the ${noteBytes / 1024} KiB that are kept`;
    if (this.#problem !== undefined && this.#problem !== before)
      log("there are too many scheduled events to note", { all, noted });
  }

  async #takeOver(noted: readonly string[]): Promise<void> {
    if (noted.length === 0) return;
    const { server } = this.args;
    for (const event of eventsToEnable(await this.#read(), noted)) {
      try {
        for (const statement of alteringStatements(event, "ENABLE")) await server.query(statement, patienceMs);
      } catch (error) {
        // its session may be left with the character set of the event
        server.close();
        throw error;
      }
      log("a scheduled event of the last primary was enabled", { event: event.name });
    }
  }

  async #read(): Promise<ScheduledEvent[]> {
    return eventsIn(await this.args.server.query(eventsStatement, patienceMs));
  }
}
