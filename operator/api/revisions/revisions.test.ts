import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { fieldsOf } from "../reference";
import { revisionCrd, revisionSchema } from "./crd";
import { parseRevision, revisionName } from "./object";

const fields = fieldsOf(revisionSchema(), "").filter(({ path }) => !path.startsWith(".metadata"));

test("every field of a DatabaseRevision has a text for kubectl explain, and every string and list a bound", () => {
  assert.ok(fields.length >= 30, String(fields.length));
  assert.deepEqual(
    fields.filter(({ schema }) => !schema.description).map(({ path }) => path),
    [],
  );
  const loose = fields.filter(({ path, schema }) => {
    if (path === ".apiVersion" || path === ".kind" || schema.format === "date-time" || schema.enum) return false;
    return (
      (schema.type === "string" && schema.maxLength === undefined && !isOpen(path)) ||
      (schema.type === "array" && schema.maxItems === undefined)
    );
  });
  assert.deepEqual(
    loose.map(({ path }) => path),
    [],
  );
});

/** An enum that an operator of tomorrow may know more of. */
const isOpen = (path: string): boolean => /\.(effect|origin|result|kind)$/.test(path);

test("the API server can select by the Database, and keeps the spec that it does not know", () => {
  const [version] = revisionCrd().spec.versions;
  assert.deepEqual(version?.selectableFields, [{ jsonPath: ".spec.database" }]);
  const template = fields.find(({ path }) => path === ".spec.template")?.schema;
  assert.equal(template?.["x-kubernetes-preserve-unknown-fields"], true);
});

const spec = {
  ...{ database: "orders", revision: 4, at: "2026-11-27T13:00:03Z", origin: "Spec", summary: "1 updated" },
  ...{ runSeconds: 2, changes: [], template: { engine: "postgresql", config: { work_mem: "8MB" } } },
};
const object = (some: object = {}, status?: unknown): unknown => ({
  metadata: {
    ...{ name: "orders-0c5a1b2d-4", namespace: "shop" },
    ownerReferences: [{ apiVersion: "example.com/v1", kind: "Database", name: "orders", uid: "0c5a1b2d-1" }],
  },
  spec: { ...spec, ...some },
  status,
});

test("all of a spec is read, and whose it is", () => {
  const found = parseRevision(object());
  assert.deepEqual([found?.spec, found?.owner], [spec, "0c5a1b2d-1"]);
});

test("one that was made just now has no status", () => {
  const { metadata, spec: written } = z.object({ metadata: z.unknown(), spec: z.unknown() }).parse(object());
  assert.deepEqual(parseRevision({ metadata, spec: written })?.status, {});
});

test("of one that a newer operator wrote, what can be read is read; one without a number is none", () => {
  const found = parseRevision(object({ origin: "Moon", approval: 7 }, { result: "Elsewhere", restarted: 3 }));
  assert.deepEqual([found?.spec, found?.status], [{ ...spec, origin: "Spec" }, { restarted: 3 }]);
  assert.equal(parseRevision(object({ revision: "four" })), undefined);
  assert.equal(parseRevision({}), undefined);
});

test("names are those of one object alone", () => {
  assert.equal(revisionName("orders", "0c5a1b2d-7777-4444", 41), "orders-0c5a1b2d-41");
});
