import assert from "node:assert/strict";
import test from "node:test";
import { backoffMs } from "./backoff";

test("a killed server restarts at once, one that keeps failing after longer and longer pauses", () => {
  assert.deepEqual([1, 2, 3, 4, 20].map(backoffMs), [100, 1_000, 2_000, 4_000, 30_000]);
});
