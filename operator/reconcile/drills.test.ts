// Restore drills are not begun by themselves where each would leave a volume behind.
import assert from "node:assert/strict";
import test from "node:test";
import { databaseOf } from "../../test/fakes/specs";
import { hasDrills } from "../api/verification";
import { drillsRefusal, withPossibleDrills } from "./drills";
import { unverifiable } from "./verified";

const queries = [{ name: "orders", sql: "SELECT 1" }];
for (const [some, isKept, areThere] of [
  [{}, false, true],
  [{}, true, false],
  [{ backup: { verify: { queries } } }, true, false],
  [{ backup: { verify: { enabled: true } } }, true, true],
  [{ backup: { verify: { enabled: false } } }, false, false],
] as const) {
  test(`a Database with ${JSON.stringify(some)} has ${areThere ? "" : "no "}drills where volumes ${isKept ? "stay" : "go"}`, async () => {
    const database = databaseOf(some);
    const asked: unknown[] = [];
    const isKeptAt = (volume: unknown): Promise<boolean> => {
      asked.push(volume);
      return Promise.resolve(isKept);
    };
    const possible = await withPossibleDrills(database, { isKept: isKeptAt });
    assert.equal(hasDrills(possible), areThere);
    for (const one of asked)
      assert.deepEqual(one, { namespace: "team", claim: "data-shop-0", storageClass: undefined });
    // what nobody asked for is told, and nothing else
    assert.equal(drillsRefusal(database.spec, possible) !== undefined, hasDrills(database.spec) && !areThere);
  });
}

test("where there are no drills for that reason a bad backup does not become any better", () => {
  const condition = { type: "BackupVerified", reason: "DataDamaged", message: "x", lastTransitionTime: "" } as const;
  assert.equal(unverifiable("Retain", { ...condition, status: "False" }).reason, "DataDamaged");
  assert.equal(unverifiable("Retain", { ...condition, status: "True" }).reason, "VerificationNotPossible");
});
