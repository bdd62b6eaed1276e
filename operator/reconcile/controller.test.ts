import assert from "node:assert/strict";
import test from "node:test";
import { checkpointOf, databaseObject, FakeCluster } from "../../test/fakes/ports";
import { finalizer } from "../api/lifecycle";
import type { StackResult } from "../stack/runner";
import { createController, type Controller } from "./controller";

const failure: StackResult = {
  kind: "failed",
  problem: { message: "quota", resource: undefined },
  checkpoint: checkpointOf("Service shop"),
};

function controllerOf(cluster: FakeCluster): Controller & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const hooks = { onError: (_key: string, error: unknown) => errors.push(error), onOutcome: () => undefined };
  return { ...createController(cluster.ports, hooks), errors };
}

test("a deletion that waits writes its status once, not at every turn", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  await work(cluster.key);
  cluster.object = databaseObject({}, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] });
  cluster.leftovers = [["Pod shop-0"], ["Pod shop-0"], ["Pod shop-0"]];
  await work(cluster.key);
  const written = cluster.statuses.length;
  assert.deepEqual(await work(cluster.key), { kind: "again", afterMs: 2000 });
  await work(cluster.key);
  assert.equal(cluster.statuses.length, written);
  assert.deepEqual(await work(cluster.key), { kind: "forget" });
});

test("an edit that arrives during a run is not reported as acted on", async () => {
  const cluster = new FakeCluster();
  const up = cluster.ports.stacks.up.bind(cluster.ports.stacks);
  cluster.ports.stacks.up = (request) => {
    cluster.object = databaseObject({ replicas: 5 }, { generation: 2 });
    return up(request);
  };
  await controllerOf(cluster).work(cluster.key);
  assert.deepEqual([...new Set(cluster.statuses.map(({ observedGeneration }) => observedGeneration))], [1]);
});

test("a failure that repeats is one event", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  cluster.results = [failure, failure, failure];
  for (let attempt = 0; attempt < 3; attempt++) assert.deepEqual(await work(cluster.key), { kind: "retry" });
  assert.deepEqual(
    cluster.events.map(({ reason }) => reason),
    ["RunFailed"],
  );
});

test("between two attempts the status goes on telling how the members fare", async () => {
  const cluster = new FakeCluster();
  const { work, refresh } = controllerOf(cluster);
  cluster.results = [failure];
  await work(cluster.key);
  const member = {
    namespace: "team",
    database: "shop",
    role: "primary",
    problem: undefined,
    terminating: false,
  } as const;
  cluster.observation = {
    workload: { uid: "w", generation: 1, wanted: 1, settled: true },
    members: [{ ...member, name: "shop-0", ready: true }],
    jobs: [],
  };
  await refresh(cluster.key);
  const status = cluster.statuses.at(-1);
  assert.equal(status?.readyReplicas, 1);
  assert.equal(status.phase, "Failed");
  assert.equal(cluster.ups.length, 1);
});

test("an unexpected error goes to the log whole and to the status as a word", async () => {
  const cluster = new FakeCluster();
  const controller = controllerOf(cluster);
  cluster.ports.credentials.ensure = () => Promise.reject(new Error("hunter2"));
  assert.deepEqual(await controller.work(cluster.key), { kind: "retry" });
  assert.match(String(controller.errors[0]), /hunter2/);
  const text = JSON.stringify(cluster.statuses);
  assert.match(text, /InternalError/);
  assert.ok(!text.includes("hunter2"));
});

test("what was written is remembered while the watch lags: nothing is written twice", async () => {
  const cluster = new FakeCluster();
  cluster.watchLags = true;
  const { work } = controllerOf(cluster);
  await work(cluster.key);
  const written = cluster.statuses.length;
  await work(cluster.key);
  assert.equal(cluster.statuses.length, written);
  // an object of the same name that was made later has a status of its own
  cluster.object = databaseObject({}, { uid: "uid-2", resourceVersion: "3" });
  await work(cluster.key);
  assert.ok(cluster.statuses.length > written);
});
