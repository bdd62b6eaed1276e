import assert from "node:assert/strict";
import test from "node:test";
import { editsOf, valueAt } from "./edits";

const fieldsV1 = {
  "f:metadata": { "f:labels": { "f:app.kubernetes.io/name": {} } },
  "f:spec": {
    "f:replicas": {},
    "f:paused": {},
    "f:selector": {},
    "f:ports": { 'k:{"port":5432}': { ".": {}, "f:name": {}, "f:port": {} }, 'k:{"port":1}': { "f:name": {} } },
    "f:owners": { 'k:{"uid":"u"}': {} },
    "f:only": { 'k:{"name":"x"}': { ".": {}, "f:name": {} } },
  },
};
const object = {
  metadata: {
    labels: { "app.kubernetes.io/name": "postgresql" },
    managedFields: [
      { manager: "us", operation: "Apply", fieldsV1 },
      { manager: "us", operation: "Update", fieldsV1: { "f:status": {} } },
    ],
  },
  spec: {
    replicas: 3,
    paused: false,
    selector: { first: "abcde", second: "x" },
    ports: [{ name: "postgresql", port: 5432 }],
    owners: [{ uid: "u", controller: true }],
    only: [{ name: "x" }],
  },
};

test("every field that was applied has one edit, but for what identifies an item of a list", () => {
  assert.deepEqual(
    editsOf(object, "us").map(({ path, value }) => [path, value]),
    [
      ["/metadata/labels/app.kubernetes.io~1name", "postgredit"],
      ["/spec/replicas", 4],
      ["/spec/paused", true],
      ["/spec/selector/first", "aedit"],
      ["/spec/ports/0/name", "postgredit"],
      ["/spec/owners/0/uid", "edit"],
    ],
  );
  assert.deepEqual(editsOf(object, "them"), []);
});

test("a JSON pointer finds its value again", () => {
  assert.equal(valueAt(object, "/metadata/labels/app.kubernetes.io~1name"), "postgresql");
  assert.equal(valueAt(object, "/spec/ports/0/port"), 5432);
  assert.equal(valueAt(object, "/spec/nothing/0"), undefined);
});
