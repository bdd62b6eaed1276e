import assert from "node:assert/strict";
import { test } from "node:test";
import { median, percentile } from "./percentile";

test("a percentile is a sample that was measured, whatever the order they came in", () => {
  const samples = [5, 1, 4, 2, 3];
  assert.equal(median(samples), 3);
  assert.equal(percentile(samples, 99), 5);
  assert.equal(percentile(samples, 0), 1);
  assert.deepEqual(samples, [5, 1, 4, 2, 3]);
});

test("of a hundred samples the 99th percentile is the second largest", () => {
  const samples = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.equal(percentile(samples, 99), 99);
  assert.equal(percentile(samples, 50), 50);
});

test("no samples have no percentile", () => {
  assert.throws(() => percentile([], 50), /no samples/);
});
