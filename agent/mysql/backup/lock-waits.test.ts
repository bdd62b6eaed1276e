import assert from "node:assert/strict";
import test from "node:test";
import { longestWaitMs, remembered, tooLong, type LockWait, type WaitingSince } from "./lock-waits";

const wait = (thread: number, table = "app.items"): LockWait => ({ thread, table, holder: 7 });

/** Looks, each with its time, one after the other: what was too long at the last. */
function after(...looks: readonly (readonly [number, readonly LockWait[]])[]): LockWait[] {
  let since: WaitingSince = new Map();
  let found: LockWait[] = [];
  for (const [now, waits] of looks) {
    since = remembered(since, waits, now);
    found = tooLong(waits, since, now);
  }
  return found;
}

test("a wait is too long once it has been seen for ten seconds, and not before", () => {
  assert.deepEqual(after([0, [wait(1)]], [longestWaitMs - 1, [wait(1)]]), []);
  assert.deepEqual(after([0, [wait(1)]], [5_000, [wait(1)]], [longestWaitMs, [wait(1)]]), [wait(1)]);
});

test("a first look, however late, finds nothing too long", () => {
  assert.deepEqual(after([longestWaitMs * 9, [wait(1)]]), []);
});

test("a session that got its lock and waits again starts over, and so does one that waits for another table", () => {
  assert.deepEqual(after([0, [wait(1)]], [6_000, []], [longestWaitMs, [wait(1)]]), []);
  assert.deepEqual(after([0, [wait(1)]], [longestWaitMs, [wait(1, "app.others")]]), []);
});

test("of several only those that have waited long enough are named", () => {
  assert.deepEqual(after([0, [wait(1)]], [4_000, [wait(1), wait(2)]], [longestWaitMs, [wait(1), wait(2)]]), [wait(1)]);
});
