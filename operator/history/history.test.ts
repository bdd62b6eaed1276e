import assert from "node:assert/strict";
import test from "node:test";
import { after, entry } from "../../test/fakes/history";
import { databaseObject, memberOf } from "../../test/fakes/ports";
import { mostRevisions } from "../api/revisions/limits";
import { ObservedDatabase } from "../domain/observed-database";
import { settled, stalled, waiting } from "../domain/outcome";

test("a change becomes an object, whose status says what came of it; then nothing is written", async () => {
  const { cluster, turn } = await after(1);
  const [made] = cluster.stored;
  assert.deepEqual([made?.metadata.name, made?.owner], ["shop-uid-1-1", "uid-1"]);
  assert.deepEqual(made?.spec.template, { engine: "postgresql", replicas: 1 });
  assert.deepEqual([made.spec.manager, made.spec.runSeconds], ["kubectl", 1]);
  const { result, seconds, completedAt, primary } = cluster.status(1) ?? {};
  assert.deepEqual([result, seconds, completedAt, primary], ["Complete", 541, "2026-11-27T14:10:00Z", "shop-0"]);
  const before = cluster.writes;
  for (let turns = 0; turns < 5; turns++) assert.equal(await turn(), "forget");
  assert.equal(cluster.writes, before);
});

test("what an operator did not make before it ended, its successor makes, each once and in order", async () => {
  const { cluster } = await after(1);
  cluster.history = [entry(3), entry(2), ...cluster.history];
  const successor = cluster.start();
  await successor();
  assert.deepEqual(cluster.numbers(), [1, 2, 3]);
});

test("a creation whose answer was lost, and a watch that lags, make none twice", async () => {
  const { cluster, turn } = await after(1);
  [cluster.lags, cluster.answers] = [true, [false]];
  cluster.history = [entry(2), ...cluster.history];
  assert.equal(await turn(), "retry");
  assert.equal(await turn(), "forget");
  assert.deepEqual([cluster.numbers(), cluster.errors.length], [[1, 2], 1]);
});

test("nothing is made before it is known what there is, of a Database that is deleted, or of another one of the name", async () => {
  const { cluster, turn } = await after(1);
  cluster.history = [entry(2), ...cluster.history];
  const { shown, database } = cluster;
  cluster.shown = undefined;
  await turn();
  cluster.shown = shown;
  cluster.database = new ObservedDatabase(databaseObject({}, { deletionTimestamp: "2026-11-27T14:00:00Z" }));
  await turn();
  cluster.database = new ObservedDatabase(databaseObject({}, { uid: "uid-2" }));
  await turn();
  assert.deepEqual(cluster.numbers(), [1]);
  cluster.database = database;
  await turn();
  assert.deepEqual(cluster.numbers(), [1, 2]);
});

test("there are at most so many, and one that a person deleted does not come back", async () => {
  const { cluster, turn } = await after(mostRevisions + 3);
  await turn();
  assert.equal(cluster.stored.length, mostRevisions);
  assert.equal(Math.min(...cluster.numbers()), 4);
  cluster.stored = cluster.shown = cluster.stored.filter(({ spec }) => spec.revision !== 22);
  await turn();
  assert.ok(!cluster.numbers().includes(22));
});

test("a change that another one overtakes is superseded, and says so once", async () => {
  const { cluster, turn } = await after(1);
  cluster.outcome = waiting("Restarting", "restarting shop-1", 1000);
  cluster.history = [entry(2, { restarts: "max_connections 100 → 150" }), ...cluster.history];
  await turn();
  await turn();
  assert.equal(cluster.status(2)?.result, "Progressing");
  cluster.history = [entry(3), ...cluster.history];
  await turn();
  await turn();
  assert.deepEqual(cluster.status(2), { ...cluster.status(2), result: "Superseded", completedAt: entry(3).at });
  assert.equal(cluster.status(1)?.result, "Complete");
});

test("of changes that are made in one turn the newest one tells what happened to members, and none before it stays in progress", async () => {
  const { cluster } = await after(1);
  cluster.outcome = waiting("Restarting", "restarting shop-1", 1000);
  cluster.history = [entry(2), ...cluster.history];
  const first = cluster.start();
  for (let turns = 0; turns < 2; turns++) await first();
  assert.equal(cluster.status(2)?.result, "Progressing");
  const restarts = "max_connections 100 → 150";
  cluster.history = [entry(4, { restarts }), entry(3), ...cluster.history];
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: "2", revision: "newer" }] };
  const second = cluster.start();
  cluster.lags = true;
  await second();
  cluster.shown = cluster.stored;
  for (let turns = 0; turns < 3; turns++) await second();
  cluster.shown = cluster.stored;
  const results = [1, 2, 3].map((revision) => cluster.status(revision)?.result);
  assert.deepEqual(results, ["Complete", "Superseded", "Superseded"]);
  const [overtaken, { restarted, incidents = [] } = {}] = [cluster.status(2), cluster.status(4)];
  assert.equal(overtaken?.completedAt, entry(3).at);
  assert.deepEqual([restarted, incidents.map(({ member }) => member)], [1, ["shop-1"]]);
  const before = cluster.writes;
  for (let turns = 0; turns < 3; turns++) await second();
  assert.equal(cluster.writes, before);
});

test("where none can be made now, it is tried again after growing pauses", async () => {
  const { cluster, turn } = await after(1);
  cluster.takes = false;
  cluster.history = [entry(2), ...cluster.history];
  assert.equal(await turn(), "retry");
  assert.deepEqual(cluster.errors, []);
});

test("a change is complete although a later edit waits, or cannot be had", async () => {
  for (const reason of ["ChangePending", "SpecInvalid"] as const) {
    const { cluster, turn } = await after(1);
    cluster.outcome = { ...stalled(reason, "a later edit"), meanwhile: waiting("Restarting", "restarting", 1000) };
    cluster.history = [entry(2), ...cluster.history];
    for (let turns = 0; turns < 2; turns++) await turn();
    assert.equal(cluster.status(2)?.result, "Progressing");
    cluster.outcome = { ...stalled(reason, "a later edit"), isKept: true };
    await turn();
    assert.equal(cluster.status(2)?.result, "Complete");
  }
});

test("a rollout that stops says why, and is complete once it has continued", async () => {
  const { cluster, turn } = await after(1);
  cluster.outcome = stalled("ConfigRejected", "shop-1 does not start");
  cluster.history = [entry(2), ...cluster.history];
  await turn();
  await turn();
  assert.deepEqual([cluster.status(2)?.result, cluster.status(2)?.message], ["Stopped", "shop-1 does not start"]);
  cluster.outcome = settled();
  await turn();
  assert.deepEqual([cluster.status(2)?.result, cluster.status(2)?.message], ["Complete", undefined]);
});

test("it is not complete while a member is not ready", async () => {
  const { cluster, turn } = await after(1);
  const { observation } = cluster;
  cluster.observation = {
    ...observation,
    members: [memberOf("shop-0", { role: "primary" }), memberOf("shop-1", { ready: false })],
  };
  cluster.history = [entry(2), ...cluster.history];
  await turn();
  await turn();
  assert.equal(cluster.status(2)?.result, "Progressing");
});

test("it is not complete before a primary leads again, whose absence counts to it", async () => {
  const { cluster, turn } = await after(1);
  const { observation } = cluster;
  const at = (seconds: number): Date => new Date(Date.parse("2026-11-27T14:10:00Z") + seconds * 1000);
  cluster.outcome = waiting("Restarting", "restarting shop-0", 1000);
  cluster.history = [entry(2, { restarts: "max_connections 100 → 150" }), ...cluster.history];
  cluster.observation = { ...observation, members: [memberOf("shop-0", { ready: false }), memberOf("shop-1")] };
  await turn();
  await turn();
  // its pod is ready before its role is known
  [cluster.outcome, cluster.now] = [settled(), at(16)];
  cluster.observation = { ...observation, members: [memberOf("shop-0"), memberOf("shop-1")] };
  await turn();
  assert.equal(cluster.status(2)?.result, "Progressing");
  [cluster.observation, cluster.now] = [observation, at(17)];
  await turn();
  assert.deepEqual([cluster.status(2)?.result, cluster.status(2)?.interruptionSeconds], ["Complete", 17]);
});
