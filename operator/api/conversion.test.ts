import assert from "node:assert/strict";
import test from "node:test";
import {
  array,
  assert as holds,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import { convertDatabase, type JsonObject } from "./conversion";

const v1 = "example.com/v1";
const v1beta1 = "example.com/v1beta1";

function converted(object: unknown, apiVersion: string): JsonObject {
  const conversion = convertDatabase(object, apiVersion);
  assert(conversion.ok, JSON.stringify(conversion));
  return conversion.object;
}

const stored = {
  apiVersion: v1,
  kind: "Database",
  metadata: { name: "shop", managedFields: [{ apiVersion: v1, fieldsV1: { "f:spec": { "f:engine": {} } } }] },
  spec: { engine: "postgresql", version: "17.6", replicas: 3 },
  status: { ready: true },
};

test("in v1beta1 the engine is called dbType, and nothing else differs", () => {
  assert.deepEqual(converted(stored, v1beta1), {
    ...stored,
    apiVersion: v1beta1,
    spec: { dbType: "postgresql", version: "17.6", replicas: 3 },
  });
});

test("metadata is passed on unchanged, managedFields too: the API server renames what is in it", () => {
  assert.equal(converted(stored, v1beta1)["metadata"], stored.metadata);
});

/** Anything that JSON can say, and what is close to a Database above all. */
const anything = jsonValue({ maxDepth: 3 });
const fields = oneof(constantFrom("engine", "dbType", "version", "config", "__proto__"), string({ maxLength: 6 }));
const something = oneof(
  anything,
  dictionary(fields, anything, { maxKeys: 6 }),
  constantFrom("postgresql", null, "", {}),
);
const specs = oneof(dictionary(fields, something, { maxKeys: 8 }), something);
const objects = record(
  {
    apiVersion: constantFrom(v1, v1beta1),
    kind: constantFrom("Database"),
    metadata: something,
    spec: specs,
    status: something,
    surplus: array(something, { maxLength: 2 }),
  },
  { requiredKeys: ["apiVersion", "kind"] },
);
const seeded = { numRuns: 10_000, seed: 20_261_122 };

test("10,000 objects of any form go to the other version and come back as they were", () => {
  holds(
    property(objects, (object) => {
      const other = object.apiVersion === v1 ? v1beta1 : v1;
      const there = converted(object, other);
      assert.equal(there["apiVersion"], other);
      assert.equal(there["metadata"], object.metadata);
      assert.equal(there["status"], object.status);
      // as text: the order of the fields is kept, too
      assert.equal(JSON.stringify(converted(there, object.apiVersion)), JSON.stringify(object));
    }),
    seeded,
  );
});

test("10,000 objects have in the other version what they had, under its name", () => {
  holds(
    property(objects, (object) => {
      const { spec } = object;
      if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return;
      const there = converted(object, object.apiVersion === v1 ? v1beta1 : v1)["spec"] as JsonObject;
      const renamed: Record<string, string> = { engine: "dbType", dbType: "engine" };
      for (const [name, value] of Object.entries(spec)) {
        const other = Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name;
        assert.equal(Object.getOwnPropertyDescriptor(there, other)?.value, value);
      }
      assert.equal(Object.keys(there).length, Object.keys(spec).length);
    }),
    seeded,
  );
});

const unfit: Record<string, { object: unknown; to?: string; says: RegExp }> = {
  "no object": { object: null, says: /is not an object/ },
  "a list": { object: [stored], says: /is not an object/ },
  "another kind": { object: { ...stored, kind: "Pod" }, says: /is Pod of example.com\/v1: only Databases/ },
  "another group": { object: { ...stored, apiVersion: "v1" }, says: /is Database of v1: only Databases/ },
  "a version that does not exist": { object: { ...stored, apiVersion: "example.com/v2" }, says: /of example.com\/v2/ },
  "no kind": { object: { spec: {} }, says: /an object without a kind of no version/ },
  "a request for another version": { object: stored, to: "example.com/v2", says: /cannot become example.com\/v2/ },
};

for (const [sentence, { object, to = v1beta1, says }] of Object.entries(unfit)) {
  test(`not converted, with the reason: ${sentence}`, () => {
    const conversion = convertDatabase(object, to);
    assert(!conversion.ok);
    assert.match(conversion.problem, says);
  });
}
