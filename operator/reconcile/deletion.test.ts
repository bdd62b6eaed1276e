import assert from "node:assert/strict";
import test from "node:test";
import { deleted, failure, remove, turn } from "../../test/fakes/deleting";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { finalizer } from "../api/lifecycle";
import { exponentialBackoff, KeyedQueue, type Clock } from "../queue/queue";
import type { StackResult } from "../domain/runner";
import { createController } from "./controller";

test("a stale copy destroys nothing of a Database that was recreated under the same name since", async () => {
  const cluster = await deleted({ deletionPolicy: "Delete" });
  cluster.lastLook.ending = false;
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.destroys.length, 0);
  assert.deepEqual(cluster.swept, []);
  assert.notEqual(cluster.passwordsOfRecord, undefined);
});

test("a policy that is changed while Pulumi destroys counts before any data is removed", async () => {
  const cluster = await deleted({ deletionPolicy: "Delete" });
  const { stacks } = cluster.ports;
  const destroy = stacks.destroy.bind(stacks);
  stacks.destroy = (request) => {
    remove(cluster, { deletionPolicy: "Retain" }, 3);
    return destroy(request);
  };
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "Deleting");
  assert.deepEqual(cluster.swept, []);
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.deepEqual(cluster.swept, ["all data"]);
});

test("a policy that is reverted in time counts, though the watch lags: it is read right before data is removed", async () => {
  const cluster = await deleted({ deletionPolicy: "Delete" });
  const spec = { deletionPolicy: "Retain" };
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer], generation: 3 };
  cluster.lastLook.object = databaseObject(spec, metadata);
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.deepEqual(cluster.swept, ["all data"]);
  assert.notEqual(cluster.passwordsOfRecord, undefined);
});

test("the records of the backups go with their volume, and stay with it", async () => {
  for (const [policy, unrecorded] of [
    ["Retain", []],
    ["Delete", ["team/shop"]],
  ] as const) {
    const cluster = await deleted({ deletionPolicy: policy });
    assert.deepEqual(await turn(cluster), { kind: "gone" });
    assert.deepEqual(cluster.unrecorded, unrecorded);
  }
});

for (const policy of ["Retain", "Snapshot", "Delete"]) {
  test(`in a namespace that is being deleted nothing is run and no password of record stays (${policy})`, async () => {
    const cluster = await deleted({ deletionPolicy: policy });
    cluster.lastLook.namespaceEnds = true;
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "gone");
    assert.match(outcome.message ?? "", /the namespace is being deleted/);
    assert.equal(/no last backup/.test(outcome.message ?? ""), policy === "Snapshot");
    assert.deepEqual([cluster.ups.length, cluster.destroys.length, cluster.swept.length], [1, 0, 0]);
    assert.equal(cluster.passwordsOfRecord, undefined);
    assert.equal(cluster.record, undefined);
    assert.deepEqual(cluster.finalizers, []);
  });
}

test("a deleted namespace leaves the passwords of volumes that stay, unless all was to be deleted, and says where", async () => {
  for (const policy of ["Retain", "Snapshot", "Delete"]) {
    const cluster = await deleted({ deletionPolicy: policy });
    cluster.lastLook.namespaceEnds = true;
    cluster.retired = { secret: "former-credentials.team.shop.uid", volumes: ["pv-0", "pv-1"] };
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "gone");
    const says = /kept in Secret former-credentials\.team\.shop\.uid for the volumes that stay: pv-0, pv-1/;
    assert.equal(says.test(outcome.message ?? ""), policy !== "Delete", policy);
  }
});

test("a sweep that the API server refuses is a failed deletion, in its words", async () => {
  const cluster = await deleted({});
  cluster.ports.children.sweep = () => Promise.reject(new Error("pods is forbidden"));
  assert.deepEqual(await turn(cluster), { kind: "failed", reason: "DestroyFailed", message: "pods is forbidden" });
  assert.deepEqual(cluster.finalizers, [finalizer]);
});

test("a child held by another client's finalizer is named, and Pulumi is not asked again before it is gone", async () => {
  const cluster = await deleted({});
  cluster.results = [failure];
  cluster.lastLook.held = ["Service shop (held by example.org/hold)"];
  for (let look = 0; look < 3; look++) {
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "waiting" && outcome.reason === "Deleting", JSON.stringify(outcome));
    assert.match(outcome.message, /Service shop \(held by example\.org\/hold\)/);
  }
  assert.equal(cluster.destroys.length, 1);
  cluster.lastLook.held = [];
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.destroys.length, 2);
});

/** Time that passes only when nothing else can happen. */
class Stepped implements Clock {
  readonly #timers: { readonly due: number; readonly callback: () => void }[] = [];
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { due: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => void this.#timers.splice(this.#timers.indexOf(timer), 1);
  }

  /** Runs until the next timer; how far that was, or undefined when there is none. */
  step(): number | undefined {
    const next = this.#timers.sort((a, b) => a.due - b.due).shift();
    if (next === undefined) return undefined;
    const passed = next.due - this.#now;
    this.#now = next.due;
    next.callback();
    return passed;
  }
}

const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a destroy that fails ten times is retried with growing delays, keeps the finalizer, and recovers by itself", async () => {
  const cluster = await deleted({ deletionPolicy: "Delete" });
  cluster.results = Array<StackResult>(10).fill(failure);
  const controller = createController(cluster.ports, {
    onError: (_key, error) => assert.fail(String(error)),
    onOutcome: () => undefined,
  });
  const clock = new Stepped();
  const queue = new KeyedQueue({
    concurrency: { look: 1, run: 1 },
    work: controller.work,
    clock,
    backoff: exponentialBackoff(() => 0),
  });
  queue.add(cluster.key);
  const pauses: (number | undefined)[] = [];
  for (let attempt = 1; attempt <= 10; attempt++) {
    await idle();
    assert.equal(cluster.destroys.length, attempt);
    assert.deepEqual(cluster.finalizers, [finalizer]);
    assert.deepEqual(cluster.swept, []);
    const said = cluster.statuses.at(-1)?.conditions?.find(({ type }) => type === "Reconciling");
    assert.equal(said?.reason, "DestroyFailed");
    assert.match(said.message, /services is forbidden/);
    pauses.push(clock.step());
  }
  await idle();
  assert.deepEqual(cluster.finalizers, []);
  assert.equal(cluster.passwordsOfRecord, undefined);
  assert.deepEqual(
    pauses,
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1000),
  );
  // said once, not ten times
  assert.equal(cluster.events.filter(({ reason }) => reason === "DestroyFailed").length, 1);
});

test("a person's edit brings the next attempt at once, however long the pause is", async () => {
  const cluster = await deleted({});
  cluster.results = Array<StackResult>(9).fill(failure);
  const controller = createController(cluster.ports, { onError: () => undefined, onOutcome: () => undefined });
  const clock = new Stepped();
  const queue = new KeyedQueue({ concurrency: { look: 1, run: 1 }, work: controller.work, clock });
  queue.add(cluster.key);
  await idle();
  for (let attempt = 1; attempt < 9; attempt++) {
    clock.step();
    await idle();
  }
  assert.equal(cluster.destroys.length, 9);
  queue.add(cluster.key);
  await idle();
  assert.deepEqual(cluster.finalizers, []);
});

test("an object that only has the labels of a child is left alone, and reported", async () => {
  const cluster = await deleted({ deletionPolicy: "Delete" });
  cluster.strangers = ["PersistentVolumeClaim copy-of-data"];
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  const [event] = cluster.events.slice(-1);
  assert.equal(event?.type, "Warning");
  assert.match(event.message, /left unchanged, .*: PersistentVolumeClaim copy-of-data$/);
});

test("nothing is destroyed before the members have stopped, since they need it to stop cleanly", async () => {
  const cluster = await deleted({ deletionPolicy: "Retain" });
  cluster.stopping = [["Pod shop-0"]];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting");
  assert.match(outcome.message, /for these to be deleted: Pod shop-0/);
  assert.equal(cluster.destroys.length, 0);
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.destroys.length, 1);
});

test("a destroy that fails keeps the finalizer and the state, and sweeps nothing", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] });
  cluster.results = [failure];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "failed" && outcome.reason === "DestroyFailed");
  assert.deepEqual(cluster.finalizers, [finalizer]);
  assert.equal(cluster.swept.length, 0);
});

test("a Database that was never reconciled goes without a run", async () => {
  const cluster = new FakeCluster(
    databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] }),
  );
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.destroys.length, 0);
  assert.deepEqual(cluster.finalizers, []);
});
