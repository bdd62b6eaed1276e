// Appends that were acknowledged and are gone.
import type { Anomaly } from "./anomalies";
import { appendsOf, type History } from "./history";
import { titleOf } from "./settled";

/** Every acknowledged append must be in the last look at every member. Without a last look nothing is said. */
export function lostAppends({ transactions, finals }: History): Anomaly[] {
  const members = finals.map(({ member, lists }) => ({
    member,
    sets: new Map([...lists].map(([key, values]) => [key, new Set(values)])),
  }));
  return transactions
    .filter(({ ending }) => ending === "committed")
    .flatMap((transaction) =>
      appendsOf(transaction).flatMap(({ key, value }): Anomaly[] => {
        const without = members.filter(({ sets }) => sets.get(key)?.has(value) !== true).map(({ member }) => member);
        if (without.length === 0) return [];
        return [
          {
            kind: "lost",
            detail: `${value} of list ${key} by ${titleOf(transaction)}, missing on ${without.join(", ")}`,
          },
        ];
      }),
    );
}
