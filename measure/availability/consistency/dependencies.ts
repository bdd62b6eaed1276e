// Dependencies between transactions, out of the orders of lists and of time.
import type { Dependency, DependencyKind } from "./graph";
import { appendsOf, readsOf } from "./history";
import { distinct, isBeginning, type Orders } from "./orders";
import { nameOf, type Settled } from "./settled";

/** Of writes and reads. Source: the Elle paper (inferred dependencies); one that contradicts the order of its list shows nothing here. */
export function dataDependencies(settled: readonly Settled[], orders: Orders): readonly Dependency[] {
  const writers = new Map(
    settled.flatMap((one, index) =>
      appendsOf(one).map(({ key, value }): [string, number] => [nameOf(key, value), index]),
    ),
  );
  const writerOf = (key: number, value: number | undefined): number | undefined =>
    value === undefined ? undefined : writers.get(nameOf(key, value));
  const found: Dependency[] = [];
  const add = (from: number | undefined, to: number | undefined, kind: DependencyKind): void => {
    if (from !== undefined && to !== undefined && from !== to) found.push({ from, to, kind });
  };
  for (const [key, order] of orders) {
    for (const [index, value] of order.entries()) add(writerOf(key, order[index - 1]), writerOf(key, value), "ww");
  }
  for (const [reader, one] of settled.entries()) {
    for (const { key, values } of readsOf(one)) {
      const [read, order] = [distinct(values), orders.get(key) ?? []];
      if (!isBeginning(read, order)) continue;
      add(writerOf(key, read.at(-1)), reader, "wr");
      add(reader, writerOf(key, order[read.length]), "rw");
    }
  }
  return found;
}

/**
 * Of time: from those acknowledged last to whatever begins then; what came before them follows, as each of them leads to the next.
 * Source: the Elle paper (transitive reduction of the real-time order).
 */
export function timeDependencies(settled: readonly Settled[]): readonly Dependency[] {
  const moments = settled.flatMap(({ startedAt, acknowledgedAt }, index) => [
    { at: startedAt, index, isStart: true },
    ...(acknowledgedAt === undefined ? [] : [{ at: acknowledgedAt, index, isStart: false }]),
  ]);
  // at the same moment nothing is before the other
  moments.sort((left, right) => Math.sign(left.at - right.at) || Number(right.isStart) - Number(left.isStart));
  const latest = new Set<number>();
  const before = new Map<number, readonly number[]>();
  const found: Dependency[] = [];
  for (const { index, isStart } of moments) {
    if (isStart) {
      before.set(index, [...latest]);
      for (const from of latest) found.push({ from, to: index, kind: "rt" });
    } else {
      for (const earlier of before.get(index) ?? []) latest.delete(earlier);
      latest.add(index);
    }
  }
  return found;
}
