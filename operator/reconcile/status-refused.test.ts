// Conditions of a Database whose spec was refused or is paused: they go by what is in force.
import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import { memberOf } from "../../test/fakes/ports";
import { specOf } from "../../test/fakes/specs";
import type { Database } from "../api/object";
import type { Condition, DatabaseStatus } from "../api/status";
import { settled, stalled, type Outcome } from "../domain/outcome";
import type { StackRecord } from "../domain/records";
import { statusFor } from "./status";

type Spec = Database["spec"];

const recordOf = (spec: Spec): StackRecord => ({
  ...{ checkpoint: kept("state"), digest: "d", uid: "uid-1", version: "1", workload: { uid: "w", generation: 2 } },
  declared: { engine: "postgresql", version: "17.6", storage: "10Gi" },
  accepted: { spec, image: "image", config: {} },
  history: [],
});

function conditionsOf(
  spec: Spec | undefined,
  outcome: Outcome,
  { accepted = specOf(), previous = {} }: { accepted?: Spec; previous?: DatabaseStatus } = {},
): Readonly<Record<string, Condition>> {
  const { conditions = [] } = statusFor({
    ...{ name: "shop", namespace: "team", generation: 4, spec, outcome, previous, serviceMonitors: false },
    observation: {
      workload: { uid: "w", generation: 2, wanted: 1, seen: true, revision: "new" },
      members: [memberOf("shop-0", { role: "primary" })],
      jobs: [],
    },
    record: recordOf(accepted),
    now: new Date("2026-01-01T12:00:00Z"),
  });
  return Object.fromEntries(conditions.map((condition) => [condition.type, condition]));
}

const refused = stalled("VersionUnavailable", "the catalogue has none");
const reasonOf = (condition: Condition | undefined): string | undefined => condition?.reason;

for (const [what, spec] of [
  ["another engine", specOf({ engine: "mysql", version: "9.7" })],
  ["no backups", specOf({ backup: { enabled: false } })],
  ["what is no spec", undefined],
] as const)
  test(`${what}, refused: backups and drills take place as before, and the status says so`, () => {
    const { BackupReady: backup, BackupVerified: drills } = conditionsOf(spec, refused);
    assert.deepEqual([backup, drills].map(reasonOf), ["BackupScheduled", "NotYetVerified"]);
  });

test("an edit that waits for the end of a pause is not told as done", () => {
  const { BackupReady: backup } = conditionsOf(specOf({ backup: { enabled: false } }), stalled("Paused", "paused"));
  assert.equal(reasonOf(backup), "BackupScheduled");
});

test("why there are no drills stays said while a spec is refused", () => {
  const accepted = specOf({ backup: { verify: { enabled: false } } });
  const before = conditionsOf(specOf(), settled(), { accepted }).BackupVerified;
  assert.match(before?.message ?? "", /reclaimPolicy Retain/);
  const previous = { conditions: before === undefined ? [] : [before] };
  const after = conditionsOf(specOf({ engine: "mysql", version: "9.7" }), refused, { accepted, previous });
  assert.deepEqual(after.BackupVerified, before);
});

test("once it is accepted, backups that are switched off are told as that, and drills no more", () => {
  const spec = specOf({ backup: { enabled: false } });
  const { BackupReady: backup, BackupVerified: drills } = conditionsOf(spec, settled(), { accepted: spec });
  assert.deepEqual([reasonOf(backup), drills], ["BackupDisabled", undefined]);
});
