import assert from "node:assert/strict";
import test from "node:test";
import { objectsIn, readCheckpoint, workloadOf } from "./checkpoint";

const checkpoint = (latest: unknown): string => JSON.stringify({ version: 3, checkpoint: { stack: "s", latest } });
const latest = {
  secrets_providers: { type: "passphrase", state: { salt: "v1:abc" } },
  resources: [{ urn: "u", type: "t" }],
};

test("a checkpoint is laid out without its pending operations and otherwise as it was", () => {
  const read = readCheckpoint(checkpoint({ ...latest, pending_operations: [{ type: "creating" }] }));
  assert.equal(read?.salt, "v1:abc");
  assert.deepEqual(JSON.parse(read.text), JSON.parse(checkpoint(latest)));
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
    assert.equal(readCheckpoint(text), undefined);
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

test("the objects of a checkpoint are known by kind and name", () => {
  const resources = [
    { urn: "a", type: "kubernetes:core/v1:Service", id: "team/shop-ro" },
    { urn: "b", type: "kubernetes:rbac.authorization.k8s.io/v1:Role", id: "team/shop" },
  ];
  const known = objectsIn(checkpoint({ ...latest, resources }));
  assert.ok(known.has("Service shop-ro") && known.has("Role shop") && !known.has("Service shop"));
  assert.equal(objectsIn("").size, 0);
});
