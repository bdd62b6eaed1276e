import assert from "node:assert/strict";
import test from "node:test";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import type { Outcome } from "../domain/outcome";
import { reconcile } from "./reconcile";

const quiet = { running: () => undefined, changed: () => undefined };
const turn = (cluster: FakeCluster): Promise<Outcome> => reconcile(cluster.key, cluster.database, cluster.ports, quiet);
const keptIn = ({ ups }: FakeCluster): unknown => ups.map(({ program }) => program.desired.keptBackups);

test("to keep a backup is one run, and to keep it on is none", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.keptBackups = ["shop-20260101T020000Z"];
  await turn(cluster);
  await turn(cluster);
  assert.deepEqual(keptIn(cluster), [[], ["shop-20260101T020000Z"]]);
});

test("while it is not known what is kept, what was kept is, also by the next operator and through other changes", async () => {
  const cluster = new FakeCluster();
  cluster.keptBackups = ["shop-20260101T020000Z"];
  await turn(cluster);
  cluster.keptBackups = undefined;
  await turn(cluster);
  cluster.object = databaseObject({ replicas: 5 });
  await turn(cluster);
  cluster.keptBackups = [];
  await turn(cluster);
  assert.deepEqual(keptIn(cluster), [["shop-20260101T020000Z"], ["shop-20260101T020000Z"], []]);
});

test("a spec that is refused does not keep a backup from being kept", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.object = databaseObject({ version: "16.1" });
  cluster.keptBackups = ["shop-20260101T020000Z"];
  const outcome = await turn(cluster);
  assert.equal(outcome.kind, "stalled");
  assert.deepEqual(keptIn(cluster), [[], ["shop-20260101T020000Z"]]);
});
