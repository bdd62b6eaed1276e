import assert from "node:assert/strict";
import { test } from "node:test";
import { Waiters } from "./waiters";

const patience = { what: "it", withinMs: 5000 };

test("a wait ends at the first look at which the condition holds", async () => {
  const waiters = new Waiters();
  let count = 0;
  const waited = waiters.until("a", () => count === 2, patience);
  for (const key of ["a", "b", "a"]) {
    if (key === "a") count += 1;
    waiters.look(key);
  }
  assert.ok((await waited) <= performance.now());
});

test("what holds already is not waited for", async () => {
  await new Waiters().until("a", () => true, patience);
});

test("a wait that times out says what it waited for", async () => {
  const waited = new Waiters().until("ns/shop", () => false, { what: "Ready", withinMs: 10 });
  await assert.rejects(waited, /ns\/shop: Ready did not come within 0.01 s/);
});
