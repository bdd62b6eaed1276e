import assert from "node:assert/strict";
import test from "node:test";
import { Standstill } from "./standstill";

test("nothing counts before the first movement was seen", () => {
  const standstill = new Standstill();
  standstill.note("turn", undefined, 1_000);
  assert.equal(standstill.lasting(90_000), 0);
});

test("it lasts from the last movement, of whatever kind", () => {
  const standstill = new Standstill();
  standstill.note("turn", 1, 1_000);
  standstill.note("turn", 1, 5_000);
  assert.equal(standstill.lasting(9_000), 8_000);
  standstill.note("renewal", "now", 10_000);
  assert.equal(standstill.lasting(12_000), 2_000);
  standstill.note("turn", undefined, 13_000);
  standstill.note("renewal", "now", 13_000);
  assert.equal(standstill.lasting(14_000), 4_000);
});
