import assert from "node:assert/strict";
import test from "node:test";
import { DrillEnd, reportOf, type Progress } from "../../agent/verify/decide";
import { reportIn } from "./backup-report";
import { JobAttempts } from "./job-attempts";
import { jobOf, podOf } from "./observe";
import { verificationIn } from "./verification-report";

const progress: Progress = {
  ...{ stage: "", label: "shop-20260101T020003Z", recoverySeconds: 12, omitted: [] },
  answers: [{ name: "orders", answer: "AsExpected" }],
};
const times = { startedAt: new Date("2026-01-02T03:00:00Z"), now: new Date("2026-01-02T03:00:30Z") };
const passed = reportOf(progress, undefined, times);
const failed = reportOf(progress, new DrillEnd("DataDamaged", "damaged"), times);

test("what the program says is read, and is no report of a backup that was taken", () => {
  for (const report of [passed, failed]) {
    assert.deepEqual(verificationIn(JSON.stringify(report)), report);
    assert.equal(reportIn(JSON.stringify(report)), undefined);
  }
  for (const odd of [{ verdict: "Perfect" }, { verified: "a b" }, { message: 7 }, { finding: "Else" }])
    assert.equal(verificationIn(JSON.stringify({ ...passed, ...odd })), undefined);
  assert.equal(verificationIn("Killed"), undefined);
});

const labels = { app: "database", database: "shop", "app.kubernetes.io/component": "verification" };

for (const [type, report, exitCode] of [
  ["Complete", passed, 0],
  ["Failed", failed, 1],
] as const) {
  test(`of a Job that is ${type} its word is known, however its program ended`, () => {
    const conditions = [{ type, status: "True", lastTransitionTime: "2026-01-02T03:01:00Z" }];
    const job = jobOf({
      metadata: { name: "shop-verify-1", namespace: "team", uid: "j", labels },
      status: { conditions },
    });
    const terminated = { exitCode, message: JSON.stringify(report) };
    const pod = podOf({
      metadata: {
        ...{ name: "p", namespace: "team", creationTimestamp: "2026-01-02T03:00:00Z" },
        labels: { ...labels, "batch.kubernetes.io/controller-uid": "j" },
      },
      status: { containerStatuses: [{ name: "verify", state: { terminated } }] },
    });
    assert.ok(job !== undefined);
    const attempts = new JobAttempts();
    attempts.noteJob(job, undefined);
    attempts.notePod(pod?.attempt, undefined);
    const run = attempts.with(job);
    assert.deepEqual(run.verification, report);
    assert.equal(run.backup, undefined);
  });
}
