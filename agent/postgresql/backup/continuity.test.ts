import assert from "node:assert/strict";
import test from "node:test";
import { backupOf } from "../../../test/fakes/pgbackrest";
import type { Backup } from "./catalogue";
import { continuityOf, hasSegment, isBehind, isHole } from "./continuity";

const name = (timeline: number, position: number): string =>
  [timeline, Math.floor(position / 256), position % 256]
    .map((part) => part.toString(16).toUpperCase().padStart(8, "0"))
    .join("");

const listed = (...segments: readonly string[]): string =>
  ["archive.info", "17-1", "17-1/0000000100000000", "17-1/0000000100000000/000000010000000000000005.00000028.backup"]
    .concat(segments.map((segment) => `17-1/${segment.slice(0, 16)}/${segment}-${"0a".repeat(20)}.zst`))
    .concat("17-1/00000002.history")
    .join("\n");

const range = (timeline: number, first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => name(timeline, first + index));

const backup = (timeline: number, position: number): Backup =>
  backupOf(`at ${position}`, { stoppedAt: position, firstSegment: name(timeline, position) });

const backups = [backup(1, 250), backup(1, 260), backup(1, 270)];

test("where all segments are there, a restore can go back to the oldest backup", () => {
  assert.deepEqual(continuityOf(listed(...range(1, 250, 280)), backups), { from: backups[0], missing: undefined });
});

test("a segment that is missing makes the first backup after it the earliest", () => {
  const segments = range(1, 250, 280).filter((segment) => segment !== name(1, 256));
  assert.deepEqual(continuityOf(listed(...segments), backups), {
    from: backups[1],
    missing: "000000010000000100000000",
  });
  const more = segments.filter((segment) => segment !== name(1, 265));
  assert.deepEqual(continuityOf(listed(...more), backups), { from: backups[2], missing: name(1, 265) });
});

test("what came after the newest backup is not judged: it may be on its way", () => {
  const segments = range(1, 250, 280).filter((segment) => segment !== name(1, 272));
  assert.equal(continuityOf(listed(...segments), backups).missing, undefined);
});

test("after a failover the next timeline continues, with or without a segment of both", () => {
  for (const start of [262, 263]) {
    const segments = [...range(1, 250, 262), ...range(2, start, 280)];
    assert.deepEqual(continuityOf(listed(...segments), backups), { from: backups[0], missing: undefined });
  }
  const [cut, lost] = [
    continuityOf(listed(...range(1, 250, 262), ...range(2, 264, 280)), backups),
    // the former primary archived past the fork, and what the new one wrote there is missing
    continuityOf(listed(...range(1, 250, 266), ...range(2, 262, 263), ...range(2, 265, 280)), backups),
  ];
  assert.deepEqual(cut, { from: backups[2], missing: name(2, 263) });
  assert.deepEqual(lost, { from: backups[2], missing: name(2, 264) });
});

test("a single backup needs nothing before it, and without one there is nowhere to go back to", () => {
  assert.deepEqual(continuityOf(listed(), [backup(1, 7)]), { from: backup(1, 7), missing: undefined });
  assert.deepEqual(continuityOf(listed(), []), { from: undefined, missing: undefined });
});

test("a segment that is not there is a hole where a later one is, and else the end", () => {
  const segments = [...range(1, 1, 4), ...range(2, 4, 9)];
  assert.equal(isHole(listed(...segments), name(2, 10)), false);
  assert.equal(isHole(listed(...segments, name(2, 12)), name(2, 10)), true);
  assert.equal(isHole(listed(...segments, name(2, 12), name(2, 10)), name(2, 10)), false);
  assert.equal(isHole(listed(...segments, name(1, 12)), name(2, 10)), false, "of a timeline that was left");
});

test("whether a segment is there, or has its place behind all that is, goes by its name", () => {
  const segments = listed(...range(1, 1, 4), ...range(2, 4, 9));
  assert.deepEqual(
    [name(2, 8), name(1, 8), name(2, 10)].map((one) => hasSegment(segments, one)),
    [true, false, false],
  );
  assert.deepEqual(
    [name(2, 8), name(3, 9), name(2, 10), name(1, 10)].map((one) => isBehind(segments, one)),
    [false, false, true, true],
  );
});
