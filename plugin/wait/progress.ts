// What a wait looks for, told from what a Database is now. Pure.
import { conditionOf, isPaused, isSeen, stateOf, unwell, type SeenDatabase } from "../objects/database";

export const goals = ["ready", "deleted"] as const;
export type Goal = (typeof goals)[number];

/** Whether it has come about. */
export type Progress =
  | { readonly kind: "reached"; readonly text: string }
  /** It will not come about by itself. */
  | { readonly kind: "hopeless"; readonly text: string }
  | { readonly kind: "going"; readonly text: string };

/** `database`: undefined where it does not exist. */
export function progressOf(goal: Goal, database: SeenDatabase | undefined): Progress {
  if (goal === "deleted") return deletionOf(database);
  if (database === undefined) return { kind: "hopeless", text: "it does not exist any more" };
  if (isPaused(database))
    return { kind: "hopeless", text: "it is paused: nothing is changed until spec.paused is false" };
  if (!isSeen(database)) return { kind: "going", text: "the operator has not looked at the last change yet" };
  return readinessOf(database);
}

function deletionOf(database: SeenDatabase | undefined): Progress {
  if (database === undefined) return { kind: "reached", text: "it does not exist any more" };
  if (database.metadata.deletionTimestamp === undefined) return { kind: "going", text: "it is not being deleted yet" };
  return { kind: "going", text: whyText(database) };
}

function readinessOf(database: SeenDatabase): Progress {
  const stalled = conditionOf(database, "Stalled");
  if (stalled?.status === "True") return { kind: "hopeless", text: `${stalled.reason}: ${stalled.message}` };
  const state = stateOf(database);
  if (state === "DELETING") return { kind: "hopeless", text: "it is being deleted" };
  if (state !== "READY" && state !== "DEGRADED") return { kind: "going", text: whyText(database) };
  return { kind: "reached", text: conditionOf(database, "Ready")?.message ?? "it is ready" };
}

function whyText(database: SeenDatabase): string {
  const [first] = unwell(database).filter(({ type }) => type === "Reconciling" || type === "Ready");
  return first === undefined ? "nothing is known of it yet" : `${first.reason}: ${first.message}`;
}

const units = { s: 1, m: 60, h: 3600 } as const;

/** Milliseconds of a text such as `90s`, `1h30m` or `0`; undefined for another one. */
export function timeoutOf(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^(\d+[hms])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, many = "", unit = ""]) => sum + Number(many) * secondsOf(unit) * 1000, 0);
}

const secondsOf = (unit: string): number => (unit === "h" ? units.h : unit === "m" ? units.m : units.s);
