import assert from "node:assert/strict";
import test from "node:test";
import { companionFieldManager } from "../../components/naming";
import { databaseObject } from "../../test/fakes/ports";
import { ownFieldsOf } from "../objects/managed-fields";
import { ObservedDatabase } from "./observed-database";

const entry = (manager: string, time: string, fields: object): object => ({
  ...{ manager, operation: "Apply", time, fieldsV1: fields },
});

/** A Database that a person, a companion and the operator wrote to. */
function written(): unknown {
  const managedFields = [
    entry("kubectl", "2026-01-01T00:00:03Z", { "f:spec": { "f:storage": {} } }),
    entry(companionFieldManager, "2026-01-01T00:00:02Z", { "f:spec": { "f:replicas": {} } }),
    { ...entry("database-operator", "2026-01-01T00:00:04Z", { "f:status": {} }), subresource: "status" },
  ];
  return databaseObject({}, { managedFields });
}

test("of the fields of others only who wrote the spec last is kept, and of a companion's all", () => {
  const observed = new ObservedDatabase(written());
  assert.equal(observed.writer, "kubectl");
  assert.deepEqual([...ownFieldsOf(observed.object, companionFieldManager).paths], ["spec.replicas"]);
  const text = JSON.stringify(observed.object);
  assert.ok(!text.includes("kubectl") && !text.includes("f:status"), text);
});

test("the object is otherwise as it came, and what came is not changed", () => {
  const came = written();
  const before = JSON.stringify(came);
  const observed = new ObservedDatabase(came);
  assert.equal(JSON.stringify(came), before);
  const bare = databaseObject();
  assert.deepEqual(new ObservedDatabase(bare).object, bare);
  assert.equal(new ObservedDatabase(bare).writer, "");
  assert.ok(observed.parsed.ok);
});
