import assert from "node:assert/strict";
import test from "node:test";
import { TimedOut, within } from "./within";

const nothing = (): void => undefined;

test("what comes in time is passed on, as a result or as an error", async () => {
  assert.equal(await within(1000, Promise.resolve(3), nothing), 3);
  await assert.rejects(within(1000, Promise.reject(new Error("refused")), nothing), /refused/);
});

test("what does not come in time is given up, and how it ends later is ignored", async () => {
  const never = Promise.withResolvers<number>();
  let isGivenUp = false;
  const limited = within(1, never.promise, () => {
    isGivenUp = true;
    never.reject(new Error("connection ended"));
  });
  await assert.rejects(limited, TimedOut);
  assert.ok(isGivenUp);
});
