import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import test, { after, before } from "node:test";
import { ownIdentity } from "./identity";
import { withLock } from "./lock";

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "lock-"));
});
after(async () => {
  await rm(root, { recursive: true });
});

test("one works at a time, and the last one leaves nothing behind", async () => {
  const file = join(root, "shared", "lock");
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await delay(5);
    inside--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, work)));
  assert.equal(most, 1);
  assert.deepEqual(await readdir(join(root, "shared")), []);
});

test("the lock of a dead process is taken, and by one only", async () => {
  const file = join(root, "dead");
  await writeFile(file, JSON.stringify({ ...ownIdentity(), started: "before the last boot" }));
  const order: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    order.push(`${name} in`);
    await delay(5);
    order.push(`${name} out`);
  };
  await Promise.all([withLock(file, work("a")), withLock(file, work("b"))]);
  assert.equal(order.length, 4);
  assert.equal(order[0]?.at(0), order[1]?.at(0));
});

test("the lock is free again after work that failed", async () => {
  const file = join(root, "failed");
  await assert.rejects(withLock(file, () => Promise.reject(new Error("no luck"))), /no luck/); // prettier-ignore
  assert.equal(await withLock(file, () => Promise.resolve("done")), "done");
});

test("a waiting process learns for which one, and may give up", async () => {
  const file = join(root, "held");
  const controller = new AbortController();
  await withLock(file, async () => {
    const waiting = withLock(file, () => Promise.resolve(), {
      signal: controller.signal,
      onWait: ({ pid }) => {
        assert.equal(pid, process.pid);
        controller.abort(new Error("given up"));
      },
    });
    await assert.rejects(waiting, /given up/);
  });
});
