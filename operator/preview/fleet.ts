// What a change does to each of many Databases, as a table: first those that a person must see to, then those that it hurts most. Pure.
import { effects, type Effect } from "../../contract/effects";
import type { Consequence } from "../consequences/consequence";
import type { PreviewReport } from "./report";
import { awaitedIn } from "./waits";

/** A Database, and what its preview said, or why there is none. */
export interface FleetEntry {
  /** `namespace/name`. */
  readonly database: string;
  readonly report: Pick<
    PreviewReport,
    "outcome" | "reason" | "message" | "effect" | "consequences" | "waits" | "release" | "paused"
  >;
}

/** What becomes of it. */
type Fate =
  /** It cannot be told, or nothing of it would be applied: a person must see to it. */
  | "Open"
  /** Clients notice it, as soon as it is its turn. */
  | "Interrupted"
  /** It waits for a person, or a time. */
  | "Waits"
  /** It happens, and clients notice nothing to speak of, or nothing happens. */
  | "Quiet";

export interface FleetRow {
  readonly namespace: string;
  readonly name: string;
  readonly fate: Fate;
  /** The weightiest; undefined where it is not known. */
  readonly effect: Effect | undefined;
  /** Those to which something happens that clients notice, in this order. */
  readonly members: readonly string[];
  readonly waitsFor: string | undefined;
  /** A sentence; empty where there is nothing to say. */
  readonly why: string;
}

export const fleetHeadings = ["NAMESPACE", "NAME", "EFFECT", "MEMBERS", "WAITS FOR", "WHY"] as const;

/** The cells below them. */
export const fleetCells = ({ namespace, name, effect, members, waitsFor, why }: FleetRow): readonly string[] => [
  ...[namespace, name, effect ?? "NOT TOLD"],
  ...[members.length === 0 ? "–" : String(members.length), waitsFor ?? "–", why],
];

/** In the order in which they are shown. */
export const fleetRows = (entries: readonly FleetEntry[]): readonly FleetRow[] => entries.map(rowOf).sort(byUrgency);

const told = new Set<PreviewReport["outcome"]>(["Planned", "Unchanged", "Skipped"]);

function rowOf({ database, report }: FleetEntry): FleetRow {
  const [name = "", namespace = ""] = database.split("/").reverse();
  const { outcome, reason, message = "" } = report;
  const common = { namespace, name };
  if (!told.has(outcome)) {
    const why = reason === undefined ? message : `${reason}: ${message}`;
    return { ...common, fate: "Open", effect: undefined, members: [], waitsFor: undefined, why };
  }
  const consequences = outcome === "Planned" ? (report.consequences ?? []).filter(isNoticed) : [];
  const effect = weightiestOf(consequences);
  const awaited = decidedOn(report);
  return {
    ...common,
    effect,
    members: [...new Set(consequences.filter(interrupts).flatMap(({ members }) => members))],
    waitsFor: awaited ?? leftOf(report) ?? roomFor(consequences),
    fate: fateOf(consequences, awaited),
    why: messageOf(consequences, effect),
  };
}

const messageOf = (told: readonly Consequence[], effect: Effect): string =>
  told.find((one) => one.effect === effect)?.message ?? "";

const roomFor = (told: readonly Consequence[]): string | undefined =>
  told.find(({ waitsFor }) => waitsFor !== undefined)?.waitsFor;

const isNoticed = ({ effect }: Consequence): boolean => effect !== "None";

const interrupts = ({ effect }: Consequence): boolean => effects.indexOf(effect) >= effects.indexOf("Removal");

const weightiestOf = (consequences: readonly Consequence[]): Effect =>
  effects.findLast((effect) => consequences.some((one) => one.effect === effect)) ?? "None";

/** By policy, or by a pause. Room on a node may come back without a decision. */
function decidedOn({ waits, paused = false }: FleetEntry["report"]): string | undefined {
  if (waits !== undefined) return awaitedIn(waits);
  return paused ? "spec.paused" : undefined;
}

/** Of what happens beside a release of the operator: for what that keeps waiting. */
const leftOf = ({ release }: FleetEntry["report"]): string | undefined =>
  release && `the release: ${awaitedIn(release.waits)}`;

function fateOf(consequences: readonly Consequence[], awaited: string | undefined): Fate {
  if (awaited !== undefined) return "Waits";
  return consequences.some(interrupts) ? "Interrupted" : "Quiet";
}

const urgency: readonly Fate[] = ["Open", "Interrupted", "Waits", "Quiet"];
const weightOf = ({ effect }: FleetRow): number => (effect === undefined ? 0 : effects.indexOf(effect));
const placeOf = ({ namespace, name }: FleetRow): string => `${namespace}/${name}`;

const byUrgency = (a: FleetRow, b: FleetRow): number =>
  urgency.indexOf(a.fate) - urgency.indexOf(b.fate) || weightOf(b) - weightOf(a) || (placeOf(a) < placeOf(b) ? -1 : 1);

const words: Readonly<Record<Fate, string>> = {
  ...{ Open: "cannot be told, or would be refused", Interrupted: "interrupted" },
  ...{ Waits: "wait", Quiet: "notice nothing" },
};

/** How many there are of each kind, and, of what the platform asks for, in which order they restart. */
export function fleetTotals(
  rows: readonly FleetRow[],
  { byPlatform }: { readonly byPlatform: boolean },
): readonly string[] {
  const countOf = (fate: Fate): number => rows.filter((row) => row.fate === fate).length;
  const counts = urgency.flatMap((fate) => {
    const count = countOf(fate);
    return count === 0 && fate === "Open" ? [] : [`${count} ${words[fate]}`];
  });
  const total = `${rows.length} Database${rows.length === 1 ? "" : "s"}: ${counts.join(", ")}`;
  return byPlatform && countOf("Interrupted") > 1 ? [total, budget] : [total];
}

const budget =
  "One of those that are interrupted goes first, if there is one with several members; once it is through, some at a time (restartsAtOnce), and none while one does not come back.";
