import assert from "node:assert/strict";
import test from "node:test";
import { itemsOf, shardOf, shardText, wholeShard } from "./shard";

test("all shards together hold every item once, in order", () => {
  const items = Array.from({ length: 21 }, (_, index) => index);
  const shards = Array.from({ length: 8 }, (_, index) => itemsOf(items, { index: index + 1, of: 8 }));
  assert.deepEqual(shards[1], [1, 9, 17]);
  assert.deepEqual(
    shards.flat().sort((a, b) => a - b),
    items,
  );
});

test("without SHARD there is one, the whole", () => {
  for (const text of [undefined, ""]) assert.deepEqual(shardOf(text), wholeShard);
  assert.deepEqual(itemsOf(["a", "b"], wholeShard), ["a", "b"]);
});

test("a shard is parsed, and an invalid one is refused with an example", () => {
  assert.deepEqual(shardOf("2/8"), { index: 2, of: 8 });
  assert.equal(shardText(shardOf("2/8")), "2/8");
  for (const text of ["0/8", "9/8", "2", "a/b", "2/8/1", "-1/8", "1/0"])
    assert.throws(() => shardOf(text), /is not a shard: write SHARD=2\/8/, text);
});
