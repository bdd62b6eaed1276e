// In which order the values of each list came, as reads show it.
import type { Anomaly } from "./anomalies";
import { readsOf } from "./history";
import type { Settled } from "./settled";

/** By list, its values in the order in which they came, as far as any client saw them. */
export type Orders = ReadonlyMap<number, readonly number[]>;

/** Each value once, where it came first: a duplicate is reported by itself. */
export const distinct = (values: readonly number[]): readonly number[] => [...new Set(values)];

/** The longest read of each list is its order; every other must be its beginning. Source: the Elle paper ("inconsistent version orders"). */
export function ordersIn(settled: readonly Settled[]): Orders {
  const longest = new Map<number, readonly number[]>();
  for (const { key, values } of settled.flatMap(readsOf)) {
    const order = distinct(values);
    if (order.length > (longest.get(key)?.length ?? 0)) longest.set(key, order);
  }
  return longest;
}

/** Whether a read list is the beginning of the order. */
export const isBeginning = (values: readonly number[], order: readonly number[]): boolean =>
  values.every((value, index) => order[index] === value);

export function incompatibleOrders(settled: readonly Settled[], orders: Orders): Anomaly[] {
  return settled.flatMap((reader) =>
    readsOf(reader)
      .filter(({ key, values }) => !isBeginning(distinct(values), orders.get(key) ?? []))
      .map(({ key }): Anomaly => {
        return {
          kind: "incompatible-order",
          detail: `${reader.title} read list ${key} as no other read can have left it`,
        };
      }),
  );
}
