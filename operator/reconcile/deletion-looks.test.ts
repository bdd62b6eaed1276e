import assert from "node:assert/strict";
import test from "node:test";
import { deleted } from "../../test/fakes/deleting";
import { ManualClock, settle } from "../../test/fakes/manual-clock";
import { nothingObserved, type FakeCluster } from "../../test/fakes/ports";
import { KeyedQueue } from "../queue/queue";
import { createController } from "./controller";

/** A Database that is being deleted and whose member is on its way out, in a queue whose time passes by itself. */
async function stopping(spec: Record<string, unknown> = {}): Promise<{
  readonly cluster: FakeCluster;
  readonly queue: KeyedQueue;
  readonly pass: (seconds: number) => Promise<void>;
}> {
  const cluster = await deleted(spec);
  const clock = new ManualClock();
  cluster.observation = nothingObserved;
  cluster.stopping = Array.from({ length: 100 }, () => ["Pod shop-0"]);
  cluster.goingPods = ["Pod shop-0"];
  const ports = { ...cluster.ports, now: () => new Date(clock.now()) };
  const { work } = createController(ports, { onError: () => undefined, onOutcome: () => undefined });
  const queue = new KeyedQueue({ concurrency: { look: 1, run: 1 }, work, clock });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1000);
      await settle();
    }
  };
  queue.add(cluster.key);
  await settle();
  await settle();
  return { cluster, queue, pass };
}

test("while members stop, however often they change, the API server is not asked; once they are gone it is asked at once", async () => {
  const { cluster, queue, pass } = await stopping();
  const asked = cluster.lastLooks;
  for (let move = 0; move < 20; move++) {
    queue.nudge(cluster.key, 50);
    await pass(1);
  }
  assert.equal(cluster.lastLooks, asked);
  const said = cluster.statuses.at(-1)?.conditions?.find(({ type }) => type === "Reconciling");
  assert.match(said?.message ?? "", /waiting for these to be deleted: Pod shop-0/);
  [cluster.goingPods, cluster.stopping] = [[], []];
  queue.nudge(cluster.key, 50);
  await pass(1);
  assert.deepEqual(cluster.finalizers, []);
});

test("a deletion that no watch reports any more continues by itself", async () => {
  const { cluster, pass } = await stopping();
  cluster.stopping = [];
  await pass(60);
  assert.deepEqual(cluster.finalizers, []);
});

test("a child that is held is looked at for as long as it takes, but seldom", async () => {
  const { cluster, pass } = await stopping();
  const asked = cluster.lastLooks;
  await pass(300);
  assert.ok(cluster.lastLooks - asked <= 10, `${cluster.lastLooks - asked} looks`);
  assert.ok(cluster.lastLooks - asked >= 5, `${cluster.lastLooks - asked} looks`);
});

test("members that stop before the last backup do not delay it", async () => {
  const { cluster, queue, pass } = await stopping({ deletionPolicy: "Snapshot" });
  cluster.lastLook.finalBackup = "running";
  await pass(10);
  const asked = cluster.lastLooks;
  queue.nudge(cluster.key, 50);
  await pass(1);
  assert.ok(cluster.lastLooks > asked);
});
