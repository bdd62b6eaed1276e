import assert from "node:assert/strict";
import test from "node:test";
import { backoffMs } from "./backoff";

test("a server that was killed is back at once, one that fails again and again is left alone for longer", () => {
  assert.deepEqual([1, 2, 3, 4, 20].map(backoffMs), [100, 1_000, 2_000, 4_000, 30_000]);
});
