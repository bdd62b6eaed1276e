import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import { ManualClock, settle } from "../../test/fakes/manual-clock";
import { finalizer } from "../api/lifecycle";
import type { Observation } from "../domain/members";
import { KeyedQueue } from "../queue/queue";
import type { StackResult } from "../domain/runner";
import { createController, type Controller } from "./controller";

const failure: StackResult = {
  kind: "failed",
  problem: { message: "quota", resource: undefined },
  checkpoint: checkpointOf("Service shop"),
};

/** Certificates are looked at again after a day at the latest. */
const untilDue = { kind: "again", afterMs: 86_400_000 };

function controllerOf(cluster: FakeCluster): Controller & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const hooks = { onError: (_key: string, error: unknown) => errors.push(error), onOutcome: () => undefined };
  return { ...createController(cluster.ports, hooks), errors };
}

test("a deletion that waits writes its status once, not at every turn", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  await work(cluster.key, "run");
  cluster.object = databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] });
  cluster.leftovers = [["Pod shop-0"], ["Pod shop-0"], ["Pod shop-0"]];
  await work(cluster.key, "run");
  const written = cluster.statuses.length;
  assert.deepEqual(await work(cluster.key, "run"), { kind: "again", afterMs: 30_000 });
  await work(cluster.key, "run");
  assert.equal(cluster.statuses.length, written);
  assert.deepEqual(await work(cluster.key, "run"), { kind: "forget" });
});

test("an edit that arrives during a run is not reported as acted on", async () => {
  const cluster = new FakeCluster();
  const up = cluster.ports.stacks.up.bind(cluster.ports.stacks);
  cluster.ports.stacks.up = (request) => {
    cluster.object = databaseObject({ replicas: 5 }, { generation: 2 });
    return up(request);
  };
  await controllerOf(cluster).work(cluster.key, "run");
  assert.deepEqual([...new Set(cluster.statuses.map(({ observedGeneration }) => observedGeneration))], [1]);
});

test("a failure that repeats is one event", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  cluster.results = [failure, failure, failure];
  for (let attempt = 0; attempt < 3; attempt++) assert.deepEqual(await work(cluster.key, "run"), { kind: "retry" });
  assert.deepEqual(
    cluster.events.map(({ reason }) => reason),
    ["RunFailed"],
  );
});

const oneMember: Observation = {
  workload: { uid: "w", generation: 1, wanted: 1, seen: true, revision: "new" },
  members: [memberOf("shop-0", { role: "primary" })],
  jobs: [],
};

test("between two attempts the status keeps showing the members' state", async () => {
  const cluster = new FakeCluster();
  const { work, refresh } = controllerOf(cluster);
  cluster.results = [failure];
  await work(cluster.key, "run");
  cluster.observation = oneMember;
  await refresh(cluster.key);
  const status = cluster.statuses.at(-1);
  assert.equal(status?.readyReplicas, 1);
  assert.equal(status.phase, "Failed");
  assert.equal(cluster.ups.length, 1);
});

test("however quickly members change after a failure, the status ends with their last state", async () => {
  const cluster = new FakeCluster();
  const { databases } = cluster.ports;
  const slow: (() => void)[] = [];
  const writeStatus: typeof databases.writeStatus = async (metadata, write) => {
    // the first answer comes late
    if (cluster.statuses.length === 1 && slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
    return databases.writeStatus(metadata, write);
  };
  const ports = { ...cluster.ports, databases: { ...databases, writeStatus } };
  const { work, refresh } = createController(ports, { onError: () => undefined, onOutcome: () => undefined });
  const clock = new ManualClock();
  const queue = new KeyedQueue({ concurrency: { look: 2, run: 1 }, work, report: refresh, clock });
  cluster.results = [failure];
  queue.add(cluster.key);
  await settle();
  for (const ready of [true, false]) {
    cluster.observation = { ...oneMember, members: [memberOf("shop-0", { role: "primary", ready })] };
    queue.nudge(cluster.key, 50);
    await clock.advance(50);
  }
  for (const answer of slow) answer();
  await settle();
  assert.equal(cluster.statuses.at(-1)?.readyReplicas, 0);
});

test("an unexpected error is logged in full and is one word in the status", async () => {
  const cluster = new FakeCluster();
  const controller = controllerOf(cluster);
  cluster.ports.credentials.ensure = () => Promise.reject(new Error("hunter2"));
  assert.deepEqual(await controller.work(cluster.key, "run"), { kind: "retry" });
  assert.match(String(controller.errors[0]), /hunter2/);
  const text = JSON.stringify(cluster.statuses);
  assert.match(text, /InternalError/);
  assert.ok(!text.includes("hunter2"));
});

test("a status whose answer was lost is not reverted by a second one at once", async () => {
  const cluster = new FakeCluster(databaseObject({}, { generation: 2 }));
  const { databases } = cluster.ports;
  let answers = [false];
  const writeStatus: typeof databases.writeStatus = async (metadata, write) => {
    const written = await databases.writeStatus(metadata, write);
    if (answers.shift() === false) throw new Error("socket hang up");
    return written;
  };
  const ports = { ...cluster.ports, databases: { ...databases, writeStatus } };
  const hooks = { onError: () => undefined, onOutcome: () => undefined };
  const controller = createController(ports, hooks);
  assert.deepEqual(await controller.work(cluster.key, "run"), { kind: "retry" });
  assert.equal(cluster.statuses.length, 1);
  answers = [];
  assert.deepEqual(await controller.work(cluster.key, "run"), untilDue);
  assert.doesNotMatch(JSON.stringify(cluster.statuses), /InternalError/);
});

test("a status that the API server refused was not written: transition times continue from the last one that was", async () => {
  const cluster = new FakeCluster();
  const { databases } = cluster.ports;
  const job = { namespace: "team", database: "shop", name: "shop-init", component: "initialization" };
  const initialized = { ...job, state: "succeeded", createdAt: "2026-01-01T00:00:00Z", finishedAt: undefined } as const;
  const [none, all] = [cluster.observation, { ...oneMember, jobs: [initialized] }];
  let now = Date.parse("2026-01-01T00:00:00Z");
  let refusals = 0;
  const writeStatus: typeof databases.writeStatus = (metadata, write) => {
    const isRefused = write
      .statusAfter(write.previous)
      .conditions?.some(({ type, status: is }) => type === "Reconciling" && is === "False");
    if (isRefused) refusals++;
    return isRefused ? Promise.reject(new Error("conflict")) : databases.writeStatus(metadata, write);
  };
  const ports = { ...cluster.ports, now: () => new Date((now += 60_000)), databases: { ...databases, writeStatus } };
  const controller = createController(ports, { onError: () => undefined, onOutcome: () => undefined });
  for (const observation of [none, all, { ...none, members: [memberOf("shop-0", { ready: false })] }]) {
    cluster.observation = observation;
    await controller.work(cluster.key, "run");
  }
  const times = cluster.statuses.map(({ conditions }) => {
    const reconciling = conditions?.find(({ type }) => type === "Reconciling");
    return `${reconciling?.status} ${reconciling?.lastTransitionTime}`;
  });
  assert.deepEqual([refusals, times.length, new Set(times).size], [1, 2, 1]);
});

test("what was written is remembered while the watch lags: nothing is written twice", async () => {
  const cluster = new FakeCluster();
  cluster.watchLags = true;
  const { work } = controllerOf(cluster);
  await work(cluster.key, "run");
  const written = cluster.statuses.length;
  await work(cluster.key, "run");
  assert.equal(cluster.statuses.length, written);
  // an object of the same name that was created later has a status of its own
  cluster.object = databaseObject({}, { uid: "uid-2", resourceVersion: "3" });
  await work(cluster.key, "run");
  assert.ok(cluster.statuses.length > written);
});

test("a stale copy is not acted on: a later generation already was", async () => {
  const cluster = new FakeCluster(databaseObject({ replicas: 5 }, { generation: 2 }));
  const { work } = controllerOf(cluster);
  await work(cluster.key, "run");
  const written = cluster.statuses.length;
  cluster.object = databaseObject({ replicas: 3 }, { generation: 1 });
  assert.deepEqual(await work(cluster.key, "run"), { kind: "again", afterMs: 1000 });
  assert.equal(cluster.ups.length, 1);
  assert.equal(cluster.statuses.length, written);
  cluster.object = databaseObject({ replicas: 3 }, { generation: 1, uid: "uid-2" });
  assert.deepEqual(await work(cluster.key, "run"), untilDue);
});

test("of a Database that never got a finalizer nothing is remembered once it is gone", async () => {
  const cluster = new FakeCluster(databaseObject({ engine: "oracle" }, { generation: 2 }));
  const { work } = controllerOf(cluster);
  await work(cluster.key, "run");
  assert.deepEqual(cluster.finalizers, []);
  cluster.object = undefined;
  assert.deepEqual(await work(cluster.key, "look"), { kind: "forget" });
  assert.deepEqual(cluster.forgotten.toSorted(), ["databases team/shop", "members team/shop", "records team/shop"]);
  // what a list of the past brings is known as that
  cluster.object = databaseObject({}, { generation: 1 });
  assert.deepEqual(await work(cluster.key, "run"), { kind: "again", afterMs: 1000 });
  // one that a backup of the cluster's objects brings is another object
  cluster.object = databaseObject({}, { generation: 1, uid: "uid-2" });
  assert.deepEqual(await work(cluster.key, "run"), untilDue);
  assert.equal(cluster.ups.length, 1);
});

test("a run that takes long is reported", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  const up = cluster.ports.stacks.up.bind(cluster.ports.stacks);
  const during: unknown[] = [];
  let runMs = 0;
  cluster.ports.stacks.up = async (request) => {
    t.mock.timers.tick(runMs);
    await new Promise((resolve) => setImmediate(resolve));
    during.push(cluster.statuses.at(-1)?.conditions?.find(({ type }) => type === "Reconciling")?.reason);
    return up(request);
  };
  let generation = 1;
  for (const milliseconds of [100, 600]) {
    runMs = milliseconds;
    generation++;
    const edited = databaseObject({ config: { work_mem: `${generation}MB` } }, { generation });
    cluster.object = { ...edited, status: cluster.statuses.at(-1) };
    await work(cluster.key, "run");
  }
  assert.deepEqual(during, [undefined, "Updating"]);
});
