// Changes that were let through and are not whole: tried again, gone back from, and kept up while something else waits.
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
import { reconcile } from "./reconcile";

const half = plan("plan-2", { effect: "CannotBeTold", members: [], message: "a former change is half done" });

/** A Database of which an approved change has failed halfway. */
async function halved(): Promise<FakeCluster> {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.foresight.found = half;
  return cluster;
}

const next = (cluster: FakeCluster, ports: FakeCluster["ports"]): ReturnType<typeof reconcile> =>
  reconcile(cluster.key, cluster.database, ports, turnOf);

const config = (cluster: FakeCluster): unknown => cluster.ups.at(-1)?.program.desired.config["max_connections"];

test("an approved change that was cut off by a release of the operator is carried out by that", async () => {
  const cluster = await halved();
  assert.equal((await next(cluster, released(cluster))).kind, "settled");
  assert.deepEqual([cluster.ups.length, config(cluster), cluster.record?.release], [3, "200", "release-2"]);
});

test("so is the way back from it", async () => {
  const cluster = await halved();
  edit(cluster, { ...asks });
  assert.equal((await next(cluster, released(cluster))).kind, "settled");
  assert.deepEqual([cluster.ups.length, config(cluster)], [3, undefined]);
});

test("a harmless one is carried out, and restarts no member for the release", async () => {
  const cluster = await asked(asks);
  cluster.foresight.found = plan("plan-1", quiet);
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.foresight.found = half;
  const outcome = await next(cluster, released(cluster));
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  assert.deepEqual([cluster.ups.length, config(cluster)], [3, "200"]);
  assert.deepEqual(cluster.ups[2]?.program.memberTemplate, template);
  const previews = cluster.foresight.previews;
  cluster.foresight.found = plan("plan-3", quiet);
  assert.equal((await next(cluster, released(cluster))).kind, "settled", "as it is whole, the release can be told");
  assert.equal(cluster.foresight.previews, previews + 2, "a plan that has moved is made again, with another number");
});

test("while another edit waits, what was agreed to is tried again, and kept up", async () => {
  const cluster = await halved();
  edit(cluster, { ...asks, config: { max_connections: "300" } });
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, config(cluster)], [3, "200"]);
  drifts(cluster);
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, config(cluster)], [4, "200"]);
});

test("a change that failed before there was a policy is tried again while one waits that brings it", async () => {
  const cluster = await asked({});
  cluster.results = [failing(), ...Array.from({ length: 9 }, through)];
  assert.equal((await turn(cluster)).kind, "failed");
  edit(cluster, { ...asks, config: { max_connections: "300" } });
  cluster.foresight.found = half;
  await waits(cluster);
  assert.deepEqual([cluster.ups.length, config(cluster)], [3, "200"]);
});

test("what was gone back from, before it ran or after, asks again", async () => {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  const killed = { ...cluster.ports.stacks, up: () => Promise.reject(new Error("killed")) };
  await assert.rejects(next(cluster, { ...cluster.ports, stacks: killed }), /killed/);
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { ...asks, config: { max_connections: "200" } });
  cluster.foresight.found = plan("plan-3", restart);
  await waits(cluster);
});

test("a policy that came without a run is not taken away by who has to be asked for that", async () => {
  const cluster = await asked({}, asks);
  cluster.foresight.found = plan("plan-1");
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, {});
  cluster.foresight.settings.mayAuthorApprove = false;
  const by = { "database.example.com/changed-by": "uid-1 3 john" };
  annotate(cluster, { ...by, ...approval("plan-1", "john") });
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.shown?.requestedBy, pending?.shown?.approval?.state], [["john"], "Author"]);
});

test("an edit among many changes of a shared ConfigMap has an author as well", async () => {
  const cluster = await asked(asks, {});
  assert.equal((await turn(cluster)).kind, "settled");
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`app.parameter_${index}`, "1"]));
  assert.ok(cluster.record?.accepted !== undefined);
  cluster.record = { ...cluster.record, accepted: { ...cluster.record.accepted, config: many } };
  edit(cluster, { ...asks, replicas: 5 });
  annotate(cluster, { "database.example.com/changed-by": "uid-1 3 john" });
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.shown?.requestedBy, pending?.shown?.changes.length], [["john"], 20]);
});
