// What a release of the operator leaves that waited: to go back from it, and what comes after it.
import assert from "node:assert/strict";
import test from "node:test";
import { annotate, approval, drifts, edit, plan, restart, turn } from "../../test/fakes/asked-change";
import { approves, meeting, mustWait, under } from "../../test/fakes/released";
import { memberOf } from "../../test/fakes/ports";

test("who goes back to the former operator has the children in its form again, once", async () => {
  const cluster = await meeting();
  mustWait(await under(cluster));
  drifts(cluster);
  mustWait(await under(cluster));
  cluster.observed = undefined;
  assert.deepEqual(
    [cluster.ups.length, cluster.record?.release, cluster.record?.formedBy],
    [2, "release-1", "release-2"],
  );
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.record?.formedBy], [3, undefined]);
  const [last] = cluster.record?.history ?? [];
  assert.deepEqual([last?.told?.changes, last?.byPlatform], [[{ path: "operator", after: "another release" }], true]);
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.ups.length, 3);
});

test("a release that is let in says again of which form all of it is", async () => {
  const cluster = await meeting();
  drifts(cluster);
  mustWait(await under(cluster));
  cluster.observed = undefined;
  annotate(cluster, approval("plan-1"));
  assert.equal((await under(cluster)).kind, "settled");
  assert.deepEqual([cluster.record?.release, cluster.record?.formedBy], ["release-2", undefined]);
});

test("the approval of a release lets no later one in, also while its restarts wait", async () => {
  const cluster = await meeting();
  mustWait(await under(cluster));
  annotate(cluster, approval("plan-1"));
  const workload = { uid: "uid-2", generation: 2, wanted: 1, revision: "new", seen: true };
  const away = memberOf("shop-0", { ready: false, revision: "old", role: "primary" });
  cluster.observation = { workload, members: [away], jobs: [] };
  assert.notEqual((await under(cluster)).kind, "settled", "its member is not ready");
  assert.notEqual(cluster.record?.agreed?.former, undefined);
  cluster.foresight.found = plan("plan-2", restart);
  mustWait(await under(cluster, "release-3"));
  assert.equal(cluster.record?.release, "release-2");
});

test("an approved edit that has not come through may be taken back under another release all the same", async () => {
  const cluster = await meeting({ changePolicy: approves });
  edit(cluster, { changePolicy: approves, config: { max_connections: "200" } });
  annotate(cluster, approval("plan-1"));
  const workload = { uid: "uid-2", generation: 2, wanted: 1, revision: "new", seen: true };
  const away = memberOf("shop-0", { ready: false, revision: "old", role: "primary" });
  cluster.observation = { workload, members: [away], jobs: [] };
  assert.notEqual((await turn(cluster)).kind, "settled");
  edit(cluster, { changePolicy: approves });
  await under(cluster);
  assert.deepEqual([cluster.ups.length, cluster.record?.release], [3, "release-2"]);
});
