import assert from "node:assert/strict";
import test from "node:test";
import { nameOf } from "../backup/continuity";
import type { Base } from "./bases";
import { givingWay, missingBytes, noteOf, standingOf, unneeded, type Room } from "./decide";
import type { Wal } from "./lineage";

const name = (position: number): string => nameOf({ timeline: 1, position });
const base = (first: number, bytes = 0): Base => ({
  ...{ label: `at ${first}`, completedAt: `2026-11-27T10:00:${first}Z`, bytes },
  first: { timeline: 1, position: first },
  end: { timeline: 1, position: first + 1 },
  firstSegment: name(first + 1),
});
const wal = (...positions: readonly number[]): Wal => ({
  whole: positions.slice(0, -1).map(name),
  partial: positions.slice(-1).map(name),
  histories: new Map(),
});
const volume = { kept: new Set<string>(), retention: 7 };
const mebibyte = 1024 ** 2;

test("all moments since the oldest backup are there where nothing is missing", () => {
  const bases = [base(10), base(14)];
  assert.deepEqual(standingOf(bases, wal(11, 12, 13, 14, 15, 16)), { from: bases[0], hole: undefined });
  // a backup has its own WAL up to its end
  assert.deepEqual(standingOf([base(10)], wal(11)), { from: base(10), hole: undefined });
});

test("a hole between backups shortens that, and one behind the newest is a gap", () => {
  const bases = [base(10), base(14)];
  assert.deepEqual(standingOf(bases, wal(11, 13, 14, 15, 16)), { from: bases[1], hole: undefined });
  assert.deepEqual(standingOf(bases, wal(11, 12, 13, 14, 15, 17)), { from: undefined, hole: name(16) });
  assert.deepEqual(standingOf([base(10)], wal(14, 15)), { from: undefined, hole: name(13) });
});

test("without a backup, or before what it needs has been written, nothing is missing", () => {
  for (const bases of [[], [base(20)]]) assert.equal(standingOf(bases, wal(11, 12)).hole, undefined);
});

test("WAL goes that no counted backup needs; one that is kept for years holds none", () => {
  const all = wal(9, 10, 11, 14, 15);
  assert.deepEqual(unneeded(all, { ...volume, bases: [base(10), base(14)] }), [name(9)]);
  const kept = { bases: [base(10), base(14)], kept: new Set(["at 10"]), retention: 1 };
  assert.deepEqual(unneeded(all, kept), [name(9), name(10), name(11)]);
  assert.deepEqual(unneeded(all, { ...volume, bases: [] }), []);
});

test("where the next backup has no room the oldest WAL gives way, never what leads on from the newest backup", () => {
  const room: Room = { ...volume, bases: [base(10), base(14, 50 * mebibyte)], free: 100 * mebibyte, arrived: 0 };
  const all = wal(10, 11, 12, 13, 14, 15);
  // 55 MiB, 32 of its own WAL, and 64 beside it
  assert.deepEqual(givingWay(all, room), [name(10), name(11), name(12), name(13)]);
  assert.deepEqual(givingWay(all, { ...room, free: 300 * mebibyte }), []);
  assert.deepEqual(givingWay(all, { ...room, free: 0 }).at(-1), name(13));
  assert.ok(missingBytes({ ...room, free: 0 }) >= 151 * mebibyte);
  assert.ok(missingBytes({ ...room, free: 300 * mebibyte }) < 0);
});

test("a failure is told once it lasts, and a gap at once", () => {
  const trouble = (ms: number): object => noteOf({ from: undefined, gap: undefined, trouble: { why: "no route", ms } });
  assert.deepEqual(trouble(1_000), { state: "Arriving" });
  assert.deepEqual(trouble(31_000), { state: "Waiting", message: "no route" });
  const gap = { segment: name(16), at: "2026-11-27T10:00:00Z" };
  assert.deepEqual(noteOf({ from: base(10), gap, trouble: undefined }), {
    ...{ state: "Arriving", gap, recoverableFrom: "2026-11-27T10:00:10Z" },
  });
});
