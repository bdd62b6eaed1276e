// What a transaction sees of its own doings.
import type { Anomaly } from "./anomalies";
import type { Operation } from "./history";
import type { Settled } from "./settled";

/** What a transaction knows of one list: all of it once it has read it, else only what it appended. */
interface Known {
  readonly isWhole: boolean;
  readonly values: readonly number[];
}

/**
 * A list must be what the transaction read before and appended since; before its first read, it must end with what was appended. With snapshots or locks that
 * last as long as the transaction nothing else can be seen. Source: the Elle paper ("internal inconsistency").
 */
export function internalAnomalies(settled: readonly Settled[]): Anomaly[] {
  return settled.flatMap(({ title, operations }) =>
    contradictionsIn(operations).map((key): Anomaly => ({ kind: "internal", detail: `${title} in list ${key}` })),
  );
}

function contradictionsIn(operations: readonly Operation[]): readonly number[] {
  const known = new Map<number, Known>();
  const broken = new Set<number>();
  for (const operation of operations) {
    const { key } = operation;
    const before = known.get(key) ?? { isWhole: false, values: [] };
    if (operation.kind === "append") known.set(key, { ...before, values: [...before.values, operation.value] });
    else {
      if (!fits(operation.values, before)) broken.add(key);
      known.set(key, { isWhole: true, values: operation.values });
    }
  }
  return [...broken];
}

function fits(values: readonly number[], { isWhole, values: expected }: Known): boolean {
  if (isWhole && values.length !== expected.length) return false;
  const from = values.length - expected.length;
  return from >= 0 && expected.every((value, index) => values[from + index] === value);
}
