import assert from "node:assert/strict";
import test from "node:test";
import { nearTo } from "./near";

const known = ["orders", "order-items", "cart", "ledger"];
const cases: readonly (readonly [given: string, near: readonly string[]])[] = [
  ["ordres", ["orders"]],
  ["order", ["order-items", "orders"]],
  ["card", ["cart"]],
  ["legder", ["ledger"]],
  ["payments", []],
  ["", []],
];
for (const [given, near] of cases) {
  test(`"${given}" was meant to be ${near.join(" or ") || "none of them"}`, () => {
    assert.deepEqual(nearTo(given, known), near);
  });
}
