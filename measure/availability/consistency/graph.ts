// Which transaction must come before which, and circles in that.

/**
 * `ww`: the other one appended next. `wr`: the other one read it. `rw`: the other one appended what this one did not see yet. `rt`: this one was acknowledged
 * before the other one began. Sources: Adya, chapter 3 (direct conflicts); for `rt` the Elle paper (real-time order).
 */
export type DependencyKind = "ww" | "wr" | "rw" | "rt";

/** From and to are indices of transactions. */
export interface Dependency {
  readonly from: number;
  readonly to: number;
  readonly kind: DependencyKind;
}

/** Dependencies by where they begin. */
export type Graph = ReadonlyMap<number, readonly Dependency[]>;

export function graphOf(dependencies: readonly Dependency[]): Graph {
  const graph = new Map<number, Dependency[]>();
  for (const dependency of dependencies) {
    const known = graph.get(dependency.from);
    if (known) known.push(dependency);
    else graph.set(dependency.from, [dependency]);
  }
  return graph;
}

/** Without what is on no circle: whatever nothing leads to, again and again. Some of the rest may still only hang on a circle. */
export function trimmed(dependencies: readonly Dependency[]): readonly Dependency[] {
  const graph = graphOf(dependencies);
  const incoming = new Map<number, number>();
  for (const { to } of dependencies) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  const gone = [...graph.keys()].filter((node) => !incoming.has(node));
  for (const node of gone) {
    for (const { to } of graph.get(node) ?? []) {
      const left = (incoming.get(to) ?? 0) - 1;
      incoming.set(to, left);
      if (left === 0) gone.push(to);
    }
  }
  const without = new Set(gone);
  return dependencies.filter(({ from }) => !without.has(from));
}

/** A shortest way between two transactions, over these kinds only; undefined where there is none. */
export function wayBetween(
  graph: Graph,
  { from, to }: { readonly from: number; readonly to: number },
  kinds: ReadonlySet<DependencyKind>,
): readonly Dependency[] | undefined {
  const cameBy = new Map<number, Dependency>();
  const queue = [from];
  for (const node of queue) {
    for (const dependency of graph.get(node) ?? []) {
      if (!kinds.has(dependency.kind) || cameBy.has(dependency.to)) continue;
      cameBy.set(dependency.to, dependency);
      if (dependency.to === to) return wayBack(cameBy, from, to);
      queue.push(dependency.to);
    }
  }
  return undefined;
}

function wayBack(cameBy: ReadonlyMap<number, Dependency>, from: number, to: number): readonly Dependency[] {
  const way: Dependency[] = [];
  for (let step = cameBy.get(to); step !== undefined; step = step.from === from ? undefined : cameBy.get(step.from)) {
    way.unshift(step);
  }
  return way;
}
