import assert from "node:assert/strict";
import test from "node:test";
import { nameOf } from "../backup/continuity";
import { startsOf, type Kept, type Primary } from "./start";

const name = (timeline: number, position: number): string => nameOf({ timeline, position });
const kept = (whole: readonly string[], partial: readonly string[] = [], base?: Kept["base"]): Kept => ({
  ...{ whole, partial },
  base,
});
const first: Primary = { timeline: 1, lsn: "0/9000100", forks: [], slot: "0/7000000" };
const second: Primary = {
  timeline: 2,
  lsn: "0/9000100",
  forks: [{ timeline: 1, position: 6, lsn: "0/6000100" }],
  slot: "0/5000000",
};
const places = (found: Kept, primary: Primary): string[] => startsOf(found, primary).map(nameOf);

test("what is kept is continued: the segment that is not complete, or the next one", () => {
  assert.deepEqual(places(kept([name(1, 7)]), first), [name(1, 8)]);
  assert.deepEqual(places(kept([name(1, 7)], [name(1, 8)]), first), [name(1, 8)]);
  assert.deepEqual(places(kept([], [name(1, 8)]), first), [name(1, 8)]);
});

test("where the primary has that no more, the newest backup and then its slot say where to begin", () => {
  assert.deepEqual(places(kept([name(1, 2)], [], { timeline: 1, position: 5, lsn: "0/5000100" }), first), [
    ...[name(1, 3), name(1, 5), name(1, 7)],
  ]);
  assert.deepEqual(places(kept([], [], { timeline: 1, position: 8, lsn: "0/8000100" }), first), [
    name(1, 8),
    name(1, 7),
  ]);
  assert.deepEqual(places(kept([]), first), [name(1, 7)]);
});

test("a new primary continues the former one's timeline up to where its own began", () => {
  assert.deepEqual(places(kept([name(1, 4)]), second), [name(1, 5)]);
  assert.deepEqual(places(kept([name(1, 5)], [name(1, 6)]), second), [name(2, 6)]);
});

test("what a former primary wrote beyond that is history no more: the new timeline is kept from its begin", () => {
  assert.deepEqual(places(kept([name(1, 7), name(1, 8)]), second), [name(2, 6)]);
});

test("of a timeline that the primary does not come from nothing is continued", () => {
  assert.deepEqual(places(kept([name(1, 4), name(3, 8)]), second), [name(1, 5)]);
  assert.deepEqual(places(kept([name(3, 8)]), second), [name(1, 5)]);
});

test("nothing begins behind a backup of what a former primary wrote alone", () => {
  const base = (lsn: string): Kept["base"] => ({ timeline: 1, position: 6, lsn });
  assert.deepEqual(places(kept([], [], base("0/6000100")), second), [name(2, 6), name(1, 5)]);
  assert.deepEqual(places(kept([], [], base("0/6000200")), second), [name(1, 5)]);
});
