import assert from "node:assert/strict";
import test from "node:test";
import { nameOf } from "../backup/continuity";
import type { Base } from "./bases";
import { givingWay, missingBytes, noteOf, standingOf, unneeded, type Room } from "./decide";
import type { Wal } from "./lineage";

const name = (position: number): string => nameOf({ timeline: 1, position });
const hex = (number: number): string => number.toString(16).toUpperCase();
const base = (first: number): Base => ({
  ...{ label: `at ${first}`, completedAt: `2026-11-27T10:00:${first}Z` },
  first: { timeline: 1, position: first },
  end: { timeline: 1, position: first + 1, lsn: `0/${hex(first + 1)}000100` },
  firstSegment: name(first + 1),
});
const wal = (...positions: readonly number[]): Wal => ({
  whole: positions.slice(0, -1).map(name),
  partial: positions.slice(-1).map(name),
  histories: new Map(),
});
const mebibyte = 1024 ** 2;
const sizes = new Map([
  ["at 10", 0],
  ["at 14", 50 * mebibyte],
]);
const volume = { kept: new Set<string>(), retention: 7, sizes };

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
  const kept = { bases: [base(10), base(14)], kept: new Set(["at 10"]), retention: 1, sizes };
  assert.deepEqual(unneeded(all, kept), [name(9), name(10), name(11)]);
  assert.deepEqual(unneeded(all, { ...volume, bases: [] }), []);
});

test("where the next backup has no room the oldest WAL gives way, never what leads on from the newest backup", () => {
  const free = 100 * mebibyte;
  const room: Room = { ...volume, bases: [base(10), base(14)], free, arrived: 0, isBackingUp: false };
  const all = wal(10, 11, 12, 13, 14, 15);
  // 55 MiB, 32 of its own WAL, and 64 beside it
  assert.deepEqual(givingWay(all, room), [name(10), name(11), name(12), name(13)]);
  assert.deepEqual(givingWay(all, { ...room, free: 300 * mebibyte }), []);
  assert.deepEqual(givingWay(all, { ...room, free: 0 }).at(-1), name(13));
  assert.ok(missingBytes({ ...room, free: 0 }) >= 151 * mebibyte);
  assert.ok(missingBytes({ ...room, free: 300 * mebibyte }) < 0);
  // the one that is being taken has made its room, and of what has not been told nothing is reckoned
  for (const less of [{ isBackingUp: true }, { sizes: new Map([["at 14", 1024 ** 4]]) }]) {
    assert.deepEqual(givingWay(all, { ...room, ...less }), []);
    assert.equal(missingBytes({ ...room, ...less }), -36 * mebibyte);
  }
});

test("a backup of what a former primary wrote alone leads nowhere: another one is needed, and the one before it leads to the end", () => {
  const later = (position: number): string => nameOf({ timeline: 2, position });
  const forked = (lsn: string): Wal => ({
    whole: [name(11), name(12), name(13), name(14), later(15), later(16)],
    partial: [name(15), later(17)],
    histories: new Map([[2, `1\t${lsn}\tno recovery target specified\n`]]),
  });
  const bases = [base(10), base(14)];
  // in the same segment: the backup ends at 0/F000100
  assert.deepEqual(standingOf(bases, forked("0/F000200")), { from: bases[0], hole: undefined });
  const lost = forked("0/F000090");
  assert.deepEqual(standingOf(bases, lost), { from: bases[0], hole: name(15) });
  assert.deepEqual(standingOf(bases.slice(1), lost), { from: undefined, hole: name(15) });
  const room: Room = { ...volume, bases, free: 0, arrived: 0, isBackingUp: false };
  assert.deepEqual(givingWay(lost, room), [], "what the one before it needs");
  assert.deepEqual(unneeded(lost, { ...volume, bases, kept: new Set(["at 10"]), retention: 1 }), []);
  const after: Base = { ...base(16), end: { timeline: 2, position: 17, lsn: "0/11000100" }, firstSegment: later(17) };
  assert.deepEqual(standingOf([...bases, after], lost), { from: bases[0], hole: undefined });
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
