import assert from "node:assert/strict";
import test from "node:test";
import type { Previewed } from "../preview/plan";
import { unlessEnding } from "./open-previews";

const question = { object: {}, remove: false, signal: new AbortController().signal };
const failed: Previewed = { kind: "failed", database: "team/shop", message: "cancelled" };

test("a process that ends breaks off its previews, and begins none", { timeout: 5000 }, async () => {
  const ending = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Previewed>();
  let begun = 0;
  const previews = unlessEnding(({ signal }) => {
    begun += 1;
    signal.addEventListener("abort", () => {
      resolve(failed);
    });
    return promise;
  }, ending.signal);
  const first = previews(question);
  ending.abort(new Error("it ends"));
  await assert.rejects(first, /it ends/);
  await assert.rejects(previews(question), /it ends/);
  assert.equal(begun, 1);
});

test("one that was asked to end early answers as it did", async () => {
  const previews = unlessEnding(() => Promise.resolve(failed), new AbortController().signal);
  assert.equal(await previews({ ...question, signal: AbortSignal.abort() }), failed);
});
