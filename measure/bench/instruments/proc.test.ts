import assert from "node:assert/strict";
import { test } from "node:test";
import { statIn } from "./proc";

test("parent and CPU time are read past a name with spaces and brackets, time of ended children included", () => {
  const text = "42 (a) b (c) S 7 42 42 0 -1 4194304 1 2 3 4 100 20 3 4 20 0 1 0 12345 1000 200";
  assert.deepEqual(statIn(text), { parent: 7, ticks: 127 });
});

test("a process that is gone has no figures", () => {
  assert.equal(statIn(""), undefined);
});
