import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, image, stepOf as step } from "../../test/fakes/previewed";
import { consequencesOf } from "../consequences/table";
import type { Plan, Previewed } from "./plan";
import { listOf, reportOf } from "./report";

const steps = [step("StatefulSet shop", "update", [image]), step("Secret shop-system", "same")];
const plan: Plan = {
  kind: "plan",
  database: "team/shop",
  intent: "change",
  asked: [{ path: "spec.version", kind: "change", before: "17.6", after: "17.7" }],
  notes: ["spec.paused is true"],
  drift: [],
  putBack: new Set(),
  steps,
  harmful: [],
  consequences: consequencesOf(steps, circumstances()),
  memberNames: ["shop-0", "shop-1", "shop-2"],
  digest: "7f3c9a",
  primary: undefined,
  isHeld: true,
};

test("a plan as JSON has its effects, for each member, and what changes, field by field", () => {
  assert.deepEqual(reportOf(plan), {
    outcome: "Planned",
    operation: "Update",
    spec: [{ path: "spec.version", before: "17.6", after: "17.7" }],
    notes: ["spec.paused is true"],
    drift: [],
    paused: true,
    summary: "1 to update, 1 unchanged",
    objects: [
      {
        kind: "StatefulSet",
        name: "shop",
        operation: "Update",
        fields: [{ path: "spec.template.spec.containers[postgresql].image", before: "i:1", after: "i:2" }],
      },
    ],
    effect: "Switchover",
    consequences: plan.consequences,
    members: [
      { name: "shop-0", effect: "RollingRestart" },
      { name: "shop-1", effect: "Switchover" },
      { name: "shop-2", effect: "RollingRestart" },
    ],
    digest: "7f3c9a",
  });
});

test("that it would wait is a note, and a field of its own", () => {
  const waits = "by the change policy it waits for approval (RollingRestart)";
  const report = reportOf({ ...plan, notes: [waits], waits });
  assert.deepEqual([report.notes, report.waits], [[waits], waits]);
});

test("what keeps waiting of a release beside it is told with what that does", () => {
  const waits = "by the change policy it waits for approval (Switchover)";
  const { consequences } = plan;
  const { release } = reportOf({ ...plan, left: { waits, consequences } });
  assert.deepEqual(release, { waits, effect: "Switchover", consequences });
});

test("what is kept by a deletion is marked, and a note that is a consequence is told once", () => {
  const kept = { ...step("PersistentVolumeClaim data-shop-0", "delete"), retained: true };
  const notes = plan.consequences.map(({ message }) => message);
  const report = reportOf({ ...plan, intent: "delete", steps: [kept], notes });
  assert.deepEqual([report.operation, report.objects?.[0]?.retained, report.notes], ["Delete", true, []]);
});

const others: readonly (readonly [Previewed, string])[] = [
  [{ ...plan, asked: [], steps: [], isHeld: false }, "Unchanged"],
  [{ kind: "skipped", message: "ConfigMap a: not a Database, skipped" }, "Skipped"],
  [{ kind: "rejected", database: "shop", message: "spec.replicas: Invalid value" }, "Refused"],
  [{ kind: "stalled", database: "team/shop", asked: plan.asked, reason: "NameConflict", message: "m" }, "Stalled"],
  [{ kind: "failed", database: "team/shop", message: "Pulumi did not finish in time" }, "Failed"],
  [{ kind: "backup", backup: "team/b", intent: "create", asked: [], consequences: [] }, "Planned"],
];
for (const [one, outcome] of others) {
  test(`what is ${one.kind} is told as ${outcome}`, () => {
    assert.equal(reportOf(one).outcome, outcome);
  });
}

test("a list names each object, and says which is a backup's", () => {
  const backup: Previewed = { kind: "rejected", database: "b", isBackup: true, message: "" };
  const skipped: Previewed = { kind: "skipped", message: "" };
  const list = JSON.stringify(listOf([plan, backup, skipped]));
  const apiVersion = '"apiVersion":"preview.example.com/v1alpha1"';
  assert.ok(list.startsWith('{"apiVersion":"v1","kind":"List","items":['));
  assert.ok(
    list.includes(`${apiVersion},"kind":"DatabasePreview","metadata":{"namespace":"team","name":"shop"}`),
    list,
  );
  assert.ok(list.includes(`${apiVersion},"kind":"DatabaseBackupPreview","metadata":{"name":"b"}`), list);
  assert.ok(list.includes('"kind":"DatabasePreview","metadata":{},"status":{"outcome":"Skipped"'), list);
});
