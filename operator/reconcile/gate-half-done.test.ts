// A change that was let through and is half done is carried through, or back, whatever moves meanwhile.
import assert from "node:assert/strict";
import test from "node:test";
import {
  annotate,
  approval,
  asked,
  asks,
  drifts,
  edit,
  failing,
  plan,
  quiet,
  released,
  restart,
  template,
  through,
  turn,
  turnOf,
  waits,
} from "../../test/fakes/asked-change";
import type { FakeCluster } from "../../test/fakes/ports";
import { declared, down, member0, phaseOf, to, upgrading, workload } from "../../test/fakes/upgrading";
import { reconcile } from "./reconcile";

const limitOf = (cluster: FakeCluster): string | undefined =>
  cluster.ups.at(-1)?.program.desired.config["max_connections"];
const edited = (connections: string): Record<string, unknown> => ({
  ...asks,
  config: { max_connections: connections },
});

const half = plan("plan-2", { effect: "CannotBeTold", members: [], message: "a former change is half done" });

const next = (cluster: FakeCluster, ports: FakeCluster["ports"]): ReturnType<typeof reconcile> =>
  reconcile(cluster.key, cluster.database, ports, turnOf);

/** A change that was let through, and whose run failed. */
async function halfDone(): Promise<FakeCluster> {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [2, "200"]);
  cluster.foresight.found = half;
  return cluster;
}

test("a half-done change that was approved is tried again by another release of the operator", async () => {
  const cluster = await halfDone();
  assert.equal((await next(cluster, released(cluster))).kind, "settled");
  assert.deepEqual([cluster.ups.length, limitOf(cluster), cluster.record?.release], [3, "200", "release-2"]);
  assert.equal(cluster.ups[2]?.program.memberTemplate, undefined);
});

test("a half-done change that was harmless is carried out, and restarts no member for another release", async () => {
  const cluster = await asked(asks);
  cluster.foresight.found = plan("plan-1", quiet);
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.foresight.found = half;
  const outcome = await next(cluster, released(cluster));
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [3, "200"]);
  assert.deepEqual(cluster.ups[2]?.program.memberTemplate, template);
  const previews = cluster.foresight.previews;
  cluster.foresight.found = plan("plan-3", quiet);
  assert.equal((await next(cluster, released(cluster))).kind, "settled", "as it is whole, the release can be told");
  assert.equal(cluster.foresight.previews, previews + 2, "a plan that has moved is made again, with another number");
});

test("a half-done change may be taken back under another release as well", async () => {
  const cluster = await halfDone();
  edit(cluster, { ...asks });
  assert.equal((await next(cluster, released(cluster))).kind, "settled");
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [3, undefined]);
});

test("while another edit waits, a half-done change is carried through, and then it is not gone back from", async () => {
  const cluster = await halfDone();
  edit(cluster, edited("300"));
  const { isKept, meanwhile } = await waits(cluster);
  assert.deepEqual([isKept, meanwhile], [true, undefined], "what is kept up is settled");
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [3, "200"]);
  drifts(cluster);
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [4, "200"], "and what drifts is repaired");
  cluster.observed = undefined;
  await waits(cluster);
  edit(cluster, { ...asks });
  await waits(cluster);
  edit(cluster, edited("200"));
  assert.equal((await turn(cluster)).kind, "settled", "it came through");
});

test("a half-done change that is carried through while another one waits is so by another release, too", async () => {
  const cluster = await halfDone();
  edit(cluster, edited("300"));
  const outcome = await next(cluster, released(cluster));
  assert.equal(outcome.kind, "stalled");
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [3, "200"]);
  assert.equal(cluster.ups[2]?.program.memberTemplate, undefined, "half of it may be in the template");
});

const ways: Readonly<Record<string, (cluster: FakeCluster) => Promise<unknown>>> = {
  "is tried again": (cluster) => turn(cluster),
  "is tried again by another release": (cluster) => next(cluster, released(cluster)),
  "fails again, and is tried once more": async (cluster) => {
    cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
    await turn(cluster);
    return turn(cluster);
  },
  "is finished while another edit waits": (cluster) => {
    edit(cluster, edited("300"));
    return waits(cluster);
  },
};
for (const [what, act] of Object.entries(ways)) {
  test(`the history says who approved a half-done change that ${what}, and nothing of the platform`, async () => {
    const cluster = await halfDone();
    await act(cluster);
    const {
      origin,
      approval: passed,
      generation = cluster.record?.history[0]?.generation,
    } = cluster.record?.history[0]?.told ?? {};
    assert.deepEqual([origin, passed?.by, passed?.plan, generation], ["Spec", "maria", "plan-1", 2]);
  });
}

test("a way back that failed is continued, and the change that it left is asked about again", async () => {
  const cluster = await halfDone();
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "failed");
  edit(cluster, edited("200"));
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [4, undefined]);
});

test("what fails where nothing waits by any policy is continued once a policy makes another edit wait", async () => {
  const cluster = await asked({});
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  edit(cluster, edited("300"));
  cluster.foresight.found = plan("plan-2", restart);
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [3, "200"]);
});

test("a repair that fails twice is tried again while a change waits", async () => {
  const cluster = await asked(asks, {});
  cluster.foresight.found = plan("plan-1", quiet);
  drifts(cluster);
  cluster.results = [failing(), failing(), ...Array.from({ length: 9 }, through)];
  assert.deepEqual([(await turn(cluster)).kind, (await turn(cluster)).kind], ["failed", "failed"]);
  edit(cluster, edited("300"));
  cluster.foresight.found = plan("plan-2", restart);
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, limitOf(cluster)], [4, undefined]);
});

/** An approved change of which the record says that it was agreed to, and nothing that it began. */
async function notBegun(): Promise<FakeCluster> {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  const stacks = { ...cluster.ports.stacks, up: () => Promise.reject(new Error("killed")) };
  await assert.rejects(next(cluster, { ...cluster.ports, stacks }), /killed/);
  annotate(cluster, {});
  return cluster;
}

test("an approved change that was taken back before it began is asked about again", async () => {
  const cluster = await notBegun();
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, edited("200"));
  cluster.foresight.found = plan("plan-3", restart);
  await waits(cluster);
  assert.equal(cluster.ups.length, 1);
});

test("so is one that another edit replaced before it began", async () => {
  const cluster = await notBegun();
  edit(cluster, edited("300"));
  cluster.foresight.found = plan("plan-2", restart);
  await waits(cluster);
  edit(cluster, edited("200"));
  cluster.foresight.found = plan("plan-3", restart);
  await waits(cluster);
  assert.equal(cluster.ups.length, 1);
});

test("an upgrade that has the members stopped is carried on, although its run failed and another edit waits", async () => {
  const cluster = await upgrading({ phase: "Starting", ...down, files: "to" }, asks);
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.foresight.found = half;
  edit(cluster, { ...edited("300"), version: to, replicas: 3 });
  cluster.membersNow = { workload, members: [{ ...member0, resourceVersion: "1" }] };
  cluster.upgradeLook.initialized = "server:17";
  assert.equal((await next(cluster, released(cluster))).kind, "stalled");
  assert.deepEqual(
    [declared(cluster), phaseOf(cluster)],
    [[to, "server:17", "all", undefined, false, undefined], "AwaitingConfirmation"],
  );
});
