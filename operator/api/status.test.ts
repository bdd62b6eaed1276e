import assert from "node:assert/strict";
import test from "node:test";
import { statusOf } from "./stored-status";

test("of a newer operator's status every known field is kept, and an unknown reason too", () => {
  const at = { lastTransitionTime: "2026-01-01T00:00:00Z", message: "" };
  const initialized = { type: "Initialized", status: "True", reason: "InitializedOtherwise", ...at };
  const ready = { type: "Ready", status: "True", reason: "AllReplicasReady", ...at };
  const lastBackup = { name: "20260101T000000Z", completedAt: "2026-01-01T00:00:00Z" };
  const newer = { type: "Archived", status: "True", reason: "Archiving", ...at };
  const status = {
    ...{ phase: "Archiving", ready: true, observedGeneration: 3, lastBackup, archive: { lag: "1s" } },
    conditions: [initialized, newer, { type: "Stalled" }, ready],
  };
  assert.deepEqual(statusOf({ status }), {
    ...{ ready: true, observedGeneration: 3, lastBackup },
    conditions: [initialized, ready],
  });
});

test("a value that is not a status counts as none", () => {
  for (const object of [{}, { status: 1 }, { status: { conditions: "none" } }]) assert.deepEqual(statusOf(object), {});
});
