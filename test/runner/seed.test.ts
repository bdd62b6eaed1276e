import assert from "node:assert/strict";
import test from "node:test";
import { seedOf } from "./seed";

const commit = "00000ff7aabbccddeeff00112233445566778899";

test("the seed is the number of the commit", () => {
  assert.deepEqual(seedOf({ commit, number: 201 }), { seed: 201, from: "commit 201, 00000ff7a" });
});

test("a shallow clone takes the same slice for the same commit, and says that it cannot count", () => {
  assert.deepEqual(seedOf({ commit, number: undefined }), { seed: 255, from: "shallow clone of 00000ff7a" });
});

test("without a clone there is a slice, too", () => {
  assert.deepEqual(seedOf(undefined), { seed: 0, from: "no git clone" });
});
