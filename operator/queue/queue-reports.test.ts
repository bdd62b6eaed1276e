import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock, settle } from "../../test/fakes/manual-clock";
import { KeyedQueue, type Next } from "./queue";

const forget: Next = { kind: "forget" };

/** A queue of which one key has failed, and reports hang until they are released. */
async function failing(): Promise<{
  readonly queue: KeyedQueue;
  readonly clock: ManualClock;
  readonly told: string[];
  readonly release: () => Promise<void>;
}> {
  const clock = new ManualClock();
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  const queue = new KeyedQueue({
    ...{ concurrency: { look: 2, run: 1 }, clock, backoff: () => 1000 },
    work: () => (told.push(`work at ${clock.now()}`), Promise.resolve({ kind: "retry" })),
    report: (key) => (told.push(`report ${key}`), new Promise((resolve) => waiting.push(resolve))),
  });
  const release = async (): Promise<void> => {
    waiting.shift()?.();
    await settle();
  };
  queue.add("k");
  await settle();
  return { queue, clock, told, release };
}

test("between two attempts changes within a moment make one report, and changes during it another one", async () => {
  const { queue, clock, told, release } = await failing();
  for (let count = 0; count < 5; count++) queue.nudge("k", 50);
  await clock.advance(50);
  assert.deepEqual(told.slice(1), ["report k"]);
  for (let count = 0; count < 5; count++) queue.nudge("k", 50);
  await clock.advance(50);
  assert.deepEqual(told.slice(1), ["report k"]);
  await release();
  assert.deepEqual(told.slice(1), ["report k", "report k"]);
});

test("an attempt waits for the report in progress, and no attempt is brought forward or delayed by one", async () => {
  const { queue, clock, told, release } = await failing();
  queue.nudge("k", 50);
  await clock.advance(50);
  await clock.advance(950);
  assert.deepEqual(told, ["work at 0", "report k"]);
  await release();
  assert.deepEqual(told, ["work at 0", "report k", "work at 1000"]);
  assert.equal(queue.attempts("k"), 2);
});

test("a report that waits for its turn gives way to an attempt, which reports by itself", async () => {
  const { queue, clock, told } = await failing();
  queue.nudge("k", 50);
  queue.add("k");
  await clock.advance(50);
  assert.deepEqual(told, ["work at 0", "work at 0"]);
});

/** A queue of which one key has failed, and whose second attempt runs until it is ended. */
async function attempting(): Promise<{
  readonly queue: KeyedQueue;
  readonly clock: ManualClock;
  readonly told: string[];
  readonly end: (next: Next) => Promise<void>;
}> {
  const clock = new ManualClock();
  const told: string[] = [];
  const ends: ((next: Next) => void)[] = [];
  const queue = new KeyedQueue({
    ...{ concurrency: { look: 1, run: 1 }, clock, backoff: () => 1000 },
    work: () => (told.push("work"), new Promise((resolve) => ends.push(resolve))),
    report: () => (told.push("report"), Promise.resolve()),
  });
  const end = async (next: Next): Promise<void> => {
    ends.shift()?.(next);
    await settle();
  };
  queue.add("k");
  await settle();
  await end({ kind: "retry" });
  await clock.advance(1000);
  return { queue, clock, told, end };
}

test("changes during an attempt that fails are reported afterwards", async () => {
  const { queue, clock, told, end } = await attempting();
  queue.nudge("k", 50);
  await clock.advance(50);
  await end({ kind: "retry" });
  assert.deepEqual(told, ["work", "work", "report"]);
});

test("changes during an attempt that succeeds are looked at afterwards", async () => {
  const { queue, clock, told, end } = await attempting();
  queue.nudge("k", 50);
  await clock.advance(50);
  await end(forget);
  assert.deepEqual(told, ["work", "work", "work"]);
});

test("a stopped queue reports nothing more", async () => {
  const { queue, clock, told } = await failing();
  queue.nudge("k", 50);
  await queue.stop();
  await clock.advance(50);
  assert.deepEqual(told, ["work at 0"]);
});
