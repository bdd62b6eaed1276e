import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ManualClock, settle } from "../../test/fakes/manual-clock";
import { exponentialBackoff, KeyedQueue, type Lane, type Next } from "./queue";

const forget: Next = { kind: "forget" };
/** Keys being worked on. */
const activeIn = (queue: KeyedQueue): number => queue.agesOf("look").length + queue.agesOf("run").length;

test("a key added many times while it waits is worked on once", async () => {
  const seen: string[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    work: (key) => (seen.push(key), Promise.resolve(forget)),
  });
  queue.add("blocker");
  for (let i = 0; i < 5; i++) queue.add("a/b");
  await settle();
  assert.deepEqual(seen, ["blocker", "a/b"]);
});

test("a paused queue takes keys, each once, and works on them when it is resumed", async () => {
  const seen: string[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 2, run: 1 },
    work: (key) => (seen.push(key), Promise.resolve(forget)),
    paused: true,
  });
  for (const key of ["a/b", "a/c", "a/b"]) queue.add(key);
  await settle();
  assert.deepEqual([seen, queue.depth], [[], 2]);
  queue.resume();
  await settle();
  assert.deepEqual(seen, ["a/b", "a/c"]);
});

test("a key added while it runs runs once more, never twice at a time", async () => {
  let running = 0;
  let runs = 0;
  const releases: (() => void)[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 4, run: 1 },
    work: async () => {
      running++;
      runs++;
      assert.equal(running, 1);
      await new Promise<void>((resolve) => releases.push(resolve));
      running--;
      return forget;
    },
  });
  queue.add("k");
  queue.add("k");
  queue.add("k");
  releases.shift()?.();
  await settle();
  releases.shift()?.();
  await settle();
  assert.equal(runs, 2);
});

test("failures back off and a success forgets them", async () => {
  const clock = new ManualClock();
  const results: Next[] = [{ kind: "retry" }, { kind: "retry" }, forget, { kind: "retry" }];
  const times: number[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    clock,
    backoff: (attempt) => attempt * 1000,
    work: () => (times.push(clock.now()), Promise.resolve(results.shift() ?? forget)),
  });
  queue.add("k");
  await settle();
  await clock.advance(1000);
  await clock.advance(1999);
  assert.deepEqual(times, [0, 1000]);
  await clock.advance(1);
  assert.deepEqual(times, [0, 1000, 3000]);
  queue.add("k");
  await settle();
  assert.equal(queue.attempts("k"), 1);
});

test("a rejection is a retry, not a lost key", async () => {
  const clock = new ManualClock();
  let runs = 0;
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    clock,
    backoff: () => 10,
    work: () => (runs++ === 0 ? Promise.reject(new Error("boom")) : Promise.resolve(forget)),
  });
  queue.add("k");
  await settle();
  await clock.advance(10);
  assert.equal(runs, 2);
});

test("the earliest of several requests for a key wins", async () => {
  const clock = new ManualClock();
  const times: number[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    clock,
    work: () => (times.push(clock.now()), Promise.resolve(forget)),
  });
  queue.add("k", { delayMs: 5000 });
  queue.add("k", { delayMs: 100 });
  queue.add("k", { delayMs: 9000 });
  await clock.advance(100);
  await clock.advance(20_000);
  assert.deepEqual(times, [100]);
});

/** A queue of which some turns hang until they are released. */
function hanging(concurrency: Record<Lane, number>): {
  readonly queue: KeyedQueue;
  readonly turns: string[];
  readonly release: (turn: string) => Promise<void>;
} {
  const turns: string[] = [];
  const releases = new Map<string, () => void>();
  const queue = new KeyedQueue({
    concurrency,
    work: async (key, lane) => {
      turns.push(`${lane} ${key}`);
      if (lane === "look") return key.includes("idle") ? forget : { kind: "run" };
      await new Promise<void>((resolve) => releases.set(key, resolve));
      return forget;
    },
  });
  const release = async (key: string): Promise<void> => {
    releases.get(key)?.();
    await settle();
  };
  return { queue, turns, release };
}

test("a look does not wait behind runs, and no more keys run than there are workers", async () => {
  const { queue, turns, release } = hanging({ look: 1, run: 1 });
  queue.add("a/1");
  queue.add("a/2");
  await settle();
  queue.add("a/idle");
  await settle();
  assert.deepEqual(turns, ["look a/1", "run a/1", "look a/2", "look a/idle"]);
  await release("a/1");
  assert.deepEqual(turns.slice(4), ["run a/2"]);
});

test("a key that waits to run is not looked at again, and not lost", async () => {
  const { queue, turns, release } = hanging({ look: 2, run: 1 });
  queue.add("a/1");
  queue.add("a/2");
  await settle();
  queue.add("a/2");
  queue.add("a/2", { delayMs: 10 });
  await release("a/1");
  await release("a/2");
  assert.deepEqual(turns, ["look a/1", "look a/2", "run a/1", "run a/2"]);
  assert.equal(queue.depth + activeIn(queue), 0);
});

test("a person's edit runs before upkeep that is due already", async () => {
  const { queue, turns, release } = hanging({ look: 4, run: 1 });
  for (const key of ["a/1", "a/2", "a/3"]) queue.add(key);
  await settle();
  queue.add("a/edited", { urgency: "person" });
  await settle();
  await release("a/1");
  assert.equal(turns.at(-1), "run a/edited");
});

test("a failed run is retried with growing delays, although a look comes before each", async () => {
  const clock = new ManualClock();
  const times: number[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    clock,
    backoff: (attempt) => attempt * 1000,
    work: (_key, lane) => {
      if (lane === "run") times.push(clock.now());
      return Promise.resolve(lane === "run" ? { kind: "retry" } : { kind: "run" });
    },
  });
  queue.add("a/1");
  await settle();
  await clock.advance(1000);
  await clock.advance(2000);
  assert.deepEqual(times, [0, 1000, 3000]);
});

test("stop waits for the running keys and starts no other", async () => {
  const clock = new ManualClock();
  let release = (): void => undefined;
  const seen: string[] = [];
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    clock,
    work: async (key) => {
      seen.push(key);
      await new Promise<void>((resolve) => (release = resolve));
      return { kind: "again", afterMs: 1 };
    },
  });
  queue.add("a");
  queue.add("b");
  const stopped = queue.stop();
  release();
  await stopped;
  await clock.advance(1000);
  assert.deepEqual(seen, ["a"]);
});

test("backoff grows to five minutes and is never more than half shortened", () => {
  const longest = exponentialBackoff(() => 0);
  const shortest = exponentialBackoff(() => 1);
  assert.equal(longest(1), 1000);
  assert.equal(longest(4), 8000);
  assert.equal(longest(50), 300_000);
  assert.equal(shortest(4), 4000);
});

test("property: no key is lost, no key runs twice at a time, the bound on concurrency holds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.constantFrom("a", "b", "c", "d"), pause: fc.boolean() }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (adds, concurrency) => {
        const running = new Set<string>();
        const startedAfterAdd = new Map<string, boolean>();
        const queue = new KeyedQueue({
          concurrency: { look: concurrency, run: 1 },
          work: async (key) => {
            assert.ok(!running.has(key));
            running.add(key);
            assert.ok(running.size <= concurrency);
            startedAfterAdd.set(key, true);
            await settle();
            running.delete(key);
            return forget;
          },
        });
        for (const { key, pause } of adds) {
          startedAfterAdd.set(key, false);
          queue.add(key);
          if (pause) await settle();
        }
        while (queue.depth + activeIn(queue) > 0) await settle();
        for (const [key, started] of startedAfterAdd) assert.ok(started, `${key} was added and never worked on`);
      },
    ),
    { numRuns: 100 },
  );
});
