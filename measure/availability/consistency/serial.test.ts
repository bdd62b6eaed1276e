// Histories that a serial execution left, as many as are wanted: the checker finds nothing in them, and what is then spoilt it finds.
import assert from "node:assert/strict";
import test from "node:test";
import { array, assert as check, boolean, constantFrom, integer, property, record, type Arbitrary } from "fast-check";
import { anomaliesIn, kindsOf } from "./check";
import type { History, Operation, Transaction } from "./history";

interface Plan {
  readonly steps: readonly { readonly isRead: boolean; readonly key: number }[];
  readonly fate: "committed" | "aborted" | "unknown, done" | "unknown, not done";
  /** How long before and after the moment at which it takes effect it begins and ends. */
  readonly before: number;
  readonly after: number;
}

const plan: Arbitrary<Plan> = record({
  steps: array(record({ isRead: boolean(), key: integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 4 }),
  fate: constantFrom("committed", "committed", "aborted", "unknown, done", "unknown, not done"),
  before: integer({ min: 1, max: 60 }),
  after: integer({ min: 1, max: 60 }),
});
const plans = array(plan, { minLength: 1, maxLength: 40 });

/** Executes the plans one after the other, one every 20 ms; clients see them overlap. */
function serially(wanted: readonly Plan[]): History {
  let lists = new Map<number, readonly number[]>();
  let next = 0;
  const transactions = wanted.map(({ steps, fate, before, after }, index): Transaction => {
    const own = new Map(lists);
    const operations = steps.map(({ isRead, key }): Operation => {
      const values = own.get(key) ?? [];
      if (isRead) return { kind: "read", key, values };
      next += 1;
      own.set(key, [...values, next]);
      return { kind: "append", key, value: next };
    });
    if (fate === "committed" || fate === "unknown, done") lists = own;
    const ending = fate === "committed" || fate === "aborted" ? fate : "unknown";
    return { client: index, operations, ending, startedAt: index * 20 - before, endedAt: index * 20 + after };
  });
  return { transactions, finals: ["a", "b"].map((member) => ({ member, lists })) };
}

test("a serial execution shows no anomaly, whatever overlaps, is aborted, or is never answered", () => {
  check(
    property(plans, (wanted) => {
      assert.deepEqual(anomaliesIn(serially(wanted)), []);
    }),
    { numRuns: 500 },
  );
});

/** The last acknowledged append, taken away from every list. */
function withLoss({ transactions, finals }: History): History | undefined {
  const appends = transactions
    .filter(({ ending }) => ending === "committed")
    .flatMap(({ operations }) => operations.filter(({ kind }) => kind === "append"));
  const lost = appends.at(-1);
  if (lost?.kind !== "append") return undefined;
  const without = (key: number, values: readonly number[]): readonly number[] =>
    key === lost.key ? values.filter((value) => value !== lost.value) : values;
  return {
    transactions,
    finals: finals.map(({ member, lists }) => ({
      member,
      lists: new Map([...lists].map(([key, values]) => [key, without(key, values)])),
    })),
  };
}

test("an acknowledged append that is taken away is always found", () => {
  check(
    property(plans, (wanted) => {
      const history = withLoss(serially(wanted));
      if (history) assert.ok(kindsOf(anomaliesIn(history)).includes("lost"));
    }),
  );
});

/** A transaction that reads all lists as they were before the last acknowledged append, and begins after it had ended. */
function withStaleRead({ transactions, finals }: History): History | undefined {
  const writer = transactions.findLast(
    ({ ending, operations }) => ending === "committed" && operations.some(({ kind }) => kind === "append"),
  );
  const lists = finals[0]?.lists ?? new Map<number, readonly number[]>();
  if (writer === undefined) return undefined;
  const [first] = writer.operations.filter(({ kind }) => kind === "append");
  if (first?.kind !== "append") return undefined;
  const values = lists.get(first.key) ?? [];
  const read: Operation = { kind: "read", key: first.key, values: values.slice(0, values.indexOf(first.value)) };
  const times = { startedAt: writer.endedAt + 1, endedAt: writer.endedAt + 2 };
  return { transactions: [...transactions, { client: -1, operations: [read], ending: "committed", ...times }], finals };
}

test("a read that misses what had been acknowledged is always found", () => {
  check(
    property(plans, (wanted) => {
      const history = withStaleRead(serially(wanted));
      if (history) assert.ok(kindsOf(anomaliesIn(history)).some((kind) => kind.endsWith("-realtime")));
    }),
  );
});
