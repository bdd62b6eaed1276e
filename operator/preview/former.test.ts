import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import { databaseObject } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import type { Desired } from "../domain/desired";
import type { StackRecord } from "../domain/records";
import { digestOf } from "../stack/program";
import { programVersion } from "../stack/program-version";
import { heldAgainst, presentOf } from "./former";

const desiredOf = (replicas: number): Desired => ({
  owner: { name: "shop", namespace: "team", uid: "uid-1" },
  ...{ spec: specOf({ replicas }), image: "i:1", config: {}, serviceMonitors: false },
});
const digest = digestOf(programVersion());

/** Of a Database whose last run was for so many members. */
const recordOf = (replicas: number, some: Partial<StackRecord> = {}): StackRecord => ({
  ...{
    checkpoint: kept("state"),
    digest: digest(desiredOf(replicas)),
    uid: "uid-1",
    version: "1",
    workload: undefined,
  },
  declared: undefined,
  accepted: { spec: specOf({ replicas }), image: "i:1", config: {} },
  history: [{ revision: 1, at: "2026-01-01T00:00:00Z", seconds: 1, digest: "d", summary: "", by: "" }],
  ...some,
});

const asked = [{ path: "spec.replicas", kind: "change", before: 5, after: 7 }] as const;

/** What a change to 7 members is held against, where the cluster has `replicas` and the record is that. */
function against(replicas: number, record: StackRecord | undefined): ReturnType<typeof heldAgainst> {
  const present = presentOf(databaseObject({ replicas, deletionPolicy: "Delete" }));
  assert.ok(present !== undefined);
  return heldAgainst({ former: desiredOf(replicas), present, asked, after: specOf({ replicas: 7 }) }, record);
}

test("where all is carried out a change is held against what is in the cluster", () => {
  const { circumstances, state } = against(5, recordOf(5));
  assert.deepEqual([circumstances.asked, circumstances.specs.before?.replicas], [asked, 5]);
  assert.deepEqual(state, { isBehind: false, isHalfDone: false });
});

test("where a change waits the next one is held against what was agreed to, but for what counts as it is written", () => {
  const { circumstances, state } = against(5, recordOf(3));
  assert.equal(circumstances.specs.before?.replicas, 3);
  assert.equal(circumstances.specs.before.deletionPolicy, "Delete");
  const { path, before, after } = circumstances.asked.find((field) => field.path === "spec.replicas") ?? {};
  assert.deepEqual([path, before, after], ["spec.replicas", 3, 7]);
  assert.deepEqual(state, { isBehind: true, isHalfDone: false });
});

test("where the last change was not carried out whole that is said, as what it means beside another cannot be told", () => {
  const { state, circumstances } = against(5, recordOf(5, { digest: undefined, accepted: undefined }));
  assert.deepEqual(state, { isBehind: true, isHalfDone: true });
  assert.equal(circumstances.specs.before?.replicas, 5);
});

test("of a Database that never ran nothing is half done", () => {
  assert.equal(against(5, undefined).state.isHalfDone, false);
  assert.equal(presentOf(undefined), undefined);
});
