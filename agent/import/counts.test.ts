import assert from "node:assert/strict";
import test from "node:test";
import { differenceOf, sumOf } from "./counts";

const source = new Map([
  ["public.orders", 3],
  ["public.items", 0],
]);

test("nothing differs where every table has as many rows on both sides, in whatever order", () => {
  assert.equal(differenceOf(source, new Map([...source].reverse())), undefined);
  assert.equal(sumOf(source), 3);
});

test("a table with other rows, one that is missing and one that is more are named, an empty one too", () => {
  const target = new Map([
    ["public.orders", 2],
    ["public.more", 1],
  ]);
  assert.equal(
    differenceOf(source, target),
    "not all has arrived: public.orders has 2 rows here, and 3 at the source; public.items is missing here, and has 0 rows at the source; public.more is not at the source",
  );
});

test("of many only the first are named", () => {
  const many = new Map(Array.from({ length: 8 }, (_, index) => [`t${index}`, 1]));
  assert.match(differenceOf(many, new Map()) ?? "", /t4 is missing[^;]*; and 3 more$/);
});
