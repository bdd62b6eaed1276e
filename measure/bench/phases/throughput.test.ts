import assert from "node:assert/strict";
import { test } from "node:test";
import { slopeOf } from "./throughput";

/** When each of a hundred is there, where each takes so long. */
const after = (secondsOf: (index: number) => number): number[] => {
  let at = 0;
  return Array.from({ length: 100 }, (_, index) => (at += secondsOf(index)));
};

test("what goes at a steady rate has a slope of one", () => {
  const slope = slopeOf(after(() => 0.5));
  assert.ok(slope !== undefined && Math.abs(slope - 1) < 1e-9, String(slope));
});

test("the last fifth is compared with the first one", () => {
  const slope = slopeOf(after((index) => (index < 20 ? 1 : index < 80 ? 7 : 3)));
  assert.ok(slope !== undefined && Math.abs(slope - 3) < 1e-9, String(slope));
});

test("a few say nothing", () => {
  assert.equal(slopeOf([1, 2, 3]), undefined);
});
