// What is certain of a history: which transactions took effect, and who appended what.
import { appendsOf, readsOf, type History, type Operation, type Transaction } from "./history";

/** A transaction that took effect, or the last look at a member. */
export interface Settled {
  /** As details of anomalies name it. */
  readonly title: string;
  readonly operations: readonly Operation[];
  readonly startedAt: number;
  /** When its effects were acknowledged; undefined where they never were. */
  readonly acknowledgedAt: number | undefined;
}

/** Names one value of one list. */
export const nameOf = (key: number, value: number): string => `${key}/${value}`;

export const titleOf = ({ client, startedAt, endedAt }: Transaction): string =>
  `client ${client} ${startedAt.toFixed(1)}-${endedAt.toFixed(1)}`;

/**
 * Committed transactions, last looks, and those of unknown ending of which a committed one or a last look saw an append: they have committed, too.
 * In any other case nothing is certain of them, and they are left out.
 */
export function settledIn({ transactions, finals }: History): readonly Settled[] {
  const looks = finals.map(({ member, lists }): Settled => {
    const operations = [...lists].map(([key, values]): Operation => ({ kind: "read", key, values }));
    return { title: `last look at ${member}`, operations, startedAt: Infinity, acknowledgedAt: undefined };
  });
  const certain = transactions.filter(({ ending }) => ending === "committed");
  const seen = new Set(
    [...looks, ...certain].flatMap(readsOf).flatMap(({ key, values }) => values.map((value) => nameOf(key, value))),
  );
  const isSeen = (one: Transaction): boolean => appendsOf(one).some(({ key, value }) => seen.has(nameOf(key, value)));
  const effective = transactions.filter(
    (one) => one.ending === "committed" || (one.ending === "unknown" && isSeen(one)),
  );
  return [...effective.map(settledOf), ...looks];
}

const settledOf = (one: Transaction): Settled => ({
  title: titleOf(one),
  operations: one.operations,
  startedAt: one.startedAt,
  acknowledgedAt: one.ending === "committed" ? one.endedAt : undefined,
});
