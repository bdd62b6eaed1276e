import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import test from "node:test";
import { Intake, type Reply } from "./intake";

/** A request whose body comes when the test asks for it. */
function requestOf(
  text: string,
  headers: Record<string, string> = { "content-length": String(text.length) },
): { request: IncomingMessage; send: () => void } {
  const body = new Readable({ read: () => undefined });
  const request = Object.assign(body, { headers });
  return {
    request: request as unknown as IncomingMessage,
    send: () => {
      body.push(text);
      body.push(null);
    },
  };
}

const echo = (text: string): Promise<Reply> => Promise.resolve([200, text]);

const limited = { timeout: 10_000 };

test("bodies that are too large together are refused, and accepted again once others are done", limited, async () => {
  const intake = new Intake({ maxHeld: 10, large: 100 });
  const { promise: through, resolve: end } = Promise.withResolvers<undefined>();
  const [first, second, again, silent] = ["123456", "78901", "78901", "1234567890"].map((text) => requestOf(text));
  assert.ok(first && second && again && silent);
  // a client that announces much and sends nothing keeps no other client out
  void intake.take(silent.request, { most: 10 }, echo);
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
  const held = intake.take(first.request, { most: 10 }, async (text) => {
    begin(undefined);
    await through;
    return [200, text];
  });
  first.send();
  await begun;
  second.send();
  assert.deepEqual(await intake.take(second.request, { most: 10 }, echo), [
    503,
    "too many requests at once: try again",
  ]);
  end(undefined);
  assert.deepEqual(await held, [200, "123456"]);
  again.send();
  assert.deepEqual(await intake.take(again.request, { most: 10 }, echo), [200, "78901"]);
});

test("a body without a length, or longer than allowed, is not read", limited, async () => {
  const intake = new Intake({ maxHeld: 10, large: 100 });
  assert.equal((await intake.take(requestOf("1", {}).request, { most: 10 }, echo))[0], 411);
  assert.deepEqual(await intake.take(requestOf("123456").request, { most: 5 }, echo), [
    413,
    "a review may have at most 5 bytes",
  ]);
});

test("large bodies are processed one at a time, with other work in between", async () => {
  const intake = new Intake({ maxHeld: 1000, large: 5 });
  const seen: string[] = [];
  const work = async (text: string): Promise<Reply> => {
    seen.push(`${text} begins`);
    setImmediate(() => seen.push("something else"));
    await Promise.resolve();
    seen.push(`${text} ends`);
    return [200, text];
  };
  const requests = ["first", "second"].map((text) => requestOf(text));
  for (const { send } of requests) send();
  await Promise.all(requests.map(({ request }) => intake.take(request, { most: 100 }, work)));
  assert.deepEqual(seen, ["first begins", "first ends", "something else", "second begins", "second ends"]);
});

test("what is left of a large body to wait for keeps no other one back, and its bytes count", limited, async () => {
  const intake = new Intake({ maxHeld: 12, large: 5 });
  const { promise: waited, resolve: end } = Promise.withResolvers<undefined>();
  const [first, second, third] = ["123456", "abcdef", "again!"].map((text) => requestOf(text));
  assert.ok(first && second && third);
  for (const { send } of [first, second, third]) send();
  const patient = intake.take(first.request, { most: 10 }, (text) =>
    Promise.resolve(async () => {
      await waited;
      return [200, text];
    }),
  );
  assert.deepEqual(await intake.take(second.request, { most: 10 }, echo), [200, "abcdef"]);
  const tight = requestOf("1234567");
  tight.send();
  assert.equal((await intake.take(tight.request, { most: 10 }, echo))[0], 503);
  end(undefined);
  assert.deepEqual(await patient, [200, "123456"]);
  assert.deepEqual(await intake.take(third.request, { most: 10 }, echo), [200, "again!"]);
});

test("failed work blocks no other request, and releases what it held", async () => {
  const intake = new Intake({ maxHeld: 6, large: 5 });
  for (let round = 0; round < 2; round++) {
    const { request, send } = requestOf("123456");
    send();
    await assert.rejects(
      intake.take(request, { most: 10 }, () => Promise.reject(new Error("unreachable"))),
      /unreachable/,
    );
  }
});

test(
  "where that is asked for, a body may begin without its length, and is read no further than allowed",
  limited,
  async () => {
    const intake = new Intake({ maxHeld: 10, large: 100 });
    const taken = { most: 5, isLengthOptional: true };
    const [fits, long, again] = ["12345", "123456", "12345"].map((text) => requestOf(text, {}));
    assert.ok(fits && long && again);
    for (const { send } of [fits, long, again]) send();
    assert.deepEqual(await intake.take(fits.request, taken, echo), [200, "12345"]);
    assert.deepEqual(await intake.take(long.request, taken, echo), [413, "a review may have at most 5 bytes"]);
    assert.deepEqual(await intake.take(again.request, taken, echo), [200, "12345"], "nothing of them is held");
  },
);
