import assert from "node:assert/strict";
import test from "node:test";
import type { RevisionSpec } from "../../operator/api/revisions/spec";
import { judgeRollback, mergePatch, type Rollback } from "./judge";

const spec = {
  ...{ engine: "postgresql", version: "17.12", replicas: 3, storage: "100Gi", deletionPolicy: "Retain", paused: false },
  config: { max_connections: "200", work_mem: "8MB" },
};

const revision: RevisionSpec = {
  ...{ database: "orders", revision: 4, at: "", origin: "Spec", summary: "", runSeconds: 1 },
  changes: [],
};

/** Where a rollback to `then` leads; undefined takes a field away. */
const judged = (
  then: Record<string, unknown> | undefined,
  now: Record<string, unknown> = {},
  keepsVersion = false,
): Rollback =>
  judgeRollback({
    spec: { ...spec, ...now },
    to: { spec: { ...revision, ...(then && { template: { ...spec, ...then } }) } },
    keepsVersion,
  });

interface Case {
  readonly then: Record<string, unknown>;
  readonly now?: Record<string, unknown>;
  readonly patch: Record<string, unknown>;
  readonly kept?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "a parameter that was another one": {
    then: { config: { max_connections: "100", work_mem: "8MB" } },
    patch: { config: { max_connections: "100" } },
  },
  "a parameter that was not there": {
    then: { config: { work_mem: "8MB" } },
    patch: { config: { max_connections: null } },
  },
  "a whole field that was not there": {
    then: { replicas: 2 },
    now: { monitoring: { enabled: false } },
    patch: { monitoring: null, replicas: 2 },
  },
  "fewer members": { then: { replicas: 1 }, patch: { replicas: 1 } },
  "less storage, beside something else": {
    then: { storage: "50Gi", replicas: 1 },
    patch: { replicas: 1 },
    kept: ["storage"],
  },
  "as much storage as is asked for, where volumes had grown by themselves": {
    then: { storage: "120Gi", replicas: 1 },
    patch: { replicas: 1 },
  },
  "a deletion policy": {
    then: { deletionPolicy: "Delete", replicas: 1 },
    patch: { replicas: 1 },
    kept: ["deletionPolicy"],
  },
  "a change policy that was not there": {
    then: { replicas: 1 },
    now: { changePolicy: { requireApproval: ["Downtime"] } },
    patch: { replicas: 1 },
    kept: ["changePolicy"],
  },
  "what the data began with": {
    then: { replicas: 1, restore: { from: "other" } },
    patch: { replicas: 1 },
    kept: ["restore"],
  },
  "a smaller volume of backups": {
    then: { replicas: 1, backup: { enabled: true, destination: { volume: { size: "5Gi" } } } },
    now: { backup: { enabled: false, destination: { volume: { size: "9Gi" } } } },
    patch: { replicas: 1, backup: { enabled: true } },
    kept: ["backup.destination.volume"],
  },
};
for (const [what, { then, now, patch, kept = [] }] of Object.entries(cases)) {
  test(`a rollback leads to ${what}`, () => {
    const found = judged(then, now);
    assert.ok(found.kind === "possible", found.kind);
    assert.deepEqual([found.patch, found.kept.map(({ path }) => path)], [patch, kept]);
  });
}

const refusals: readonly (readonly [what: string, found: Rollback, kind: Rollback["kind"]])[] = [
  ["one whose spec was not kept", judged(undefined), "unknown"],
  ["another engine", judged({ engine: "mysql" }), "foreign"],
  ["an older version", judged({ version: "17.11" }), "version"],
  ["a newer version, too: that is an upgrade to ask for", judged({ version: "17.13" }), "version"],
  ["what there is already", judged({}), "same"],
  ["nothing but what stays", judged({ storage: "50Gi", paused: true }), "same"],
  ["an older version, while that of now is to stay", judged({ version: "17.11" }, {}, true), "same"],
];
for (const [what, { kind }, expected] of refusals) {
  test(`of a rollback to ${what} it is said: ${expected}`, () => {
    assert.equal(kind, expected);
  });
}

test("with the version of now, the rest is gone back to", () => {
  const found = judged({ version: "17.11", replicas: 2 }, {}, true);
  assert.ok(found.kind === "possible");
  assert.deepEqual([found.patch, found.spec["version"]], [{ replicas: 2 }, "17.12"]);
  assert.deepEqual(
    found.kept.map(({ path }) => path),
    ["version"],
  );
});

test("a merge patch replaces lists, and takes objects apart", () => {
  const [before, after] = [
    { a: [1, 2], b: { c: 1, d: 2 }, e: 1 },
    { a: [1], b: { c: 1 }, f: { g: 1 } },
  ];
  assert.deepEqual(mergePatch(before, after), { a: [1], b: { d: null }, e: null, f: { g: 1 } });
  assert.deepEqual(mergePatch(before, before), {});
});
