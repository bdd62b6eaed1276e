import assert from "node:assert/strict";
import test from "node:test";
import type { VolumeLevel, VolumeNote } from "../../contract/volume-note";
import { fills, isNews, levelOf, noteOf } from "./decide";

const gibibyte = 2 ** 30;
const roomAt = (percent: number, total = 100 * gibibyte): { free: number; total: number } => ({
  free: total * (1 - percent / 100),
  total,
});

const levelsOf = (percents: readonly number[]): VolumeLevel[] => {
  let level: VolumeLevel = 0;
  return percents.map((percent) => (level = levelOf(roomAt(percent), level)));
};

test("a volume counts as fuller with each threshold, and as full before the last byte", () => {
  assert.deepEqual(levelsOf([10, 79.9, 80.1, 90.1, 95.1, 98.9, 99.5]), [0, 0, 80, 90, 95, 95, 100]);
});

test("of a small volume so much must be free as a server asks for at once", () => {
  assert.equal(levelOf({ free: 31 * 2 ** 20, total: gibibyte }, 0), 100);
  assert.equal(levelOf({ free: 33 * 2 ** 20, total: gibibyte }, 0), 95);
  // it does not flap either
  assert.equal(levelOf({ free: 33 * 2 ** 20, total: gibibyte }, 100), 100);
});

test("a level is left only some percent below its threshold", () => {
  assert.deepEqual(levelsOf([91, 89, 88, 86.9, 79, 77.5, 76.9]), [90, 90, 90, 80, 80, 80, 0]);
  assert.deepEqual(levelsOf([99.5, 50]), [100, 0]);
});

test("something fills a volume that would have room without it, and that is more than a little", () => {
  assert.equal(fills(20 * gibibyte, roomAt(95)), true);
  assert.equal(fills(14 * gibibyte, roomAt(95)), false);
  assert.equal(fills(9 * gibibyte, roomAt(85)), false);
});

const noteAt = (percent: number, level: VolumeLevel, some: Partial<VolumeNote> = {}): VolumeNote => ({
  ...noteOf(roomAt(percent), level, undefined, new Date("2026-11-25T08:00:00.5Z")),
  ...some,
});

test("a note says how large the volume is, and what of it is in use", () => {
  assert.deepEqual(noteAt(80, 80), {
    level: 80,
    size: 100 * gibibyte,
    used: 80 * gibibyte,
    at: "2026-11-25T08:00:00Z",
  });
});

test("news are another level, size or cause; and from time to time that it still fills up", () => {
  const before = noteAt(81, 80);
  assert.equal(isNews(undefined, before), true);
  assert.equal(isNews(before, noteAt(85, 80)), false);
  assert.equal(isNews(before, noteAt(91, 90)), true);
  assert.equal(isNews(before, { ...before, size: 120 * gibibyte }), true);
  // one whose file system shares its room says another size with each look
  assert.equal(isNews(before, { ...before, size: 100 * gibibyte + 2 ** 20 }), false);
  assert.equal(isNews(before, { ...before, size: 99.5 * gibibyte }), false);
  assert.equal(isNews(before, { ...before, size: 101 * gibibyte }), true);
  assert.equal(isNews(before, { ...before, cause: { kind: "slot", name: "a", bytes: 1 } }), true);
  const later = { at: "2026-11-25T08:30:00Z" };
  assert.equal(isNews(before, { ...before, ...later }), true);
  assert.equal(isNews(noteAt(10, 0), noteAt(10, 0, later)), false);
});
