import assert from "node:assert/strict";
import test from "node:test";
import type { Circumstances } from "../../operator/consequences/circumstances";
import { harmless, type Consequence } from "../../operator/consequences/consequence";
import { consequencesOf } from "../../operator/consequences/table";
import type { FieldChange, PlannedStep } from "../../operator/domain/runner";
import { circumstances, fieldChange, stepOf } from "../fakes/previewed";
import { specOf } from "../fakes/specs";
import { predictionOf } from "./prediction";

const memory = fieldChange("spec.template.spec.containers[0].resources.limits.memory", "1Gi", "2Gi");
const replicas = (before: number, after: number): FieldChange => fieldChange("spec.replicas", before, after);
const workload = (...fields: FieldChange[]): PlannedStep => stepOf("StatefulSet shop", "update", fields);

const said = (steps: readonly PlannedStep[], at: Partial<Circumstances> = {}, notes: readonly string[] = []): unknown =>
  predictionOf({ database: "team/shop", notes, consequences: consequencesOf(steps, circumstances(at)) });
const these = (...members: string[]): unknown => ({ kind: "these", members });

test("the words of a preview are understood: which members restart, in which order, and whether another member takes over", () => {
  assert.deepEqual(said([workload(memory)]), {
    restarts: these("shop-2", "shop-0", "shop-1"),
    switchover: true,
  });
  assert.deepEqual(said([workload(memory)], { primary: undefined }), { restarts: { kind: "all" }, switchover: true });
  assert.deepEqual(said([workload(memory)], { members: 1, primary: "shop-0" }), {
    restarts: these("shop-0"),
    switchover: false,
  });
  assert.deepEqual(said([workload(memory, replicas(3, 4))], { members: 4 }), {
    restarts: these("shop-2", "shop-0", "shop-1"),
    switchover: true,
  });
});

test("that nothing can be written meanwhile is no further restart", () => {
  assert.deepEqual(said([workload(memory)], { members: 2, needsAll: true }), {
    restarts: these("shop-0", "shop-1"),
    switchover: true,
  });
});

test("that no member restarts is understood, for good or for now", () => {
  const none = { restarts: { kind: "none" }, switchover: false };
  assert.deepEqual(said([]), none);
  assert.deepEqual(said([workload(replicas(3, 4))], { members: 4 }), none);
  assert.deepEqual(said([workload(memory)], { noPlace: "no node has 2Ti of memory" }), {
    restarts: { kind: "held" },
    switchover: false,
  });
  const leaves = said([workload(memory, replicas(3, 1))], { members: 1, noPlace: "no node has 2Ti of memory" });
  assert.deepEqual(leaves, { restarts: { kind: "held" }, switchover: true }, "the primary is removed all the same");
  assert.deepEqual(said([workload(memory)], {}, ["spec.paused is true: the operator …"]), none);
});

test("that members restart once more is understood, for good or for now", () => {
  const specs = { before: specOf({}), after: specOf({ tls: { mode: "Require" } }) };
  const at = { specs, nextTls: "Prefer" } as const;
  const restarts = these("shop-2", "shop-0", "shop-1");
  assert.deepEqual(said([workload(memory)], at), { restarts, again: true, switchover: true });
  const held = { restarts: { kind: "held" }, switchover: false };
  assert.deepEqual(said([workload(memory)], { ...at, noPlace: "no node has 2Ti of memory" }), held);
});

test("that only some restart, or that the primary is among those who leave, is understood", () => {
  const { path } = memory;
  const at = (limit: string): unknown => ({
    spec: { containers: [{ name: "db", resources: { limits: { memory: limit } } }] },
  });
  const made = {
    template: at("1Gi"),
    revisions: new Map([["old", at("2Gi")]]),
    members: new Map([["shop-0", "old"]]),
  };
  const back = workload({ ...memory, path: path.replace("[0]", "[db]") });
  assert.deepEqual(said([back], { made }), { restarts: these("shop-2", "shop-1"), switchover: true });
  const most = { ...made, members: new Map(["shop-0", "shop-1"].map((member) => [member, "old"])) };
  assert.deepEqual(said([back], { made: most }), { restarts: these("shop-2"), switchover: false });
  const rest = { ...made, members: new Map(["shop-0", "shop-2"].map((member) => [member, "old"])) };
  assert.deepEqual(said([back], { made: rest }), { restarts: these("shop-1"), switchover: true });
  const all = { ...made, members: new Map(["shop-0", "shop-1", "shop-2"].map((member) => [member, "old"])) };
  assert.deepEqual(said([back], { made: all }), { restarts: { kind: "none" }, switchover: false });
  assert.deepEqual(said([workload(replicas(3, 1))], { members: 1 }), { restarts: { kind: "none" }, switchover: true });
});

test("words that say something else are an error, not a prediction", () => {
  const saying =
    (...consequences: string[]): (() => unknown) =>
    () =>
      predictionOf({ database: "team/shop", notes: [], consequences: consequences.map(harmless) });
  assert.throws(saying("some members restart"), /nothing comparable/);
  assert.throws(saying("no member restarts", "the one member restarts (another image)"), /more than one thing/);
});

test("words that the data do not bear out are an error", () => {
  const [restart, handover] = consequencesOf([workload(memory)], circumstances());
  assert.ok(restart && handover);
  const saying =
    (...consequences: Consequence[]): (() => unknown) =>
    () =>
      predictionOf({ database: "team/shop", notes: [], consequences });
  assert.doesNotThrow(saying(restart, handover));
  assert.throws(saying({ ...restart, members: ["shop-2", "shop-0"] }, handover), /words and data differ/);
  assert.throws(saying({ ...restart, effect: "Reload" }, handover), /words and data differ/);
  assert.throws(saying({ ...restart, waitsFor: "no node" }, handover), /words and data differ/);
  assert.throws(saying(restart, { ...handover, effect: "None" }), /words and data differ/);
});
