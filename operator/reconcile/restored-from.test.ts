import assert from "node:assert/strict";
import test from "node:test";
import { restoredFromOf } from "./restored-from";

const noted = { uid: "uid", isDone: true };
const label = "orders-20261121T020003Z";

test("restoredFrom names the DatabaseBackup, or where there is none the volume", () => {
  assert.deepEqual(restoredFromOf({ ...noted, backup: "mine", claim: "orders-backup", label }), {
    backup: "mine",
    label,
  });
  assert.deepEqual(restoredFromOf({ ...noted, claim: "copied" }), { location: "volume copied" });
  assert.deepEqual(restoredFromOf({ ...noted, claim: "copied", label }), { location: "volume copied", label });
});

test("nothing is told before the data are there", () => {
  assert.equal(restoredFromOf({ ...noted, isDone: false, claim: "copied" }), undefined);
  assert.equal(restoredFromOf(undefined), undefined);
});
