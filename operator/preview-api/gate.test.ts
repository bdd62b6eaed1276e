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

test("one waits for its turn, and a third is sent away at once", async () => {
  const gate = new Gate(limits);
  const [first, second] = [held(), held()];
  const one = gate.pass("a", never, first.work);
  const two = gate.pass("b", never, second.work);
  await assert.rejects(
    gate.pass("c", never, () => assert.fail("it began")),
    isTooMany,
  );
  assert.deepEqual([first.begun(), second.begun()], [true, false]);
  first.end("1");
  assert.equal(await one, "1");
  second.end("2");
  assert.equal(await two, "2");
  assert.equal(await gate.pass("c", never, () => Promise.resolve("3")), "3");
});

test("one person has a part of the places only", async () => {
  const gate = new Gate({ ...limits, running: 5 });
  const works = [held(), held()];
  const passed = works.map(({ work }) => gate.pass("a", never, work));
  await assert.rejects(gate.pass("a", never, held().work), isTooMany);
  const other = gate.pass("b", never, () => Promise.resolve("b"));
  assert.equal(await other, "b");
  for (const { end } of works) end("a");
  assert.deepEqual(await Promise.all(passed), ["a", "a"]);
  assert.equal(await gate.pass("a", never, () => Promise.resolve("again")), "again");
});

test("one that waits too long leaves the line, and the next one has its place", async () => {
  const gate = new Gate(limits);
  const first = held();
  const one = gate.pass("a", never, first.work);
  const stopping = new AbortController();
  const late = gate.pass("b", stopping.signal, () => assert.fail("it began"));
  stopping.abort();
  await assert.rejects(late, (error) => error instanceof PreviewFailure && error.reason === "Timeout");
  const next = gate.pass("c", never, () => Promise.resolve("c"));
  first.end("a");
  assert.deepEqual(await Promise.all([one, next]), ["a", "c"]);
});

test("work that fails gives its place back", async () => {
  const gate = new Gate({ running: 1, waiting: 0, perUser: 1 });
  for (let round = 0; round < 3; round += 1)
    await assert.rejects(
      gate.pass("a", never, () => Promise.reject(new Error("unreachable"))),
      /unreachable/,
    );
  assert.equal(await gate.pass("a", never, () => Promise.resolve("a")), "a");
});
