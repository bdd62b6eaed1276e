// Several Databases, one line each. Pure.
import { durationText, secondsBetween } from "../output/amounts";
import { engineTitle } from "../objects/database";
import { cell, table, type Cell } from "../output/columns";
import type { View } from "../output/print";
import type { Standing } from "./standing";
import { paintOf } from "./text";

export interface OverviewOptions extends View {
  readonly hasNamespaces: boolean;
  readonly hasHeadings: boolean;
  readonly isWide: boolean;
}

const headings = ["NAME", "STATE", "ENGINE", "VERSION", "MEMBERS", "PRIMARY", "BACKUP", "CHANGED", "WHY"];

/** Those that need a person first, then by namespace and name. */
export function overviewLines(standings: readonly Standing[], options: OverviewOptions): string[] {
  const { hasNamespaces, isWide, hasHeadings } = options;
  const named = [...(hasNamespaces ? ["NAMESPACE"] : []), ...headings, ...(isWide ? ["ENDPOINT"] : [])];
  const rows = inOrder(standings).map((one) => [
    ...(hasNamespaces ? [cell(one.namespace)] : []),
    ...cellsOf(one, options),
    ...(isWide ? [cell(one.endpoint ?? "–")] : []),
  ]);
  return table(named, rows, hasHeadings);
}

/** The line of one of them, as wide as in the table of all. */
export function lineOf(one: Standing, standings: readonly Standing[], options: OverviewOptions): string {
  const lines = overviewLines(standings, { ...options, hasHeadings: true });
  return lines[inOrder(standings).indexOf(one) + 1] ?? "";
}

const inOrder = (standings: readonly Standing[]): readonly Standing[] => [...standings].sort(byUrgency);

const urgency: readonly Standing["state"][] = ["NOT READY", "STALLED", "DEGRADED", "PENDING", "WAITING", "UPDATING"];

const rankOf = ({ state }: Standing): number => (urgency.includes(state) ? urgency.indexOf(state) : urgency.length);
const placeOf = ({ namespace, name }: Standing): string => `${namespace}/${name}`;

function byUrgency(a: Standing, b: Standing): number {
  return rankOf(a) - rankOf(b) || (placeOf(a) < placeOf(b) ? -1 : 1);
}

function cellsOf(standing: Standing, view: View): Cell[] {
  const { name, state, engine, version, replicas, readyReplicas, primary, lastChange, conditions } = standing;
  return [
    cell(name),
    cell(state, paintOf(state, view.palette)),
    cell(engineTitle(engine)),
    cell(version),
    cell(`${readyReplicas}/${replicas}`),
    cell(primary ?? "–"),
    cell(backupText(standing, view.now)),
    cell(since(lastChange?.at, view.now)),
    cell([...new Set(conditions.map(({ reason }) => reason))].join(", ")),
  ];
}

function backupText({ backup: { enabled, last } }: Standing, now: Date): string {
  return enabled ? since(last?.completedAt, now, "none") : "off";
}

function since(at: string | undefined, now: Date, otherwise = "–"): string {
  const seconds = secondsBetween(at, now);
  return seconds === undefined ? otherwise : durationText(seconds);
}
