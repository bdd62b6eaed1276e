import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { withLock } from "./lock";

let directory = "";
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "lock-"));
});
after(() => rm(directory, { recursive: true }));

/** Work that lasts until it is told to end. */
function work(): { readonly begun: Promise<void>; readonly end: () => void; readonly run: () => Promise<void> } {
  const begun = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  const run = (): Promise<void> => {
    begun.resolve(undefined);
    return ended.promise;
  };
  return {
    begun: begun.promise,
    end: () => {
      ended.resolve(undefined);
    },
    run,
  };
}

test("those that share a lock work at the same time, and nobody else meanwhile", async () => {
  const path = join(directory, "shared");
  const [one, other] = [work(), work()];
  const both = [withLock(path, { isShared: true }, one.run), withLock(path, { isShared: true }, other.run)];
  await Promise.all([one.begun, other.begun]);
  await assert.rejects(
    withLock(path, { refusal: "in use" }, () => Promise.resolve()),
    /^Error: in use$/,
  );
  one.end();
  other.end();
  await Promise.all(both);
  await withLock(path, { refusal: "in use" }, () => Promise.resolve());
});

test("without a refusal the lock is waited for, and it is free once the work has failed", async () => {
  const path = join(directory, "waited");
  const first = work();
  const order: string[] = [];
  const holding = withLock(path, {}, async () => {
    await first.run();
    order.push("first");
    throw new Error("it failed");
  });
  await first.begun;
  const waiting = withLock(path, {}, () => {
    order.push("second");
    return Promise.resolve();
  });
  first.end();
  await assert.rejects(holding, /it failed/);
  await waiting;
  assert.deepEqual(order, ["first", "second"]);
});
