// What another release of the operator does to a Database that has no policy of its own.
import assert from "node:assert/strict";
import test from "node:test";
import {
  annotate,
  approval,
  asked,
  asks,
  drifts,
  edit,
  plan,
  quiet,
  restart,
  template,
  turn,
} from "../../test/fakes/asked-change";
import { meeting, mustWait, under } from "../../test/fakes/released";
import { noPolicy } from "../api/change-policy";

test("it waits for an approval, and members keep their template until then", async () => {
  const cluster = await meeting();
  mustWait(await under(cluster));
  drifts(cluster);
  mustWait(await under(cluster));
  assert.deepEqual([cluster.ups.length, cluster.ups[1]?.program.memberTemplate], [2, template]);
  cluster.observed = undefined;
  annotate(cluster, approval("plan-1"));
  assert.equal((await under(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.record?.release], [3, "release-2"]);
  assert.equal(cluster.record?.history[0]?.byPlatform, true, "so the fleet's budget holds for its restarts");
});

test("it is carried out at once where it restarts nothing", async () => {
  const cluster = await meeting();
  cluster.foresight.found = plan("plan-1", quiet);
  assert.equal((await under(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.record?.release], [2, "release-2"]);
});

test("it is carried out at once where the platform says so", async () => {
  const cluster = await meeting({}, noPolicy);
  assert.equal((await under(cluster)).kind, "settled");
  assert.equal(cluster.foresight.previews, 0);
});

test("a Database with a policy of its own goes by that one", async () => {
  const agreed = await meeting({ changePolicy: {} });
  assert.equal((await under(agreed)).kind, "settled");
  const asking = await meeting(asks, noPolicy);
  mustWait(await under(asking));
});

test("who writes a policy by which nothing waits lets the release in", async () => {
  const cluster = await meeting();
  mustWait(await under(cluster));
  edit(cluster, { changePolicy: {} });
  assert.equal((await under(cluster)).kind, "settled");
  assert.equal(cluster.record?.release, "release-2");
});

test("an edit waits with the release, and none does once that is in", async () => {
  const cluster = await meeting();
  mustWait(await under(cluster));
  edit(cluster, { config: { max_connections: "200" } });
  mustWait(await under(cluster));
  edit(cluster, {});
  annotate(cluster, approval("plan-1"));
  cluster.foresight.found = plan("plan-2", restart);
  mustWait(await under(cluster));
  annotate(cluster, approval("plan-2"));
  assert.equal((await under(cluster)).kind, "settled");
  edit(cluster, { config: { max_connections: "200" } });
  assert.equal((await under(cluster)).kind, "settled");
});

test("without another release it holds nothing back", async () => {
  const cluster = await meeting();
  edit(cluster, { config: { max_connections: "200" } });
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.foresight.previews, 0);
});

test("where the spec is refused, what runs is kept up without a restart for the release", async () => {
  const cluster = await meeting();
  edit(cluster, { replicas: 0 });
  drifts(cluster);
  await under(cluster);
  assert.deepEqual([cluster.ups.length, cluster.ups[1]?.program.memberTemplate], [2, template]);
});

test("what the platform asks for is told as that, also after an edit that came to no run", async () => {
  const cluster = await asked({}, { paused: true });
  await turn(cluster);
  edit(cluster, {});
  assert.equal((await under(cluster)).kind, "settled");
  const [last] = cluster.record?.history ?? [];
  assert.deepEqual([last?.byPlatform, last?.told?.origin], [true, "Platform"]);
  edit(cluster, { replicas: 4 });
  assert.equal((await under(cluster)).kind, "settled");
  assert.equal(cluster.record?.history[0]?.byPlatform, undefined);
});
