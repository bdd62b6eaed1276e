import assert from "node:assert/strict";
import test from "node:test";
import { baseOf, logOf, sessionOf } from "../../../test/fakes/mysql/archive";
import { givingWay, missingBytes, repeated, unneeded, type Room } from "./tidy";

const session = sessionOf(1, "", logOf("a.1", "", "1-5"), logOf("a.2", "1-5", "6-10"), logOf("a.3", "1-10", "11-15"));

test("logs go that no backup needs", () => {
  const bases = [baseOf("first", "1-5"), baseOf("second", "1-10"), baseOf("third", "1-15")];
  const names = (kept: ReadonlySet<string> | undefined, retention: number): string[] =>
    unneeded(session, { bases, kept, retention }).map(({ name }) => name);
  assert.deepEqual(names(new Set(), 3), ["a.1"]);
  assert.deepEqual(names(undefined, 1), ["a.1"], "what is kept is not known: all hold their logs");
  assert.deepEqual(unneeded(session, { bases: [], kept: new Set(), retention: 3 }), [], "without a backup all stay");
});

test("a backup that a person keeps holds its logs for as long as it would have been there, and no longer", () => {
  const bases = [baseOf("first", "1-5"), baseOf("second", "1-10"), baseOf("third", "1-15")];
  const names = (retention: number): string[] =>
    unneeded(session, { bases, kept: new Set(["first"]), retention }).map(({ name }) => name);
  assert.deepEqual(names(3), ["a.1"], "it was kept a moment ago");
  assert.deepEqual(names(2), ["a.1", "a.2"], "another backup has come since");
  const all = { bases, kept: new Set(["first", "second", "third"]), retention: 1 };
  assert.equal(unneeded(session, all).length, 3);
});

test("a newer backup of a member that was behind holds the logs that it needs", () => {
  const bases = [baseOf("first", "1-10"), baseOf("second", "1-5")];
  assert.deepEqual(
    unneeded(session, { bases, kept: new Set(), retention: 2 }).map(({ name }) => name),
    ["a.1"],
  );
});

test("what the next session has from its beginning on is not kept twice", () => {
  const sessions = [
    sessionOf(1, "", logOf("a.1", "", "1-5"), logOf("a.2", "1-5", "6-8")),
    sessionOf(2, "1-5", logOf("a.2", "1-5", "6-10")),
    sessionOf(3, "1-7", logOf("b.1", "1-7", "8-9")),
  ];
  assert.deepEqual(repeated(sessions), [[1, "a.2"]]);
});

const mebibyte = 1024 ** 2;
/** The next backup takes 142 MiB, and 32 must be free beside it. */
const room: Room = {
  ...{ bases: [baseOf("first", "1-3"), baseOf("second", "1-10")], kept: new Set<string>(), retention: 7 },
  ...{ free: 174 * mebibyte, member: { bytes: 100 * mebibyte, redo: 0 }, written: 0 },
};
const goingFor = (some: Partial<Room>): string[] => givingWay([session], { ...room, ...some }).map(({ name }) => name);

test("where the next backup would find no room, logs of older ones give way, the oldest first, and never those behind the newest", () => {
  assert.deepEqual(goingFor({}), []);
  const backups = [{ ...baseOf("first", "1-3"), bytes: 1 }, baseOf("second", "1-10")];
  assert.deepEqual(goingFor({ free: 174 * mebibyte - 100, bases: backups }), ["a.1"]);
  assert.deepEqual(goingFor({ free: 174 * mebibyte - 101, bases: backups }), ["a.1", "a.2"]);
  assert.deepEqual(goingFor({ free: 0 }), ["a.1", "a.2"]);
  assert.deepEqual(goingFor({ free: 0, bases: [] }), []);
});

test("logs go before a backup would, and not where it would go all the same", () => {
  const [old, newest] = [{ ...baseOf("first", "1-3"), bytes: 100 * mebibyte }, baseOf("second", "1-10")];
  const bases = [old, newest];
  assert.deepEqual(goingFor({ bases, free: 174 * mebibyte - 150 }), ["a.1", "a.2"], "without them both backups stay");
  assert.deepEqual(goingFor({ bases, free: 100 * mebibyte }), [], "with the older backup there is room enough");
  assert.deepEqual(
    goingFor({ bases, free: 100 * mebibyte, kept: new Set(["first"]) }),
    ["a.1", "a.2"],
    "it may not go",
  );
});

test("there is room for the next backup where older ones may give way to it, and for what is written meanwhile", () => {
  assert.equal(missingBytes({ ...room, bases: [], free: 174 * mebibyte }), 0);
  const older = { ...room, bases: [{ ...baseOf("first", "1-3"), bytes: 100 * mebibyte }, baseOf("second", "1-10")] };
  assert.equal(missingBytes({ ...older, free: 74 * mebibyte }), 0, "the older backup gives way to the next");
  assert.equal(
    missingBytes({ ...older, free: 74 * mebibyte, kept: new Set(["first"]) }),
    100 * mebibyte,
    "not where it is kept",
  );
  assert.equal(missingBytes({ ...older, free: 74 * mebibyte, kept: undefined }), 100 * mebibyte);
  assert.equal(missingBytes({ ...older, free: 31 * mebibyte }), 43 * mebibyte);
});

test("data that have grown, or a backup that was larger than they seem, are counted as they are", () => {
  const missing = (some: Partial<Room>): number => Math.round(missingBytes({ ...room, ...some, free: 0 }) / mebibyte);
  assert.equal(missing({ bases: [{ ...baseOf("first", "1-10"), bytes: 200 * mebibyte }] }), 284);
  assert.equal(missing({ bases: [], member: { bytes: 300 * mebibyte, redo: 0 } }), 394);
});

test("the more is written, the more stays free beside the next backup", () => {
  assert.equal(missingBytes({ ...room, bases: [], written: 10 * mebibyte }), 0);
  assert.equal(missingBytes({ ...room, bases: [], written: 100 * mebibyte }), 268 * mebibyte);
});
