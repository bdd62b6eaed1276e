import assert from "node:assert/strict";
import test from "node:test";
import { changerOf, isHeldBy, ownFieldsOf, specWriterOf } from "./managed-fields";

const ours = { manager: "database-operator", operation: "Apply", time: "2026-01-01T00:00:00Z" };
const replicas = { "f:spec": { "f:replicas": {}, "f:serviceName": {} } };
const object = (...managedFields: unknown[]): unknown => ({ metadata: { managedFields } });
const own = (...entries: unknown[]): ReturnType<typeof ownFieldsOf> =>
  ownFieldsOf(object(...entries), "database-operator");

test("what a field manager applied is read as paths", () => {
  const fieldsV1 = {
    "f:metadata": { "f:labels": { ".": {}, "f:app": {} }, "f:finalizers": { ".": {}, 'v:"x"': {} } },
    "f:spec": { "f:ports": { 'k:{"port":5432,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
  };
  assert.deepEqual(
    [...own({ ...ours, fieldsV1 }).paths],
    ["metadata.labels.app", "metadata.finalizers[x]", "spec.ports[port=5432,protocol=TCP].port"],
  );
});

test("the digest depends on our own fields and their time, and on nothing else", () => {
  const { digest } = own({ ...ours, fieldsV1: replicas });
  const sorted = { "f:spec": { "f:serviceName": {}, "f:replicas": {} } };
  const others = { manager: "kubelet", operation: "Update", subresource: "status", time: "t", fieldsV1: { "f:s": {} } };
  assert.equal(own({ ...ours, fieldsV1: sorted }, others).digest, digest);
  assert.notEqual(own({ ...ours, fieldsV1: { "f:spec": { "f:replicas": {} } } }).digest, digest);
  assert.notEqual(own({ ...ours, time: "2026-01-01T00:00:01Z", fieldsV1: replicas }).digest, digest);
  assert.notEqual(own({ ...ours, operation: "Update", fieldsV1: replicas }).digest, digest);
  assert.equal(own().digest, ownFieldsOf({}, "database-operator").digest);
});

test("who changed a field is who holds it now, else who wrote last; a status does not count", () => {
  const edit = { manager: "kubectl-edit", operation: "Update", time: "2026-01-02T00:00:00Z", fieldsV1: replicas };
  const later = { manager: "tool", operation: "Update", time: "2026-01-03T00:00:00Z", fieldsV1: { "f:data": {} } };
  const status = { ...later, manager: "kubelet", time: "2026-01-04T00:00:00Z", subresource: "status" };
  const found = object(ours, edit, later, status);
  assert.equal(changerOf(found, ["spec.replicas"], "database-operator"), "kubectl-edit");
  assert.equal(changerOf(found, ["spec.other"], "database-operator"), "tool");
  assert.equal(changerOf(object(ours), ["spec.replicas"], "database-operator"), undefined);
});

test("fields are held by a manager that changed all of them last", () => {
  const fieldsV1 = { "f:data": { "f:tls.crt": {}, "f:tls.key": {} } };
  const renewed = object(ours, { manager: "renewal", operation: "Update", time: "2026-01-02T00:00:00Z", fieldsV1 });
  assert.ok(isHeldBy(renewed, ["data.tls.crt", "data.tls.key"], "renewal"));
  assert.ok(!isHeldBy(renewed, ["data.tls.crt", "data.ca.crt"], "renewal"));
  assert.ok(!isHeldBy(renewed, ["data.tls.crt"], "kubectl"));
});

test("the writer of a spec is the last field manager that holds a part of it", () => {
  const first = { manager: "kubectl-create", operation: "Update", time: "2026-01-01T00:00:00Z", fieldsV1: replicas };
  const scaled = { manager: "kubectl", operation: "Update", time: "2026-01-02T00:00:00Z", fieldsV1: replicas };
  const finalizer = { ...ours, time: "2026-01-03T00:00:00Z", fieldsV1: { "f:metadata": {} } };
  assert.equal(specWriterOf(object(first, scaled, finalizer)), "kubectl");
  assert.equal(specWriterOf({}), undefined);
});
