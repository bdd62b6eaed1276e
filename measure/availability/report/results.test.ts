import assert from "node:assert/strict";
import test from "node:test";
import type { Cell } from "../matrix";
import type { Try } from "../try";
import { latestOf, resultOf, resultsIn } from "./results";

const cell: Cell = { engine: "postgresql", fault: "kill", mode: "operator stopped", replication: "asynchronous" };
const circumstances = { version: "17.6", members: 3, date: "2026-01-02", commit: "abc1234" };

const attempt = (overallMs: number, lost = 0, impossible = 0): Try => ({
  outage: { overallMs, worstClientMs: overallMs + 100 },
  account: { acknowledged: 1000, refused: 1, unknown: 4, lost, unknownFound: 2, impossible },
  twoWriters: [],
  consistency: { transactions: 200, anomalies: lost > 0 ? [{ kind: "lost", detail: "1 of list 1" }] : [] },
  newConnections: { opened: 40, refused: 3, hung: 2, stale: lost },
  wholeMs: overallMs + 2000,
  pace: 1,
  primaries: ["orders-0", "orders-1"],
});

test("tries of a kind become one line: median and maximum of outages in seconds, sums of rows", () => {
  const result = resultOf(cell, [attempt(1500), attempt(4004, 3), attempt(2000)], 1, circumstances);
  assert.deepEqual(result, {
    ...{ ...cell, ...circumstances, tries: 3, failed: 1 },
    ...{ outage_p50_s: 2, outage_max_s: 4, client_max_s: 4.1, whole_max_s: 6 },
    ...{ acked: 3000, lost: 3, lossy_tries: 1, unknown: 12, unknown_found: 6, refused: 3, two_writers: 0 },
    lists: { transactions: 600, anomalies: ["lost"] },
    connections: { opened: 120, refused: 9, hung: 6, stale: 3 },
  });
  assert.deepEqual(resultsIn(`${JSON.stringify(result)}\n\n`), [result]);
});

test("rows that cannot be there make no line", () => {
  assert.throws(() => resultOf(cell, [attempt(1500, 0, 2)], 0, circumstances), /2 rows are there that were never sent/);
});

test("an invalid line is an error", () => {
  assert.throws(() => resultsIn('{"engine":"postgresql"}'));
  assert.throws(() => resultsIn(JSON.stringify({ ...resultOf(cell, [attempt(1)], 0, circumstances), fault: "rain" })));
});

test("of each kind the latest line counts", () => {
  const first = resultOf(cell, [attempt(1500)], 0, circumstances);
  const second = resultOf(cell, [attempt(1000)], 0, circumstances);
  const other = resultOf({ ...cell, replication: "synchronous" }, [attempt(1)], 0, circumstances);
  const small = resultOf(cell, [attempt(1)], 0, { ...circumstances, members: 2 });
  assert.deepEqual(latestOf([first, other, small, second]), [second, other, small]);
});
