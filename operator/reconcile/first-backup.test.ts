import assert from "node:assert/strict";
import test from "node:test";
import { memberOf, type FakeCluster } from "../../test/fakes/ports";
import type { JobRun } from "../domain/members";
import { firstBackupOf } from "./first-backup";

const jobOf = (state: JobRun["state"], name = "shop-backup-first"): JobRun => ({
  ...{ name, database: "shop", namespace: "team", component: "backup", state },
  ...{ createdAt: "2026-01-01T00:00:00Z", finishedAt: undefined },
});

for (const [what, jobs, again] of [
  ["has succeeded is not taken again for another place of its pod", [jobOf("succeeded")], {}],
  ["waits follows where pods run", [jobOf("running")], { retriesFirstBackup: true }],
  ["failed follows where pods run", [jobOf("failed")], { retriesFirstBackup: true }],
  ["is not there says nothing", [jobOf("running", "shop-backup-1")], {}],
] as const) {
  test(`a first backup that ${what}`, () => {
    const observe = (): ReturnType<FakeCluster["ports"]["world"]["observe"]> => ({
      ...{ workload: undefined, members: [memberOf("shop-0")], jobs },
    });
    assert.deepEqual(firstBackupOf("team/shop", { name: "shop" }, { world: { observe } }), again);
  });
}
