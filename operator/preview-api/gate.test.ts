import assert from "node:assert/strict";
import test from "node:test";
import { PreviewFailure } from "./failure";
import { Gate } from "./gate";

const never = new AbortController().signal;
const limits = { running: 1, waiting: 1, perUser: 2 };

function held(): { work: () => Promise<string>; end: (text: string) => void; begun: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let isBegun = false;
  const work = (): Promise<string> => {
    isBegun = true;
    return promise;
  };
  return { work, end: resolve, begun: () => isBegun };
}

const isTooMany = (error: unknown): boolean =>
  error instanceof PreviewFailure && error.reason === "TooManyRequests" && error.retryAfterSeconds !== undefined;

/** Clients repeat by themselves what they are told when to try again. */
const isTimeout = (error: unknown): boolean =>
  error instanceof PreviewFailure && error.reason === "Timeout" && error.retryAfterSeconds === undefined;

const pass = <T>(gate: Gate, user: string, work: () => Promise<T>, signal = never): Promise<T> =>
  gate.admit(user, (turn) => turn(signal, work));

test("one waits for its turn, and a third is sent away at once", async () => {
  const gate = new Gate(limits);
  const [first, second] = [held(), held()];
  const one = pass(gate, "a", first.work);
  const two = pass(gate, "b", second.work);
  await assert.rejects(
    pass(gate, "c", () => assert.fail("it began")),
    isTooMany,
  );
  assert.deepEqual([first.begun(), second.begun()], [true, false]);
  first.end("1");
  assert.equal(await one, "1");
  second.end("2");
  assert.equal(await two, "2");
  assert.equal(await pass(gate, "c", () => Promise.resolve("3")), "3");
});

test("one person has a part of the places only", async () => {
  const gate = new Gate({ ...limits, running: 5 });
  const works = [held(), held()];
  const passed = works.map(({ work }) => pass(gate, "a", work));
  await assert.rejects(pass(gate, "a", held().work), isTooMany);
  const other = pass(gate, "b", () => Promise.resolve("b"));
  assert.equal(await other, "b");
  for (const { end } of works) end("a");
  assert.deepEqual(await Promise.all(passed), ["a", "a"]);
  assert.equal(await pass(gate, "a", () => Promise.resolve("again")), "again");
});

test("what comes before a preview counts for a person, and takes no place of the others", async () => {
  const gate = new Gate({ running: 1, waiting: 0, perUser: 1 });
  const reading = held();
  const first = gate.admit("a", reading.work);
  await assert.rejects(
    gate.admit("a", () => assert.fail("it began")),
    isTooMany,
  );
  assert.equal(await pass(gate, "b", () => Promise.resolve("b")), "b");
  reading.end("read");
  assert.equal(await first, "read");
  assert.equal(await pass(gate, "a", () => Promise.resolve("a")), "a");
});

test("what a person gave up counts until it has really ended", async () => {
  const gate = new Gate({ running: 2, waiting: 0, perUser: 1 });
  const slow = held();
  await gate.admit("a", (turn) => {
    void turn(never, slow.work);
    return Promise.resolve();
  });
  await assert.rejects(
    pass(gate, "a", () => assert.fail("it began")),
    isTooMany,
  );
  slow.end("late");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await pass(gate, "a", () => Promise.resolve("a")), "a");
});

test("one that waits too long leaves the line, and the next one has its place", async () => {
  const gate = new Gate(limits);
  const first = held();
  const one = pass(gate, "a", first.work);
  const stopping = new AbortController();
  const late = pass(gate, "b", () => assert.fail("it began"), stopping.signal);
  stopping.abort();
  await assert.rejects(late, isTimeout);
  const next = pass(gate, "c", () => Promise.resolve("c"));
  first.end("a");
  assert.deepEqual(await Promise.all([one, next]), ["a", "c"]);
});

test("work that fails gives its place back", async () => {
  const gate = new Gate({ running: 1, waiting: 0, perUser: 1 });
  for (let round = 0; round < 3; round += 1)
    await assert.rejects(
      pass(gate, "a", () => Promise.reject(new Error("unreachable"))),
      /unreachable/,
    );
  assert.equal(await pass(gate, "a", () => Promise.resolve("a")), "a");
});
