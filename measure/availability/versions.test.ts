import assert from "node:assert/strict";
import test from "node:test";
import { minorStep } from "./versions";

test("a minor upgrade goes to the next minor of the same major, of the newest major that has two", () => {
  assert.deepEqual(minorStep(["15.18", "15.20", "17.11"]), { from: "15.18", to: "15.20" });
  assert.deepEqual(minorStep(["15.18", "15.20", "17.9", "17.10", "17.11"]), { from: "17.10", to: "17.11" });
});

test("a step from one major to another is not a minor upgrade", () => {
  assert.equal(minorStep(["15.18", "17.11"]), undefined);
  assert.equal(minorStep(["17.11"]), undefined);
  assert.equal(minorStep([]), undefined);
});
