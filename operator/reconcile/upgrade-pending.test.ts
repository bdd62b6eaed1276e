// A confirmation counts as it is written, also while a change waits that was written with it.
import assert from "node:assert/strict";
import test from "node:test";
import { asks, plan, released, restart } from "../../test/fakes/asked-change";
import { turn } from "../../test/fakes/deleting";
import { databaseObject, type FakeCluster } from "../../test/fakes/ports";
import { from, phaseOf, to, upgrading } from "../../test/fakes/upgrading";
import { reconcile } from "./reconcile";

/** A Database that was upgraded, and of which more is asked for that waits. */
async function upgraded(spec: Record<string, unknown>): Promise<FakeCluster> {
  const cluster = await upgrading({ phase: "AwaitingConfirmation", files: "to", keeps: true, served: true }, asks);
  assert.equal((await turn(cluster)).kind, "settled");
  cluster.foresight.found = plan("plan-1", restart);
  cluster.object = databaseObject({ version: to, replicas: 3, ...asks, ...spec }, { generation: 3 });
  return cluster;
}

const more = { config: { max_connections: "200" } };
for (const [what, spec, expected] of [
  ["of the version that runs counts", { ...more, upgrade: { confirmed: to } }, "Removing"],
  ["of another version does not", { ...more, upgrade: { confirmed: from } }, "AwaitingConfirmation"],
  ["that is missing is not made up", more, "AwaitingConfirmation"],
  ["removes no files that the way back needs", { version: from, upgrade: { confirmed: to } }, "AwaitingConfirmation"],
] as const)
  test(`while a change waits, a confirmation ${what}`, async () => {
    const cluster = await upgraded(spec);
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
    assert.deepEqual([phaseOf(cluster), cluster.ups.length], [expected, 1]);
    await turn(cluster);
    assert.equal(cluster.ups.at(-1)?.program.desired.upgrade?.removesOthers === true, expected === "Removing");
  });

test("while a release of the operator waits, a confirmation does: what it asks for would be run by that release", async () => {
  const cluster = await upgraded({ upgrade: { confirmed: to } });
  const outcome = await reconcile(cluster.key, cluster.database, released(cluster), {
    running: () => undefined,
    changed: () => undefined,
  });
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  assert.deepEqual([phaseOf(cluster), cluster.ups.length], ["AwaitingConfirmation", 1]);
});
