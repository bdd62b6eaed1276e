import assert from "node:assert/strict";
import test from "node:test";
import { hasTest } from "./test-names";

test("a name that no test has is found missing", () => {
  const text = [
    'test("a backup is taken", async () => {});',
    '// test("a backup is lost"',
    "const cases = {",
    "  Overdue: {",
    '  "of one": async () => {},',
    '  "any (other) pod": { is: "dropped" },',
    "test(`restored ${what}`, async () => {});",
    '  test(`the port is ${is} to ${who === "all" ? "all" : who}`, async () => {',
    "test(`killed at ${step}, it (still) works`, async () => {});",
    "",
  ].join("\n");
  const there = [
    "a backup is taken",
    "Overdue",
    "restored of one",
    "the port is dropped to any (other) pod",
    "killed at …, it (still) works",
  ];
  const missing = [
    "a backup",
    "a backup is lost",
    "restored of two",
    "of one",
    "the port is open to all",
    "killed at …, it fails",
    "a backup …",
  ];
  assert.deepEqual(
    [...there, ...missing].filter((name) => hasTest(text, name)),
    there,
  );
});
