import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { contains, noTransactions, parseGtidSet, union } from "./gtid";

const a = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const b = "4e11fa47-71ca-11e1-9e33-c80aa9429562";
const set = parseGtidSet;

const within: [inner: string, outer: string, isWithin: boolean][] = [
  ["", "", true],
  ["", `${a}:1`, true],
  [`${a}:1`, "", false],
  [`${a}:3-5`, `${a}:1-5`, true],
  [`${a}:1-5`, `${a}:1-2:3-5`, true],
  [`${a}:1-5`, `${a}:1-2:4-5`, false],
  [`${a}:1,${b}:1`, `${a}:1-9`, false],
  [`${a}:1, \n${b}:2`, `${b}:1-2,${a}:1`, true],
  [`${a.toUpperCase()}:7`, `${a}:7`, true],
  [`${a}:tag:1`, `${a}:1`, false],
  [`${a}:1:tag:2-3`, `${a}:1-4:tag:1-9`, true],
];

for (const [inner, outer, isWithin] of within) {
  test(`"${inner}" is ${isWithin ? "" : "not "}in "${outer}"`, () => {
    assert.equal(contains(set(outer), set(inner)), isWithin);
  });
}

for (const text of ["x", a, `${a}:`, `${a}:1-x`, `${a}:1-2-3`]) {
  test(`"${text}" is not a set of transactions`, () => {
    assert.throws(() => set(text), /is no/);
  });
}

test("a union contains both, and nothing that neither has", () => {
  const numbers = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 });
  const textOf = (found: readonly number[]): string => (found.length === 0 ? "" : [a, ...found].join(":"));
  fc.assert(
    fc.property(numbers, numbers, fc.integer({ min: 1, max: 40 }), (left, right, probe) => {
      const both = union(set(textOf(left)), set(textOf(right)));
      assert.ok(contains(both, set(textOf(left))) && contains(both, set(textOf(right))));
      assert.equal(contains(both, set(`${a}:${probe}`)), left.includes(probe) || right.includes(probe));
    }),
  );
});

test("the empty set is in every set", () => {
  assert.ok(contains(set(`${a}:1`), noTransactions));
});
