import assert from "node:assert/strict";
import test from "node:test";
import { fieldManager } from "../../components/naming";
import type { PlannedStep } from "../../operator/domain/runner";
import { configuration, fieldChange, image, parameter, stepOf, storage } from "../fakes/previewed";
import { objectDifferences, observedChanges, type ChildState } from "./objects";
import { ownLeavesOf } from "./own-leaves";

const state = (child: string, leaves: Readonly<Record<string, unknown>> = {}, uid = "1", digest = "a"): ChildState => ({
  ...{ child, uid, digest },
  leaves: new Map(Object.entries(leaves)),
});
const plan = (...steps: PlannedStep[]): { steps: PlannedStep[]; isHeld: boolean } => ({ steps, isHeld: false });

const imagePath = "spec.template.spec.containers.postgresql.image";
const workload = (leaf: string, digest: string): ChildState =>
  state("StatefulSet shop", { [imagePath]: leaf }, "1", digest);
const rollout = plan(stepOf("StatefulSet shop", "update", [image]));
const service = "Service shop-ro";

test("what a preview said and what came are the same: nothing is reported", () => {
  const before = [workload("i:1", "a"), state(service), state("CronJob shop-backup"), state("Job shop-init")];
  const after = [workload("i:2", "b"), state("CronJob shop-verify"), state("Job shop-init", {}, "2"), state(service)];
  const said = plan(
    ...[stepOf("StatefulSet shop", "update", [image]), stepOf("CronJob shop-backup", "delete")],
    ...[stepOf("CronJob shop-verify", "create"), stepOf("Job shop-init", "replace"), stepOf(service, "same")],
  );
  assert.deepEqual(objectDifferences([said], observedChanges(before, after)), []);
});

test("JSON in a string is compared leaf by leaf, a size as a quantity, and a secret value by its place alone", () => {
  const json = "metadata.annotations.config";
  const leaf = `${json}.postgresql.parameters.work_mem`;
  assert.equal(parameter.after, configuration("8MB"));
  const before = [
    state("ConfigMap shop-config", { [leaf]: "4MB" }),
    state("PersistentVolumeClaim data-shop-0", { "spec.resources.requests.storage": "10Gi" }),
    state("Secret shop-credentials", { "data.uri": "5f" }),
  ];
  const after = [
    state("ConfigMap shop-config", { [leaf]: "8MB" }, "1", "b"),
    state("PersistentVolumeClaim data-shop-0", { "spec.resources.requests.storage": "20480Mi" }, "1", "b"),
    state("Secret shop-credentials", { "data.uri": "6a" }, "1", "b"),
  ];
  const said = plan(
    stepOf("ConfigMap shop-config", "update", [parameter]),
    stepOf("PersistentVolumeClaim data-shop-0", "update", [storage]),
    stepOf("Secret shop-credentials", "update", [fieldChange("data", "[secret]", "[secret]")]),
  );
  assert.deepEqual(objectDifferences([said], observedChanges(before, after)), []);
});

test("what is empty with its last field is told with that field", () => {
  const resources = "spec.template.spec.containers.postgresql.resources";
  const before = [state("StatefulSet shop", { [`${resources}.requests.cpu`]: "1" })];
  const after = [state("StatefulSet shop", { [resources]: {} }, "1", "b")];
  const [path, removed] = ["spec.template.spec.containers[postgresql].resources.requests", { cpu: "1" }];
  const said = plan(
    stepOf("StatefulSet shop", "update", [{ path, kind: "remove", before: removed, after: undefined }]),
  );
  assert.deepEqual(objectDifferences([said], observedChanges(before, after)), []);
});

test("each difference is reported: of objects, of fields, and of values", () => {
  const [before, after] = [[workload("i:1", "a")], [workload("i:2", "b")]];
  const differences = (said: typeof rollout, then = after): string[] =>
    objectDifferences([said], observedChanges(before, then));
  const change = `${imagePath} "i:1" → "i:2"`;
  assert.deepEqual(differences(plan()), [
    `StatefulSet shop was updated ${change}, predicted was that it is left alone`,
  ]);
  assert.deepEqual(differences(rollout, before), [
    `StatefulSet shop was left alone, predicted was that it is updated ${change}`,
  ]);
  assert.deepEqual(differences(rollout, [workload("i:2", "b"), state(service)]), [
    `${service} was created, predicted was that it is left alone`,
  ]);
  assert.deepEqual(differences(rollout, []), [
    `StatefulSet shop was deleted, predicted was that it is updated ${change}`,
  ]);
  assert.deepEqual(differences(rollout, [workload("i:3", "b")]), [
    `StatefulSet shop: predicted and not seen: ${change}`,
    `StatefulSet shop: seen and not predicted: ${imagePath} "i:1" → "i:3"`,
    `StatefulSet shop: predicted ${change}; seen ${imagePath} "i:1" → "i:3"`,
  ]);
  assert.deepEqual(
    differences(plan(), [workload("i:1", "b")]),
    ["StatefulSet shop was updated, predicted was that it is left alone"],
    "it was changed and changed back",
  );
});

test("nothing is predicted of what a pause holds, and of what a deletion leaves", () => {
  const claim = "PersistentVolumeClaim data-shop-2";
  const left = { ...stepOf(claim, "delete"), retained: true };
  assert.deepEqual(objectDifferences([plan(left)], observedChanges([state(claim)], [state(claim)])), []);
  assert.deepEqual(objectDifferences([plan(left)], observedChanges([state(claim)], [])), [
    `${claim} was deleted, predicted was that it is left alone`,
  ]);
  const found = plan({ ...stepOf(claim, "create"), adopts: true });
  assert.deepEqual(objectDifferences([found], observedChanges([state(claim)], [state(claim)])), []);
  const held = { ...rollout, isHeld: true };
  const done = observedChanges([workload("i:1", "a")], [workload("i:2", "b")]);
  assert.deepEqual(objectDifferences([held], []), []);
  assert.equal(objectDifferences([held], done).length, 1);
});

test("of two edits at once the second counts; what was begun and taken back, or begun before a pause, is no difference", () => {
  const [before, after] = [[workload("i:1", "a")], [workload("i:2", "b")]];
  const back = observedChanges(before, [workload("i:1", "c")]);
  assert.deepEqual(objectDifferences([rollout, plan()], back), []);
  assert.deepEqual(objectDifferences([rollout, plan()], []), []);
  assert.equal(objectDifferences([rollout, plan()], observedChanges(before, after)).length, 1);
  assert.equal(objectDifferences([plan(), plan()], back).length, 1);
  const paused = { ...rollout, isHeld: true };
  assert.deepEqual(objectDifferences([rollout, paused], observedChanges(before, after)), []);
  assert.deepEqual(objectDifferences([rollout, paused], []), []);
  assert.equal(objectDifferences([rollout, paused], observedChanges(before, [])).length, 1);
  const again = observedChanges([state("Job shop-init")], [state("Job shop-init", {}, "2")]);
  assert.deepEqual(objectDifferences([plan(stepOf("Job shop-init", "replace")), plan()], again), []);
});

test("of an object counts what the operator applied, and nothing that others wrote", () => {
  const fieldsV1 = {
    "f:metadata": { "f:labels": { "f:app": {} } },
    "f:spec": {
      "f:replicas": {},
      "f:containers": {
        'k:{"name":"db"}': { ".": {}, "f:image": {}, "f:ports": { 'k:{"port":1}': { "f:port": {} } } },
      },
      "f:volume": {},
    },
  };
  const other = { "f:metadata": { "f:annotations": { "f:note": {} } } };
  const object = {
    metadata: {
      labels: { app: "database", other: "x" },
      annotations: { note: "theirs" },
      managedFields: [
        { manager: fieldManager, operation: "Apply", fieldsV1 },
        { manager: fieldManager, operation: "Update", subresource: "status", fieldsV1: { "f:status": {} } },
        { manager: "kubectl", operation: "Update", fieldsV1: other },
      ],
    },
    spec: {
      replicas: 3,
      containers: [{ name: "agent" }, { name: "db", image: "i:1", ports: [{ port: 1 }], args: ["theirs"] }],
      volume: { emptyDir: {} },
    },
  };
  assert.deepEqual(Object.fromEntries(ownLeavesOf(object) ?? []), {
    "metadata.labels.app": "database",
    "spec.replicas": 3,
    "spec.containers.db.image": "i:1",
    "spec.containers.db.ports.0.port": 1,
    "spec.volume.emptyDir": {},
  });
  assert.equal(ownLeavesOf({ metadata: { managedFields: [{ manager: "kubectl", operation: "Apply" }] } }), undefined);
});
