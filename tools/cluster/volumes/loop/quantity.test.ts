import assert from "node:assert/strict";
import test from "node:test";
import { bytesOf } from "./quantity";

test("quantities are read as Kubernetes writes them", () => {
  const cases: Readonly<Record<string, number>> = {
    "1048576": 1048576,
    "10Gi": 10 * 2 ** 30,
    "1.5Gi": 1.5 * 2 ** 30,
    "100M": 100e6,
    "1k": 1000,
    "1e9": 1e9,
    "0.3": 1,
  };
  for (const [quantity, bytes] of Object.entries(cases)) assert.equal(bytesOf(quantity), bytes, quantity);
});

test("an invalid quantity of bytes is refused", () => {
  for (const text of ["", "Gi", "-1Gi", "1 Gi", "1gi", "500m", "ten"]) {
    assert.throws(() => bytesOf(text), /is not a quantity of bytes/, text);
  }
});
