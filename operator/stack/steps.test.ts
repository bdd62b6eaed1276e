import assert from "node:assert/strict";
import test from "node:test";
import { DiffKind, type EngineEvent, type OpType, type StepEventMetadata } from "@pulumi/pulumi/automation";
import { harmfulIn } from "../domain/runner";
import { partsOf } from "../objects/paths";
import { Steps } from "./steps";

const urn = (type: string, name: string): string =>
  `urn:pulumi:team.shop::databases::databases:index:Database$${type}::${name}`;

interface Some {
  readonly name?: string;
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  readonly diff?: StepEventMetadata["detailedDiff"];
  readonly diffs?: string[];
  readonly retain?: boolean;
}

function event(op: OpType, type: string, some: Some = {}): EngineEvent {
  const { name = "shop", before, after, outputs = {}, diff, diffs, retain } = some;
  const state = { type, urn: urn(type, name), id: "", parent: "", provider: "" };
  return {
    sequence: 0,
    timestamp: 0,
    resourcePreEvent: {
      metadata: {
        op,
        type,
        urn: urn(type, name),
        provider: "",
        ...(before && { old: { ...state, inputs: before, outputs, ...(retain && { retainOnDelete: true }) } }),
        ...(after && { new: { ...state, inputs: after, outputs: {} } }),
        ...(diff && { detailedDiff: diff }),
        ...(diffs && { diffs }),
      },
    },
  };
}

function stepsOf(events: readonly EngineEvent[], secret = ""): Steps["all"] {
  const steps = new Steps((text) => (secret === "" ? text : text.replaceAll(secret, "[secret]")));
  for (const one of events) steps.accept(one);
  return steps.all;
}

const statefulSet = "kubernetes:apps/v1:StatefulSet";
const secretType = "kubernetes:core/v1:Secret";
const update = (kind: DiffKind = DiffKind.update, inputDiff = true): { diffKind: DiffKind; inputDiff: boolean } => ({
  diffKind: kind,
  inputDiff,
});

test("a step names kind and object, and what happens to it; Pulumi's own resources are left out", () => {
  const steps = stepsOf([
    event("same", "pulumi:pulumi:Stack"),
    event("create", "databases:index:Database"),
    event("create", "kubernetes:core/v1:Service", { name: "shop-ro" }),
    event("same", "kubernetes:core/v1:Service"),
    event("refresh", "kubernetes:core/v1:ConfigMap"),
  ]);
  assert.deepEqual(
    steps.map(({ kind, name, operation }) => `${operation} ${kind} ${name}`),
    ["same Service shop", "create Service shop-ro"],
  );
});

test("a changed field has its path, with elements of lists by their names, and both values", () => {
  const pod = (image: string): Record<string, unknown> => ({
    spec: { template: { spec: { containers: [{ name: "postgresql", image }] } } },
  });
  const [step] = stepsOf([
    event("update", statefulSet, {
      before: pod("i:1"),
      after: pod("i:2"),
      diff: { "spec.template.spec.containers[0].image": update() },
    }),
  ]);
  assert.deepEqual(step?.fields, [
    { path: "spec.template.spec.containers[postgresql].image", kind: "change", before: "i:1", after: "i:2" },
  ]);
});

test("added and removed fields have one value only, and keys with dots are one part of a path", () => {
  const [step] = stepsOf([
    event("update", statefulSet, {
      before: { metadata: { annotations: { "a.b/c": "old" } } },
      after: { metadata: { labels: { team: "x" } } },
      diff: { 'metadata.annotations["a.b/c"]': update(DiffKind.delete), "metadata.labels.team": update(DiffKind.add) },
    }),
  ]);
  assert.deepEqual(step?.fields, [
    { path: 'metadata.annotations["a.b/c"]', kind: "remove", before: "old", after: undefined },
    { path: "metadata.labels.team", kind: "add", before: undefined, after: "x" },
  ]);
});

test("where the object itself was compared, the previous value is what it holds", () => {
  const [step] = stepsOf([
    event("update", statefulSet, {
      before: { spec: { replicas: 3 } },
      outputs: { spec: { replicas: 9 } },
      after: { spec: { replicas: 3 } },
      diff: { "spec.replicas": update(DiffKind.update, false) },
    }),
  ]);
  assert.deepEqual(step?.fields, [{ path: "spec.replicas", kind: "change", before: 9, after: 3 }]);
});

test("without a detailed diff the provider's list of fields is used", () => {
  const [step] = stepsOf([
    event("update", statefulSet, { before: { spec: 1 }, after: { spec: 2, more: 3 }, diffs: ["spec", "more"] }),
  ]);
  assert.deepEqual(
    step?.fields.map(({ path, kind }) => `${kind} ${path}`),
    ["add more", "change spec"],
  );
});

test("values of Secrets are never shown, whatever the engine hands out", () => {
  const [step] = stepsOf([
    event("update", secretType, {
      before: { data: { password: "b2xk" } },
      after: { data: { password: "bmV3", user: "[secret]" } },
      diff: { "data.password": update(), "data.user": update(DiffKind.add), "data.gone": update(DiffKind.delete) },
    }),
  ]);
  assert.deepEqual(
    step?.fields.map(({ before, after }) => [before, after]),
    [
      ["[secret]", undefined],
      ["[secret]", "[secret]"],
      [undefined, "[secret]"],
    ],
  );
  // all of the data is one secret value for the engine, which takes it out
  const data = { data: { ciphertext: "[secret]" } };
  const [whole] = stepsOf([event("update", secretType, { before: data, after: data, diff: { "data.uri": update() } })]);
  assert.deepEqual(whole?.fields, [{ path: "data.uri", kind: "change", before: "[secret]", after: "[secret]" }]);
});

test("known secrets are masked wherever they occur, and what is masked as a whole stays masked below", () => {
  const [step] = stepsOf(
    [
      event("update", "kubernetes:core/v1:ConfigMap", {
        before: { data: { uri: "postgresql://app:hunter2@shop" }, hidden: "[secret]" },
        after: { data: { uri: ["x", { deep: "hunter2" }] }, hidden: "[secret]" },
        diff: { "data.uri": update(), "hidden.below": update() },
      }),
    ],
    "hunter2",
  );
  assert.deepEqual(step?.fields, [
    { path: "data.uri", kind: "change", before: "postgresql://app:[secret]@shop", after: ["x", { deep: "[secret]" }] },
    { path: "hidden.below", kind: "change", before: "[secret]", after: "[secret]" },
  ]);
});

test("a replacement is one step, with the fields that cause it", () => {
  const states = { before: { spec: 1 }, after: { spec: 2 } };
  const steps = stepsOf([
    event("delete-replaced", "kubernetes:batch/v1:Job", { before: { spec: 1 } }),
    event("replace", "kubernetes:batch/v1:Job", { ...states, diff: { spec: update(DiffKind.updateReplace) } }),
    event("create-replacement", "kubernetes:batch/v1:Job", { after: { spec: 2 } }),
  ]);
  assert.deepEqual(
    steps.map(({ operation, fields }) => [operation, fields.map(({ path }) => path)]),
    [["replace", ["spec"]]],
  );
});

test("replacements that would cost data or service are singled out", () => {
  const steps = stepsOf([
    event("replace", "kubernetes:batch/v1:Job"),
    event("replace", statefulSet),
    event("replace", "kubernetes:core/v1:PersistentVolumeClaim", { name: "data-shop-0" }),
    event("replace", secretType, { name: "shop-system" }),
    event("update", secretType, { name: "shop-credentials" }),
  ]);
  assert.deepEqual(
    harmfulIn(steps).map(({ name }) => name),
    ["data-shop-0", "shop-system", "shop"],
  );
});

for (const [compared, isOfInputs] of [
  ["what was declared is", true],
  ["the object itself is", false],
] as const) {
  test(`an item that moves, as another comes before it, is the same item, where ${compared} compared`, () => {
    const job = (...env: Record<string, unknown>[]): Record<string, unknown> => ({
      spec: { containers: [{ name: "backup", env }] },
    });
    const [kept, size, logs] = [
      { name: "KEPT", valueFrom: { key: "kept" } },
      { name: "SIZE", value: "1" },
      { name: "LOGS", value: "all" },
    ];
    const env = "spec.containers[0].env";
    const [step] = stepsOf([
      event("update", "kubernetes:batch/v1:CronJob", {
        before: job(kept, size),
        after: job(logs, kept, { ...size, value: "2" }),
        diff: {
          [`${env}[0].name`]: update(DiffKind.update, isOfInputs),
          [`${env}[0].valueFrom`]: update(DiffKind.delete, isOfInputs),
          [`${env}[0].value`]: update(DiffKind.add, isOfInputs),
          [`${env}[1].name`]: update(DiffKind.update, isOfInputs),
          [`${env}[2]`]: update(DiffKind.add, isOfInputs),
        },
      }),
    ]);
    assert.deepEqual(step?.fields, [
      { path: "spec.containers[backup].env[LOGS]", kind: "add", before: undefined, after: logs },
      { path: "spec.containers[backup].env[SIZE].value", kind: "change", before: "1", after: "2" },
    ]);
  });
}

test("a deletion of what outlives the stack is marked", () => {
  const claim = "kubernetes:core/v1:PersistentVolumeClaim";
  const steps = stepsOf([
    event("delete", claim, { name: "data-shop-0", before: {}, retain: true }),
    event("delete", "kubernetes:core/v1:Service", { before: {} }),
  ]);
  assert.deepEqual(
    steps.map(({ name, retained }) => [name, retained]),
    [
      ["data-shop-0", true],
      ["shop", false],
    ],
  );
});

test("paths are taken apart as the engine writes them", () => {
  assert.deepEqual(partsOf('a.b[0]["c.d"].e'), ["a", "b", "0", "c.d", "e"]);
  assert.deepEqual(partsOf('["say \\"hi\\""]'), ['say "hi"']);
});
