import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { gtidText, parseGtidSet } from "../gtid";
import { Collected } from "./collected";

const group = "aaaaaaaa-0000-4000-8000-aaaaaaaaaaaa";
const other = "bbbbbbbb-0000-4000-8000-bbbbbbbbbbbb";

test("in whatever order they come, they are the set that they would be as text", () => {
  const gtid = fc.tuple(fc.constantFrom(group, `${group}:tag`, other), fc.integer({ min: 1, max: 5000 }));
  fc.assert(
    fc.property(fc.array(gtid, { minLength: 1, maxLength: 4000 }), (gtids) => {
      const collected = new Collected();
      for (const [source, number] of gtids) collected.add(`${source}:${number}`);
      const text = gtids.map(([source, number]) => `${source}:${number}`).join(",");
      assert.deepEqual(new Map(collected.all()), new Map(parseGtidSet(text)));
    }),
    { numRuns: 20 },
  );
});

test("those of the group are told from others, with its tags", () => {
  const collected = new Collected();
  for (const gtid of [`${group}:2`, `${other}:1`, `${group}:tag:1`, `${group.toUpperCase()}:1`]) collected.add(gtid);
  assert.equal(gtidText(collected.of(group)), `${group}:1-2,${group}:tag:1`);
  assert.throws(() => {
    collected.add(group);
  }, /is no transaction/);
});

test("of a file's worth of transactions, each before the one that it should follow, no more is kept than there are holes", () => {
  const collected = new Collected();
  for (let number = 1; number < 300_000; number += 2) {
    collected.add(`${group}:${number + 1}`);
    collected.add(`${group}:${number}`);
  }
  assert.equal(gtidText(collected.all()), `${group}:1-300000`);
});
