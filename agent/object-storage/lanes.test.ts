import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ahead, inLanes } from "./lanes";

test("all items are worked on, never more at once than there are lanes", async () => {
  let [now, most] = [0, 0];
  const done: number[] = [];
  await inLanes([5, 1, 3, 1, 2], 2, async (item) => {
    most = Math.max(most, ++now);
    await delay(item * 5);
    now--;
    done.push(item);
  });
  assert.deepEqual(done.sort(), [1, 1, 2, 3, 5]);
  assert.equal(most, 2);
});

test("after a failure none is begun, those under way end, and what gives the items is told", async () => {
  const begun: number[] = [];
  let isOver = false;
  async function* items(): AsyncIterable<number> {
    try {
      for (let item = 1; ; item++) {
        await Promise.resolve();
        yield item;
      }
    } finally {
      isOver = true;
    }
  }
  let hasEnded = false;
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    if (item === 2) throw new Error("the second");
    await delay(20);
    if (item === 1) hasEnded = true;
  };
  await assert.rejects(inLanes(items(), 2, work), /the second/);
  assert.deepEqual([begun, hasEnded, isOver], [[1, 2], true, true]);
});

test("what fails of the items themselves is thrown", async () => {
  async function* items(): AsyncIterable<number> {
    yield 1;
    await Promise.resolve();
    throw new Error("no more");
  }
  await assert.rejects(
    inLanes(items(), 2, () => Promise.resolve()),
    /no more/,
  );
});

test("what is fetched ahead comes in its order, and a failure at its place", async () => {
  const got: number[] = [];
  const fetching = ahead([30, 10, 20, 0], 3, async (ms) => {
    await delay(ms);
    if (ms === 0) throw new Error("the last");
    return ms;
  });
  await assert.rejects(async () => {
    for await (const one of fetching) got.push(one);
  }, /the last/);
  assert.deepEqual(got, [30, 10, 20]);
});
