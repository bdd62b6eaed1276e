import assert from "node:assert/strict";
import test from "node:test";
import { fieldsOf } from "../reference";
import { backupCrd, backupSchema } from "./crd";
import { parseBackup } from "./object";
import { backupStatusIn } from "./stored-status";

const fields = fieldsOf(backupSchema(), "").filter(({ path }) => !path.startsWith(".metadata"));

test("every field of a DatabaseBackup has a text for kubectl explain", () => {
  assert.ok(fields.length >= 20, String(fields.length));
  assert.deepEqual(
    fields.filter(({ schema }) => !schema.description).map(({ path }) => path),
    [],
  );
});

test("every string that a person writes has a bound, and every enum that the operator writes is open", () => {
  const open = fields.filter(({ path, schema }) => path.startsWith(".spec") && schema.type === "string");
  assert.deepEqual(
    open.filter(({ schema }) => schema.maxLength === undefined),
    [],
  );
  const closed = fields.filter(({ path, schema }) => schema.enum && !path.endsWith("conditions[].status"));
  assert.deepEqual(closed, []);
});

test("only `keep` can be changed, and the API server can select by the Database", () => {
  const [version] = backupCrd().spec.versions;
  const spec = version?.schema.openAPIV3Schema.properties?.["spec"];
  assert.deepEqual(Object.keys(spec?.properties ?? {}), ["database", "keep"]);
  assert.deepEqual(
    spec?.["x-kubernetes-validations"]?.map(({ fieldPath }) => fieldPath),
    [".database"],
  );
  assert.deepEqual(version?.selectableFields, [{ jsonPath: ".spec.database" }]);
  assert.deepEqual(Object.keys(version.subresources), ["status"]);
});

const object = (spec: unknown, status?: unknown): unknown => ({
  metadata: { name: "before-migration", namespace: "shop", uid: "u" },
  spec,
  status,
});

test("one without `keep` is not kept, and one that names no Database is none", () => {
  assert.deepEqual(parseBackup(object({ database: "orders" }))?.spec, { database: "orders", keep: false });
  assert.equal(parseBackup(object({ database: "Orders!" })), undefined);
  assert.equal(parseBackup(object({})), undefined);
});

test("of a status that a newer operator wrote, what can be read is read", () => {
  const status = { phase: "Uploading", label: "orders-20261121T020003Z", size: 7, parts: [1] };
  assert.deepEqual(backupStatusIn(status), { label: "orders-20261121T020003Z", size: 7 });
  assert.deepEqual(backupStatusIn(undefined), {});
});
