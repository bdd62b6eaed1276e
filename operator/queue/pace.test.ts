import assert from "node:assert/strict";
import test from "node:test";
import { Pace } from "./pace";

/** A pace, and a way to have something move at a time. */
function paced(): { readonly pace: Pace; readonly moves: (at: number, key?: string) => number } {
  let now = 0;
  const pace = new Pace({ firstMs: 50, longestMs: 200, restMs: 1000, now: () => now });
  const moves = (at: number, key = "team/shop"): number => {
    now = at;
    return pace.after(key);
  };
  return { pace, moves };
}

test("what moves after a rest is looked at soon, once for all that moves until then", () => {
  const { moves } = paced();
  assert.deepEqual([moves(0), moves(10), moves(49)], [50, 40, 1]);
});

test("what keeps moving is looked at less often, up to a limit", () => {
  const { moves } = paced();
  assert.deepEqual([moves(0), moves(50), moves(150), moves(350), moves(550)], [50, 100, 200, 200, 200]);
});

test("everything is looked at within the longest time after it moved", () => {
  const { moves } = paced();
  for (let at = 0; at < 5000; at += 7) assert.ok(moves(at) <= 200);
});

test("after a rest it is looked at soon again", () => {
  const { moves } = paced();
  moves(0);
  assert.equal(moves(60), 100);
  // that look was due at 160
  assert.equal(moves(1160), 50);
});

test("a pause that is no rest keeps the pace", () => {
  const { moves } = paced();
  moves(0);
  assert.equal(moves(1049), 100);
});

test("one that moves does not slow another one down, and what rests is forgotten", () => {
  const { pace, moves } = paced();
  assert.deepEqual([moves(0, "a"), moves(50, "a"), moves(60, "b")], [50, 100, 50]);
  assert.equal(pace.size, 2);
  moves(5000, "c");
  assert.equal(pace.size, 1);
});
