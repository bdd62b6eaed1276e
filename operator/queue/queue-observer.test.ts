import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock, settle } from "../../test/fakes/manual-clock";
import { KeyedQueue, type Lane, type Next } from "./queue";

const forget: Next = { kind: "forget" };

test("the observer learns how long keys wait and turns take, in which line, and what comes again", async () => {
  const clock = new ManualClock();
  const heard: unknown[] = [];
  const turns: { key: string; lane: Lane; end: (next: Next) => void }[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    work: (key, lane) => new Promise((end) => turns.push({ key, lane, end })),
    clock,
    backoff: () => 1000,
    observer: {
      added: (lane) => heard.push(["added", lane]),
      taken: (lane, ms) => heard.push(["taken", lane, ms]),
      worked: (lane, ms) => heard.push(["worked", lane, ms]),
      retried: (lane) => heard.push(["retried", lane]),
    },
  });
  const end = async (next: Next): Promise<void> => {
    turns.shift()?.end(next);
    await settle();
  };
  queue.add("a/first");
  queue.add("a/second");
  queue.add("a/second");
  assert.deepEqual(heard.splice(0), [
    ["added", "look"],
    ["taken", "look", 0],
    ["added", "look"],
  ]);
  await clock.advance(300);
  assert.deepEqual([queue.depthOf("look"), queue.depthOf("run"), queue.agesOf("look")], [1, 0, [300]]);
  await end({ kind: "run" });
  assert.deepEqual(heard.splice(0), [
    ["worked", "look", 300],
    ["added", "run"],
    ["taken", "run", 0],
    ["taken", "look", 300],
  ]);
  await clock.advance(200);
  assert.deepEqual([queue.agesOf("look"), queue.agesOf("run")], [[200], [200]]);
  await end({ kind: "retry" });
  assert.deepEqual(heard.splice(0), [
    ["worked", "run", 200],
    ["retried", "run"],
  ]);
  await clock.advance(1000);
  // the other one is still being looked at
  assert.deepEqual(heard.splice(0), [["added", "look"]]);
  await end(forget);
  assert.deepEqual(heard.splice(0), [
    ["worked", "look", 1200],
    ["taken", "look", 0],
  ]);
  await end(forget);
  assert.deepEqual([queue.agesOf("look"), queue.agesOf("run")], [[], []]);
});
