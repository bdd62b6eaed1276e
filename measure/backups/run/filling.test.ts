import assert from "node:assert/strict";
import test from "node:test";
import { batchesOf, fillings, rowsAtOnce, rowsFor } from "./filling";

test("the batches have each row once", () => {
  const rows = 2 * rowsAtOnce + 5;
  const batches = batchesOf(rows);
  assert.equal(batches.length, 3);
  assert.equal(batches[0]?.[0], 1);
  assert.equal(batches.at(-1)?.[1], rows);
  for (const [index, [first]] of batches.entries())
    if (index > 0) assert.equal(first, (batches[index - 1]?.[1] ?? 0) + 1);
});

test("a gibibyte is as many rows, of eight hashes of 128 digits each", () => {
  assert.equal(rowsFor(2) * 8 * 128, 2 * 1024 ** 3);
  for (const filling of Object.values(fillings)) assert.equal(filling.insert(7, 9).match(/':\d'/g)?.length, 8);
});
