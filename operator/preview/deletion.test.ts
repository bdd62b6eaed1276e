// The preview of a deletion: what goes, and what stays.
import assert from "node:assert/strict";
import test from "node:test";
import { turn } from "../../test/fakes/deleting";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { stepOf } from "../../test/fakes/previewed";
import type { Effect } from "../../contract/effects";
import type { Lasting } from "../consequences/deletion";
import type { Plan } from "./plan";
import { prepareDeletion } from "./prepare";
import { previewed } from "./run";

const claim: Lasting = { child: "PersistentVolumeClaim data-shop-0", keptWith: "data" };
const steps = [{ ...stepOf("PersistentVolumeClaim data-shop-0", "delete"), retained: true }];

async function planOf(deletionPolicy: string, namespaceEnds: boolean): Promise<Plan> {
  const object = databaseObject({ deletionPolicy });
  const cluster = new FakeCluster(object);
  await turn(cluster);
  const reads = {
    records: cluster.ports.records,
    lasting: () => Promise.resolve([claim]),
    namespaceEnds: () => Promise.resolve(namespaceEnds),
  };
  const prepared = await prepareDeletion(object, reads, { refresh: false });
  const found = await previewed(prepared, {
    preview: () => Promise.resolve({ kind: "succeeded", steps, harmful: [] }),
  });
  assert(found.kind === "plan");
  return found;
}

const effectsOf = ({ consequences }: Plan): readonly Effect[] => consequences.map(({ effect }) => effect);

test("what a policy keeps stays, and nothing is lost", async () => {
  const plan = await planOf("Retain", false);
  assert.deepEqual(effectsOf(plan), ["Downtime", "None"]);
  assert.deepEqual(
    plan.steps.map(({ retained }) => retained),
    [true],
  );
});

test("in a namespace that is being deleted the data are lost, whatever the policy says", async () => {
  for (const policy of ["Retain", "Snapshot", "Delete"]) {
    const plan = await planOf(policy, true);
    assert.deepEqual(effectsOf(plan), ["Downtime", "DataLoss"], policy);
    assert.match(plan.notes.join(), /the namespace is being deleted/);
    assert.deepEqual(
      plan.steps.map(({ retained }) => retained),
      [false],
    );
  }
  assert.notEqual((await planOf("Retain", true)).digest, (await planOf("Retain", false)).digest);
});
