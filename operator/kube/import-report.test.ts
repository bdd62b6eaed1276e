import assert from "node:assert/strict";
import test from "node:test";
import { reportIn } from "./backup-report";
import { importedIn } from "./import-report";
import { JobAttempts } from "./job-attempts";
import { jobOf, podOf } from "./observe";

const imported = { version: "15.18", tables: 4, rows: 20_053, consistency: "OneMoment" } as const;
const message = JSON.stringify({ imported });

test("what the program says is read, and anything else is not taken for it", () => {
  assert.deepEqual(importedIn(message), imported);
  assert.equal(reportIn(message), undefined);
  for (const odd of [{ version: "15 <b>" }, { rows: -1 }, { tables: "4" }, { consistency: "Perfect" }])
    assert.equal(importedIn(JSON.stringify({ imported: { ...imported, ...odd } })), undefined);
  assert.equal(importedIn("Killed"), undefined);
});

const labels = { app: "database", database: "shop", "app.kubernetes.io/component": "import" };

const podThatSaid = (name: string, createdAt: string, terminated: object): ReturnType<typeof podOf> =>
  podOf({
    metadata: {
      ...{ name, namespace: "team", creationTimestamp: createdAt },
      labels: { ...labels, "batch.kubernetes.io/controller-uid": "j" },
    },
    status: { containerStatuses: [{ name: "import", state: { terminated } }] },
  });

test("of a Job its word is known, also after an attempt that failed", () => {
  const conditions = [{ type: "Complete", status: "True", lastTransitionTime: "2026-01-02T03:01:00Z" }];
  const metadata = { name: "shop-import", namespace: "team", uid: "j", labels };
  const job = jobOf({ metadata, status: { conditions } });
  assert.ok(job !== undefined);
  const attempts = new JobAttempts();
  attempts.noteJob(job, undefined);
  const failed = podThatSaid("p1", "2026-01-02T03:00:00Z", { exitCode: 1, message: "cannot be entered" });
  const succeeded = podThatSaid("p2", "2026-01-02T03:00:30Z", { exitCode: 0, message });
  for (const pod of [failed, succeeded]) attempts.notePod(pod?.attempt, undefined);
  assert.deepEqual(attempts.with(job).imported, imported);
});
