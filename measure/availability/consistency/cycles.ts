// Circles of dependencies, by what they consist of.
import type { Anomaly, AnomalyKind } from "./anomalies";
import { graphOf, trimmed, wayBetween, type Dependency, type DependencyKind } from "./graph";
import type { Settled } from "./settled";

/** A kind of circle: one dependency of `through`, the others of `others`, among these at least one of each in `needs`. */
interface CycleKind {
  readonly kind: AnomalyKind;
  readonly through: DependencyKind;
  readonly others: readonly DependencyKind[];
  readonly needs: readonly DependencyKind[];
}

/** Sources: Adya, chapter 3, and chapter 4 for G-single; the Elle paper for those with `rt`. */
const cycleKinds: readonly CycleKind[] = [
  { kind: "G0", through: "ww", others: ["ww"], needs: [] },
  { kind: "G1c", through: "wr", others: ["ww", "wr"], needs: [] },
  { kind: "G-single", through: "rw", others: ["ww", "wr"], needs: [] },
  { kind: "G2", through: "rw", others: ["ww", "wr", "rw"], needs: ["rw"] },
  { kind: "G0-realtime", through: "ww", others: ["ww", "rt"], needs: ["rt"] },
  { kind: "G1c-realtime", through: "wr", others: ["ww", "wr", "rt"], needs: ["rt"] },
  { kind: "G-single-realtime", through: "rw", others: ["ww", "wr", "rt"], needs: ["rt"] },
  { kind: "G2-realtime", through: "rw", others: ["ww", "wr", "rw", "rt"], needs: ["rw", "rt"] },
];

/** At most one circle of each kind, the shortest of the first dependency that has one: enough to know that there are some. */
export function cyclesIn(settled: readonly Settled[], dependencies: readonly Dependency[]): Anomaly[] {
  return cycleKinds.flatMap((wanted) => {
    const cycle = cycleOf(wanted, dependencies);
    return cycle === undefined ? [] : [{ kind: wanted.kind, detail: detailOf(cycle, settled) }];
  });
}

/** A shorter circle of a stronger kind may hide one of a weaker kind over the same dependency: then the stronger one is reported. */
function cycleOf({ through, others, needs }: CycleKind, all: readonly Dependency[]): readonly Dependency[] | undefined {
  const allowed = new Set(others);
  const candidates = trimmed(all.filter(({ kind }) => kind === through || allowed.has(kind)));
  const graph = graphOf(candidates);
  for (const first of candidates.filter(({ kind }) => kind === through)) {
    const way = wayBetween(graph, { from: first.to, to: first.from }, allowed);
    if (way && needs.every((kind) => way.some((dependency) => dependency.kind === kind))) return [first, ...way];
  }
  return undefined;
}

function detailOf(cycle: readonly Dependency[], settled: readonly Settled[]): string {
  const nameOf = (index: number | undefined): string => settled[index ?? -1]?.title ?? "";
  return `${cycle.map(({ from, kind }) => `[${nameOf(from)}] ${kind} `).join("")}[${nameOf(cycle[0]?.from)}]`;
}
