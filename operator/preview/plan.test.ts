import assert from "node:assert/strict";
import test from "node:test";
import type { PlannedStep } from "../domain/runner";
import { exitCodeOf, type Plan, type Previewed } from "./plan";

const step = (operation: PlannedStep["operation"]): PlannedStep => ({
  kind: "Job",
  name: "a",
  operation,
  retained: false,
  fields: [],
});
const plan = (some: Partial<Plan> = {}): Plan => ({
  kind: "plan",
  database: "team/shop",
  intent: "change",
  asked: [],
  notes: [],
  drift: [],
  putBack: new Set(),
  steps: [step("same")],
  harmful: [],
  consequences: [],
  memberNames: [],
  digest: "",
  primary: undefined,
  isHeld: false,
  ...some,
});
const asked = [{ path: "spec.deletionPolicy", kind: "change", before: "Retain", after: "Delete" }] as const;

for (const [what, previewed, code] of [
  ["nothing changed", [plan()], 0],
  ["nothing in the file", [], 0],
  ["something skipped", [{ kind: "skipped", message: "" }], 0],
  ["a changed child", [plan({ steps: [step("same"), step("update")] })], 1],
  ["a spec that changes no child", [plan({ asked })], 1],
  ["drift", [plan({ drift: ["Service shop was deleted"] })], 1],
  ["a deletion", [plan({ intent: "delete", steps: [] })], 1],
  ["a paused Database", [plan({ isHeld: true, steps: [step("update")] })], 0],
  ["a paused Database whose spec changes", [plan({ isHeld: true, asked })], 1],
  ["a rejection beside a change", [plan({ asked }), { kind: "rejected", database: "x", message: "" }], 2],
  ["a stalled one", [{ kind: "stalled", database: "x", asked: [], reason: "NameConflict", message: "" }], 2],
  ["one that cannot be predicted", [{ kind: "failed", database: "x", message: "" }], 2],
] as const satisfies readonly (readonly [string, readonly Previewed[], number])[]) {
  test(`${what}: exit code ${code}`, () => {
    assert.equal(exitCodeOf(previewed), code);
  });
}
