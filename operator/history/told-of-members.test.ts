import assert from "node:assert/strict";
import test from "node:test";
import { after, entry } from "../../test/fakes/history";
import { memberOf } from "../../test/fakes/ports";
import type { Observation } from "../domain/members";
import { settled, waiting } from "../domain/outcome";

test("what a run does to members before it is on record is told of its own change", async () => {
  const { cluster, turn } = await after(1);
  cluster.isAtWork = true;
  const { observation } = cluster;
  const { workload, members } = observation;
  const [zero, one] = members;
  assert.ok(workload && zero && one);
  const grown = [zero, { ...one, uid: "2", revision: "newer" }, memberOf("shop-2", { revision: "newer" })];
  cluster.observation = { ...observation, workload: { ...workload, wanted: 3 }, members: grown };
  const before = cluster.writes;
  await turn();
  assert.equal(cluster.writes, before);
  cluster.isAtWork = false;
  cluster.history = [entry(2, { restarts: "replicas" }), ...cluster.history];
  for (let turns = 0; turns < 3; turns++) await turn();
  assert.equal(cluster.status(1)?.incidents, undefined);
  assert.deepEqual(
    cluster.status(2)?.incidents?.map(({ kind, member, why }) => [kind, member, ...why].join(" | ")),
    ["Restarted | shop-1 | revision 2: replicas", "Added | shop-2 | revision 2: replicas"],
  );
});

test("a change that is complete is not why the StatefulSet is another one later", async () => {
  const { cluster, turn } = await after(1);
  const { workload, members } = cluster.observation;
  assert.ok(workload);
  cluster.observation = { ...cluster.observation, workload: { ...workload, wanted: 1 }, members: members.slice(0, 1) };
  await turn();
  const [removed] = cluster.status(1)?.incidents ?? [];
  assert.deepEqual([removed?.kind, removed?.member], ["Removed", "shop-1"]);
  assert.match(removed?.why.join() ?? "", /not by a change that is on record/);
});

test("restarts and the interruption of a change are counted, over the crash of an operator, and later ones are not its own", async () => {
  const { cluster } = await after(1);
  const restarts = "version 17.11 → 17.12";
  cluster.outcome = waiting("Restarting", "restarting", 1000);
  cluster.history = [entry(2, { restarts }), ...cluster.history];
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  const see = async (turn: () => Promise<string>, members: Observation["members"], at: string): Promise<void> => {
    cluster.observation = { ...cluster.observation, members };
    cluster.now = new Date(at);
    await turn();
    await turn();
  };
  const newer = { ...one, uid: "2", revision: "newer" };
  const first = cluster.start();
  await see(first, [zero, newer], "2026-11-27T14:20:00Z");
  await see(first, [{ ...zero, terminating: true }, newer], "2026-11-27T14:20:10Z");
  const second = cluster.start();
  const back = { ...zero, uid: "3", revision: "newer", role: "replica" } as const;
  cluster.outcome = settled();
  await see(second, [back, { ...newer, role: "primary" }], "2026-11-27T14:20:13Z");
  const { restarted, interruptionSeconds, incidents = [], result } = cluster.status(2) ?? {};
  assert.deepEqual([restarted, interruptionSeconds, result], [2, 3, "Complete"]);
  assert.deepEqual(
    incidents.map(({ kind, member }) => `${kind} ${member ?? ""}`),
    ["Restarted shop-1", "Restarted shop-0", "Interrupted shop-0", "Promoted shop-1"],
  );
  assert.deepEqual(incidents.at(-1)?.why, ["shop-0, which led, was restarted", `revision 2: ${restarts}`]);
  await see(
    second,
    [
      { ...back, uid: "4" },
      { ...newer, role: "primary" },
    ],
    "2026-11-27T15:00:00Z",
  );
  assert.deepEqual([cluster.status(2)?.restarted, cluster.status(2)?.incidents?.length], [2, 5]);
});

test("a watch that lags does not tell an incident twice", async () => {
  const { cluster, turn } = await after(1);
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  cluster.lags = true;
  cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: "2" }] };
  await turn();
  await turn();
  assert.equal(cluster.status(1)?.incidents?.length, 1);
});

test("a pod that only has a member's labels is none, however it is called", async () => {
  const { cluster, turn } = await after(1);
  const others = ["x".repeat(200), "shop-backup-1", "shop-a-0"].map((name) => memberOf(name));
  cluster.observation = { ...cluster.observation, members: [...others, ...cluster.observation.members] };
  const before = cluster.writes;
  await turn();
  assert.equal(cluster.writes, before);
});

test("a creation is no news of members, and incidents have a bound", async () => {
  const { cluster, turn } = await after(1);
  assert.equal(cluster.status(1)?.incidents, undefined);
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  for (let uid = 0; uid < 50; uid++) {
    cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: String(uid) }] };
    await turn();
  }
  assert.equal(cluster.status(1)?.incidents?.length, 40);
});

test("what a turn has not finished is not complete, and its restarts are told once it has", async () => {
  const { cluster, turn } = await after(1);
  const [zero, one] = cluster.observation.members;
  assert.ok(zero && one);
  cluster.history = [entry(2, { restarts: "max_connections" }), ...cluster.history];
  await turn();
  cluster.isAtWork = true;
  cluster.observation = { ...cluster.observation, members: [zero, { ...one, uid: "2", revision: "newer" }] };
  await turn();
  assert.equal(cluster.status(2)?.result, "Progressing");
  cluster.isAtWork = false;
  await turn();
  assert.deepEqual([cluster.status(2)?.result, cluster.status(2)?.restarted], ["Complete", 1]);
});
