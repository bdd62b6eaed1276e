import assert from "node:assert/strict";
import test from "node:test";
import { nameOf } from "../backup/continuity";
import { ancestorsIn, endOf, forksIn, isLivingAt, livingIn, type Wal } from "./lineage";

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
    { timeline: 1, lsn: "0/6000110", position: 6 },
    { timeline: 2, lsn: "1/1000000", position: 257 },
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

test("where nothing of a new timeline has come, the former one ends where it began", () => {
  const all = wal([name(1, 5), name(1, 6)], [name(1, 7)], new Map([[2, history]]));
  assert.equal(livingIn(all), name(1, 5));
});

test("a backup is history up to where its timeline was left, to the byte", () => {
  const all = wal([name(1, 5)], [name(2, 6)], new Map([[2, history]]));
  const ends = ["0/6000110", "0/6000111", "0/5000000"].map((lsn) => isLivingAt({ timeline: 1, position: 6, lsn }, all));
  assert.deepEqual(ends, [true, false, true]);
  assert.ok(isLivingAt({ timeline: 2, position: 9, lsn: "0/9000000" }, all));
  assert.ok(isLivingAt({ timeline: 3, position: 9, lsn: "0/9000000" }, all), "what is newer has not come yet");
  assert.ok(isLivingAt({ timeline: 1, position: 9, lsn: "0/9000000" }, wal([name(1, 5)])));
});

test("the history of a timeline has those of all that it comes from", () => {
  const third = `${history}\n2\t0/9000000\tno recovery target specified\n\n5\t0/A000000\tx\n`;
  assert.deepEqual(
    [...ancestorsIn(third)],
    [
      [2, history],
      [5, `${history}\n2\t0/9000000\tno recovery target specified\n`],
    ],
  );
  assert.deepEqual([...ancestorsIn(""), ...ancestorsIn(history)], []);
});
