import assert from "node:assert/strict";
import test from "node:test";
import { Standstill } from "./standstill";

test("nothing counts before the first movement was seen", () => {
  let now = 1_000;
  const standstill = new Standstill(() => now);
  standstill.note("turn", undefined);
  now = 90_000;
  assert.equal(standstill.lasting(), 0);
});

test("it lasts from the last movement, of whatever kind", () => {
  let now = 0;
  const standstill = new Standstill(() => now);
  const noteAt = (ms: number, what: string, value: unknown): void => {
    now = ms;
    standstill.note(what, value);
  };
  const lastingAt = (ms: number): number => {
    now = ms;
    return standstill.lasting();
  };
  noteAt(1_000, "turn", 1);
  noteAt(5_000, "turn", 1);
  assert.equal(lastingAt(9_000), 8_000);
  noteAt(10_000, "renewal", "now");
  assert.equal(lastingAt(12_000), 2_000);
  noteAt(13_000, "turn", undefined);
  noteAt(13_000, "renewal", "now");
  assert.equal(lastingAt(14_000), 4_000);
});
