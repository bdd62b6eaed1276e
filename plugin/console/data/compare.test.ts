import assert from "node:assert/strict";
import test from "node:test";
import { revisions as objects } from "../../../test/fakes/plugin/revisions";
import { revisionsOf } from "../../objects/revision";
import { comparisonOf, type Comparison } from "./compare";

const revisions = revisionsOf(objects, "orders", "uid-orders");

/** Of revision 41 with a spec of now. */
function compared(spec: object): Comparison {
  const [revision] = revisions;
  assert.ok(revision);
  return comparisonOf({ revision, revisions, spec }, "now");
}

test("differences are told field by field, a list as one, and what one lacks is missing there", () => {
  const { fields, others } = compared({
    ...{ engine: "postgresql", version: "17.12", replicas: 3, storage: "100Gi", tools: ["a", { b: 1 }] },
    backup: { enabled: true, schedule: "0 3 * * *" },
  });
  assert.deepEqual(fields, [
    { path: "spec.backup.schedule", before: "0 2 * * *", after: "0 3 * * *" },
    { path: "spec.config", before: { max_connections: "150" }, after: undefined },
    { path: "spec.tools", before: undefined, after: ["a", { b: 1 }] },
  ]);
  assert.deepEqual(others, ["now", 40, 39]);
});

test("the order of keys is no difference", () => {
  const template = revisions[0]?.spec.template ?? {};
  assert.deepEqual(compared(Object.fromEntries(Object.entries(template).reverse())).fields, []);
});
