import assert from "node:assert/strict";
import test from "node:test";
import { nameOf } from "../backup/continuity";
import { endOf, forksIn, livingIn, type Wal } from "./lineage";

const name = (timeline: number, position: number): string => nameOf({ timeline, position });
const history = "1\t0/6000110\tno recovery target specified\n";
const wal = (
  whole: readonly string[],
  partial: readonly string[] = [],
  histories: Wal["histories"] = new Map(),
): Wal => ({
  ...{ whole, partial, histories },
});

test("a history file says in which segment each timeline ended", () => {
  assert.deepEqual(forksIn(`${history}\n2\t1/1000000\tx\n`), [
    { timeline: 1, position: 6 },
    { timeline: 2, position: 257 },
  ]);
});

test("a segment that is not complete counts at the end alone", () => {
  assert.deepEqual(endOf(wal([name(1, 4)], [name(1, 5)])), { timeline: 1, position: 5 });
  assert.equal(endOf(wal([name(1, 4), name(1, 6)], [name(1, 5)])), undefined);
  assert.deepEqual(endOf(wal([name(1, 7)], [name(2, 6)])), { timeline: 2, position: 6 });
});

test("what a former primary wrote beyond the begin of the new timeline is left out", () => {
  const all = wal([name(1, 5), name(1, 6), name(1, 7)], [name(1, 8), name(2, 6)], new Map([[2, history]]));
  assert.equal(livingIn(all), [name(1, 5), name(2, 6)].join("\n"));
  assert.equal(livingIn(all, true), name(1, 5));
});
