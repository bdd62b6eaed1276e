import assert from "node:assert/strict";
import test from "node:test";
import { engineOf } from "./engines/available";
import { backupVolumeLabel, databaseOfBackups } from "./naming";
import { restoreJobOf, restorePodOf } from "./restore";
import { settingsOf } from "./settings";

/** Whose volume the Job's pod is beside, by its label and by its affinity. */
function besideOf(origin: { readonly claim: string; readonly takenBy?: string }): [unknown, unknown] {
  const options = { namespace: "team", engine: "mysql", version: "9.7.4", image: "i:1" } as const;
  const settings = settingsOf("shop", options);
  const source = { ...origin, request: "u" };
  const { spec } = restoreJobOf(settings, source, { containers: [] });
  const labels: unknown = JSON.parse(JSON.stringify(spec));
  const pod = restorePodOf(settings, engineOf("mysql"), source);
  const found = (text: unknown): unknown =>
    new RegExp(`"${backupVolumeLabel}":"([^"]*)"`).exec(JSON.stringify(text ?? null))?.[1];
  return [found(labels), found(pod?.affinity)];
}

test("a restore of MySQL is on the node of the pod that has a Database's backup volume all the time", () => {
  assert.deepEqual(besideOf({ claim: "orders-backup", takenBy: "orders" }), ["orders", "orders"]);
});

test("a claim of any name is mounted where its volume is", () => {
  for (const claim of ["a", "archive", "legacy-mysql-data", "orders-backup", "x".repeat(200)])
    assert.deepEqual(besideOf({ claim }), [undefined, undefined], claim);
});

test("the claim of a Database's backups is told by its name", () => {
  assert.deepEqual(["orders-backup", "-backup", "orders-data", "a"].map(databaseOfBackups), [
    ...["orders", undefined, undefined, undefined],
  ]);
});
