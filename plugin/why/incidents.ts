// What happened, in the order of time: from events, and from what outlives them. Pure.
import type { Condition } from "../../operator/api/status";
import { conditionOf, unwell, type SeenDatabase } from "../objects/database";
import type { SeenEvent } from "../objects/event";

/** One line. */
export interface Incident {
  readonly at: string;
  /** Such as `Pod orders-0`. */
  readonly about: string;
  readonly reason: string;
  readonly message: string;
  readonly isWarning: boolean;
  /** How often it was seen. */
  readonly count: number;
}

/** The newest first. Events and conditions that say the same at the same time are one. `recorded`: what the history has. */
export function incidentsOf(
  database: SeenDatabase,
  events: readonly SeenEvent[],
  recorded: readonly Incident[],
): readonly Incident[] {
  const told = events.map(({ kind, name, ...rest }): Incident => ({ ...rest, about: `${kind} ${name}` }));
  const known = [...told, ...recorded];
  const kept = lasting(database).filter((one) => !known.some((event) => isSame(event, one)));
  return [...known, ...kept].sort((a, b) => (a.at > b.at ? -1 : 1));
}

function lasting(database: SeenDatabase): Incident[] {
  const { metadata, status } = database;
  const about = `Database ${metadata.name}`;
  const conditions = [...unwell(database), ...good(database)].map((one): Incident => ({
    ...{ at: one.lastTransitionTime, about, reason: one.reason, isWarning: false, count: 1 },
    message: `${one.type} became ${one.status}: ${one.message}`,
  }));
  const { lastChange } = status;
  if (lastChange === undefined) return conditions;
  const { at, revision, summary, by } = lastChange;
  const message = `revision ${revision}: ${summary}${by === undefined ? "" : `, asked for by ${by}`}`;
  return [...conditions, { at, about, reason: "Changed", message, isWarning: false, count: 1 }];
}

/** Of what is well it is worth a line since when it can be used. */
function good(database: SeenDatabase): Condition[] {
  const ready = conditionOf(database, "Ready");
  return ready?.status === "True" ? [ready] : [];
}

/** In milliseconds: an event is written a moment after the condition. */
const momentMs = 5000;

const isSame = (event: Incident, condition: Incident): boolean =>
  event.about === condition.about &&
  event.reason === condition.reason &&
  Math.abs(Date.parse(event.at) - Date.parse(condition.at)) <= momentMs;
