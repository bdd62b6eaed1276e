import assert from "node:assert/strict";
import test from "node:test";
import { circumstances, stepOf as step, storage } from "../../test/fakes/previewed";
import type { PlannedStep } from "../domain/runner";
import { consequencesOf } from "./table";

for (const [what, steps, expected] of [
  [
    "an import that is running, whose Job is replaced by any other edit",
    [step("Job shop-import", "replace")],
    /^THE IMPORT BEGINS AGAIN FROM NOTHING: .*thrown away/,
  ],
  [
    "a restore that is running, in the same way",
    [step("Job shop-restore", "replace"), step("PersistentVolumeClaim data-shop-0", "update", [storage])],
    /^THE COPY OF THE BACKUP BEGINS AGAIN .*copied so far is thrown away/,
  ],
  ["an import whose Job is gone", [step("Job shop-import", "create")], /^the import begins again from nothing/],
] as const satisfies readonly (readonly [string, readonly PlannedStep[], RegExp])[]) {
  test(`${what}: what it begins again is told before all else`, () => {
    const found = consequencesOf(steps, circumstances());
    assert.match(found[0]?.message ?? "", expected);
    assert.equal(found.at(-1)?.message, "no member restarts");
  });
}
