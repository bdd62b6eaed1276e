import assert from "node:assert/strict";
import test from "node:test";
import { fitsIn, valueOf } from "./quantity";

test("quantities in different units are compared by value", () => {
  assert.equal(valueOf("500m"), 0.5);
  assert.equal(valueOf("4Gi"), valueOf("4096Mi"));
  assert.ok(fitsIn("1024Mi", "1Gi"));
  assert.ok(!fitsIn("1025Mi", "1Gi"));
  assert.ok(fitsIn(undefined, "1Gi") && fitsIn("1Gi", undefined));
});

test("an invalid quantity has no value", () => {
  assert.ok(Number.isNaN(valueOf("much")));
  assert.ok(Number.isNaN(valueOf("4Xi")));
});
