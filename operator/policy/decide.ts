// Whether a change may be carried out now, by what it does: pure.
import { namedEffects, type Effect, type NamedEffect } from "../../contract/effects";
import type { ChangePolicy, ChangeWindow } from "../api/change-policy";
import type { Approving } from "./approval";
import { least, openingsFrom, type Openings } from "./windows";

/** What is decided by. */
export interface Question {
  /** All of them hold. */
  readonly policies: readonly ChangePolicy[];
  readonly effects: readonly Effect[];
  /** Whether it makes a policy looser that requires approval of anything. */
  readonly loosens: boolean;
  readonly approving: Approving;
  /** In milliseconds. */
  readonly now: number;
}

/** What it waits for: at least one of the two. */
export interface Wait {
  readonly kind: "wait";
  /** For which effects a person is asked; empty where none is, or for a looser policy alone. */
  readonly approvalOf: readonly NamedEffect[];
  readonly needsApproval: boolean;
  /** Missing where it waits for none. */
  readonly window?: ShutWindow | undefined;
}

interface ShutWindow {
  /** Those for which none is open. */
  readonly effects: readonly NamedEffect[];
  /** When one is open for each, in milliseconds; undefined where that is not so within the time that is looked at. */
  readonly opensAt: number | undefined;
}

interface Passage {
  readonly kind: "go";
  readonly by: "nothing" | "window" | "approval";
}

export type Decision = Wait | Passage;

/** Those that a policy can name: all of them, where it cannot be told. */
export function namedOf(effects: readonly Effect[]): readonly NamedEffect[] {
  if (effects.includes("CannotBeTold")) return namedEffects;
  return namedEffects.filter((effect) => effects.includes(effect));
}

/** Whether a policy holds nothing back. */
export const isIdle = ({ requireApproval, windows }: ChangePolicy): boolean =>
  requireApproval.length === 0 && windows.length === 0;

/** See the header. */
export function decide({ policies, effects, loosens, approving, now }: Question): Decision {
  const named = namedOf(effects);
  const approvalOf = named.filter((effect) => policies.some((policy) => policy.requireApproval.includes(effect)));
  // of each policy by itself: each must have a window of its own open
  const needs = policies.flatMap(({ windows }) => named.flatMap((effect) => needOf(effect, windows)));
  const asks = approvalOf.length > 0 || loosens;
  const needsApproval = asks && approving === "no";
  const window = approving === "now" ? undefined : shutWindow(needs, now);
  if (needsApproval || window !== undefined)
    return { kind: "wait", approvalOf, needsApproval, ...(window && { window }) };
  return { kind: "go", by: passedBy({ asks, waits: needs.length > 0, isNow: approving === "now" }) };
}

/** What lets it through that nothing holds back now. */
function passedBy({ asks, waits, isNow }: Readonly<Record<"asks" | "waits" | "isNow", boolean>>): Passage["by"] {
  if (asks || (waits && isNow)) return "approval";
  return waits ? "window" : "nothing";
}

/** Undefined where none has to open. */
function shutWindow(needs: readonly Need[], now: number): Wait["window"] {
  const openingsOf = openingsFrom(now);
  const open = needs.map(({ windows }) => firstOf(windows.map(openingsOf)));
  const shut = needs.filter((_, index) => open[index]?.(now) !== now);
  if (shut.length === 0) return undefined;
  return { effects: namedOf(shut.map(({ effect }) => effect)), opensAt: firstCommon(open, now) };
}

/** An effect, and the windows that are for it: at least one. */
interface Need {
  readonly effect: NamedEffect;
  readonly windows: readonly ChangeWindow[];
}

function needOf(effect: NamedEffect, windows: readonly ChangeWindow[]): Need[] {
  const fitting = windows.filter((window) => window.effects.includes(effect));
  return fitting.length === 0 ? [] : [{ effect, windows: fitting }];
}

/** That of whichever opens first. */
const firstOf =
  (some: readonly Openings[]): Openings =>
  (moment) =>
    least(some.map((opening) => opening(moment)));

/** How many times are looked at for one at which all have theirs: most of a year with two a night. Where they never do, the search must end. */
const mostTimes = 500;

/** The first moment from `now` on at which each is open. */
function firstCommon(each: readonly Openings[], now: number): number | undefined {
  let moment = now;
  for (let time = 0; time < mostTimes; time++) {
    const opened = each.map((opening) => opening(moment) ?? Infinity);
    const last = Math.max(...opened);
    if (last === moment) return moment;
    if (last === Infinity) return undefined;
    moment = last;
  }
  return undefined;
}

/** Whether what the former policy held back would not be held back by the other one, where the former one asks a person at all. */
export function isLooser(former: ChangePolicy, next: ChangePolicy): boolean {
  if (former.requireApproval.length === 0) return false;
  const asksAsMuch = former.requireApproval.every((effect) => next.requireApproval.includes(effect));
  return !asksAsMuch || !hasWindowsOf(former, next);
}

/** A window more for an effect that had some is one more time for it. */
function hasWindowsOf(former: ChangePolicy, next: ChangePolicy): boolean {
  const [before, after] = [former, next].map(({ windows }) => windows.map((window) => JSON.stringify(window)).sort());
  return JSON.stringify(before) === JSON.stringify(after) || former.windows.length === 0;
}
