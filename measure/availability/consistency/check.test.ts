import assert from "node:assert/strict";
import test from "node:test";
import { anomaliesIn, kindsOf } from "./check";
import type { Ending, FinalRead, History, Operation, Transaction } from "./history";

const append = (key: number, value: number): Operation => ({ kind: "append", key, value });
const read = (key: number, ...values: readonly number[]): Operation => ({ kind: "read", key, values });

/** A transaction between two moments. */
function from(startedAt: number, endedAt: number, ending: Ending, ...operations: readonly Operation[]): Transaction {
  return { client: startedAt, operations, ending, startedAt, endedAt };
}

const committed = (...operations: readonly Operation[]): Transaction => from(0, 100, "committed", ...operations);
const aborted = (...operations: readonly Operation[]): Transaction => from(0, 100, "aborted", ...operations);
const unknown = (...operations: readonly Operation[]): Transaction => from(0, 100, "unknown", ...operations);

const look = (lists: Readonly<Record<number, readonly number[]>>, member = "orders-0"): FinalRead => ({
  member,
  lists: new Map(Object.entries(lists).map(([key, values]) => [Number(key), values])),
});

const found = (transactions: readonly Transaction[], ...finals: readonly FinalRead[]): readonly string[] =>
  kindsOf(anomaliesIn({ transactions, finals }));

test("what serial transactions can have left shows no anomaly", () => {
  const history: History = {
    transactions: [
      from(0, 1, "committed", append(1, 1), append(1, 2)),
      from(2, 3, "aborted", append(1, 3), read(1, 1, 2, 3)),
      from(4, 5, "unknown", append(2, 1)),
      from(6, 7, "committed", read(1, 1, 2), read(2), append(2, 2), read(2, 2)),
      from(8, 9, "unknown", append(1, 4)),
    ],
    finals: [look({ 1: [1, 2, 4], 2: [2] }), look({ 1: [1, 2, 4], 2: [2] }, "orders-1")],
  };
  assert.deepEqual(anomaliesIn(history), []);
});

test("an acknowledged append that one member does not have at the end is lost; one of unknown ending is not", () => {
  const transactions = [committed(append(1, 1)), unknown(append(1, 2)), aborted(append(1, 3))];
  const missing = anomaliesIn({ transactions, finals: [look({ 1: [1] }), look({}, "orders-1")] });
  assert.deepEqual(kindsOf(missing), ["lost"]);
  assert.match(missing[0]?.detail ?? "", /^1 of list 1 by client 0 .*missing on orders-1$/);
  assert.deepEqual(found(transactions, look({ 1: [1] })), []);
});

test("a value that is there twice, or was never appended, is reported", () => {
  assert.deepEqual(found([committed(append(1, 1))], look({ 1: [1, 1] })), ["duplicate"]);
  assert.deepEqual(found([committed(append(1, 1))], look({ 1: [1, 7] })), ["unwritten"]);
});

test("two reads must agree on how a list began", () => {
  const transactions = [committed(append(1, 1)), committed(append(1, 2)), committed(append(1, 3))];
  assert.deepEqual(found([...transactions, committed(read(1, 2, 1))], look({ 1: [1, 2, 3] })), ["incompatible-order"]);
  assert.deepEqual(found(transactions, look({ 1: [1, 2, 3] }), look({ 1: [2, 1, 3] }, "orders-1")), [
    "incompatible-order",
  ]);
});

test("a transaction must see what it read and did", () => {
  const twice = [committed(append(1, 1)), committed(read(1), read(1, 1))];
  assert.deepEqual(found(twice), ["internal", "G-single"]);
  assert.ok(found([committed(append(1, 1), read(1))]).includes("internal"));
  assert.ok(found([committed(append(1, 1)), committed(append(1, 2), read(1, 2, 1))]).includes("internal"));
  assert.deepEqual(found([committed(append(1, 1)), committed(append(1, 2), read(1, 1, 2))]), []);
});

test("G1a: no transaction may see what was aborted", () => {
  assert.deepEqual(found([aborted(append(1, 1)), committed(read(1, 1))]), ["G1a"]);
  assert.deepEqual(found([unknown(append(1, 1)), committed(read(1, 1))]), []);
});

test("G1b: no transaction may see a list in the middle of another", () => {
  const writer = committed(append(1, 1), append(1, 2));
  assert.ok(found([writer, committed(read(1, 1))], look({ 1: [1, 2] })).includes("G1b"));
  assert.deepEqual(found([committed(append(1, 1), read(1, 1), append(1, 2))], look({ 1: [1, 2] })), []);
});

test("G0: the writes of two transactions lie around each other", () => {
  const transactions = [committed(append(1, 1), append(2, 1)), committed(append(1, 2), append(2, 2))];
  assert.deepEqual(found(transactions, look({ 1: [1, 2], 2: [2, 1] })), ["G0"]);
});

test("G1c: two transactions see each other's writes", () => {
  const transactions = [committed(append(1, 1), read(2, 1)), committed(append(2, 1), read(1, 1))];
  assert.deepEqual(found(transactions), ["G1c"]);
});

test("G-single: a transaction sees one write of another and misses the other", () => {
  const transactions = [committed(append(1, 1), append(2, 1)), committed(read(1, 1), read(2))];
  assert.deepEqual(found(transactions, look({ 1: [1], 2: [1] })), ["G-single"]);
});

test("G2: two transactions miss each other's writes", () => {
  const transactions = [committed(read(1), append(2, 1)), committed(read(2), append(1, 1))];
  assert.deepEqual(found(transactions, look({ 1: [1], 2: [1] })), ["G2"]);
});

test("a circle over transactions of unknown ending counts where their writes were seen", () => {
  const transactions = [unknown(read(1), append(2, 1)), committed(read(2), append(1, 1))];
  assert.deepEqual(found(transactions, look({ 1: [1], 2: [1] })), ["G2"]);
  assert.deepEqual(found(transactions, look({ 1: [1], 2: [] })), []);
});

test("a stale read: it misses what was acknowledged before it began, over others as well", () => {
  const append1 = from(0, 1, "committed", append(1, 1));
  const final = look({ 1: [1], 2: [5] });
  assert.deepEqual(found([append1, from(2, 3, "committed", read(1))], look({ 1: [1] })), ["G-single-realtime"]);
  assert.deepEqual(found([append1, from(0.5, 3, "committed", read(1))], look({ 1: [1] })), []);
  assert.deepEqual(found([append1, from(1, 3, "committed", read(1))], look({ 1: [1] })), []);
  const during = from(0.5, 2, "committed", append(2, 5));
  assert.deepEqual(
    found([from(-2, -1, "committed", read(2)), append1, during, from(4, 5, "committed", read(1))], final),
    ["G-single-realtime"],
  );
  const between = from(2, 3, "committed", append(2, 5));
  assert.deepEqual(found([append1, between, from(4, 5, "committed", read(1))], final), ["G-single-realtime"]);
});

test("a write that is put before one that had been acknowledged, and a read from the future", () => {
  const [first, second] = [from(0, 1, "committed", append(1, 1)), from(2, 3, "committed", append(1, 2))];
  assert.deepEqual(found([first, second], look({ 1: [2, 1] })), ["G0-realtime"]);
  const early = from(0, 1, "committed", read(1, 1));
  assert.deepEqual(found([early, from(2, 3, "committed", append(1, 1))]), ["G1c-realtime"]);
});

test("write skew that only time shows: the one that began later is missed by the one that had ended", () => {
  // the first misses the second, which misses the third; and the third had ended before the first began
  const transactions = [
    from(4, 5, "committed", read(1)),
    from(0, 6, "committed", append(1, 1), read(2)),
    from(1, 2, "committed", append(2, 1)),
  ];
  assert.deepEqual(found(transactions, look({ 1: [1], 2: [1] })), ["G2-realtime"]);
});

test("details name the transactions of a circle", () => {
  const transactions = [from(1, 9, "committed", read(1), append(2, 1)), from(2, 9, "committed", read(2), append(1, 1))];
  const [anomaly] = anomaliesIn({ transactions, finals: [look({ 1: [1], 2: [1] })] });
  assert.equal(anomaly?.detail, "[client 1 1.0-9.0] rw [client 2 2.0-9.0] rw [client 1 1.0-9.0]");
});
