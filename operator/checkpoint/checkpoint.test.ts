import assert from "node:assert/strict";
import test from "node:test";
import { childrenIn, forget, readCheckpoint, workloadOf, type Protection } from "./checkpoint";

const checkpoint = (latest: unknown): string => JSON.stringify({ version: 3, checkpoint: { stack: "s", latest } });
const latest = {
  secrets_providers: { type: "passphrase", state: { salt: "v1:abc" } },
  resources: [{ urn: "urn:pulumi:s::databases::t::u", type: "t" }],
};

test("a checkpoint is laid out without its pending operations and otherwise as it was", () => {
  const read = readCheckpoint(checkpoint({ ...latest, pending_operations: [{ type: "creating" }] }), "s");
  assert.equal(read?.salt, "v1:abc");
  assert.deepEqual(JSON.parse(read.text), JSON.parse(checkpoint(latest)));
});

test("in a checkpoint for an `up` only the StatefulSet is protected, whatever the last run left; in others nothing is", () => {
  const resource = (type: string, protect?: boolean): unknown => ({
    urn: `urn:pulumi:s::databases::${type}::shop`,
    type,
    ...(protect !== undefined && { protect }),
  });
  const [set, service] = ["kubernetes:apps/v1:StatefulSet", "kubernetes:core/v1:Service"];
  const of = (resources: readonly unknown[]): string => checkpoint({ ...latest, resources });
  for (const before of [
    [resource(set), resource(service, true)],
    [resource(set, true), resource(service)],
  ]) {
    const read = (protection: Protection): unknown =>
      JSON.parse(readCheckpoint(of(before), "s", protection)?.text ?? "");
    assert.deepEqual(read("protected"), JSON.parse(of([resource(set, true), resource(service)])));
    assert.deepEqual(read("unprotected"), JSON.parse(of([resource(set), resource(service)])));
  }
});

for (const [what, text] of [
  ["empty", ""],
  ["cut off", checkpoint(latest).slice(0, 40)],
  ["of another version", JSON.stringify({ version: 2, checkpoint: { latest } })],
  ["without a state", checkpoint(null)],
  ["without a salt", checkpoint({ resources: [] })],
  ["something else", JSON.stringify(["a", "list"])],
] as const) {
  test(`a checkpoint that is ${what} is refused`, () => {
    assert.equal(readCheckpoint(text, "s"), undefined);
  });
}

test("the workload is the StatefulSet, and no other kind", () => {
  const resources = [
    { urn: "a", type: "kubernetes:core/v1:Service", outputs: { metadata: { uid: "s", generation: 9 } } },
    {
      urn: "b",
      type: "kubernetes:apps/v1:StatefulSet",
      outputs: { metadata: { uid: "w", generation: 4, name: "shop" } },
    },
  ];
  assert.deepEqual(workloadOf(checkpoint({ ...latest, resources })), { uid: "w", generation: 4 });
  assert.equal(workloadOf(checkpoint(latest)), undefined);
  assert.equal(workloadOf("no checkpoint"), undefined);
});

test("a checkpoint of another stack is refused, and so are its children", () => {
  assert.equal(readCheckpoint(checkpoint(latest), "other"), undefined);
  assert.equal(childrenIn(checkpoint(latest), "other"), undefined);
  assert.equal(childrenIn("", "s"), undefined);
});

const urnOf = (kind: string, name: string): string => `urn:pulumi:s::databases::kubernetes:v1:${kind}::${name}`;
const service = {
  urn: urnOf("Service", "shop-ro"),
  type: "kubernetes:core/v1:Service",
  id: "team/shop-ro",
  outputs: {
    metadata: {
      uid: "s",
      managedFields: [
        { manager: "kubectl-edit", operation: "Update", time: "t2", fieldsV1: { "f:spec": { "f:type": {} } } },
        {
          manager: "database-operator",
          operation: "Apply",
          time: "t1",
          fieldsV1: { "f:spec": { "f:ports": { 'k:{"port":5432}': { ".": {}, "f:name": {} } } } },
        },
      ],
    },
  },
};
const statefulSet = {
  urn: urnOf("StatefulSet", "shop"),
  type: "kubernetes:apps/v1:StatefulSet",
  id: "team/shop",
  outputs: { metadata: { uid: "w" } },
  dependencies: [service.urn, urnOf("Secret", "shop-system")],
  propertyDependencies: { spec: [service.urn], metadata: null },
  deletedWith: service.urn,
};

test("the children of a checkpoint are known by kind and name, with the fields that are ours", () => {
  const children = childrenIn(checkpoint({ ...latest, resources: [service, statefulSet] }), "s");
  assert.deepEqual([...(children?.keys() ?? [])], ["Service shop-ro", "StatefulSet shop"]);
  const found = children?.get("Service shop-ro");
  assert.equal(found?.uid, "s");
  assert.deepEqual([...found.fields], ["spec.ports[port=5432].name"]);
});

test("a forgotten resource is gone from the state, and nothing refers to it any more", () => {
  const text = forget(checkpoint({ ...latest, resources: [service, statefulSet] }), new Set([service.urn]));
  assert.deepEqual([...(childrenIn(text, "s")?.keys() ?? [])], ["StatefulSet shop"]);
  assert.doesNotMatch(text, /Service/);
  assert.match(text, /shop-system/);
  assert.equal(readCheckpoint(text, "s")?.salt, "v1:abc");
});
