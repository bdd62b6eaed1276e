import assert from "node:assert/strict";
import { test } from "node:test";
import { outdatedFiles } from "./page-file";

test("docs/performance.md and its chart match the recorded runs; if not, `tsx measure/bench/main.ts --page` writes them", async () => {
  assert.deepEqual(await outdatedFiles(), []);
});
