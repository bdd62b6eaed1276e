import assert from "node:assert/strict";
import test from "node:test";
import { asked, labelOf, reported, runOf } from "../../test/fakes/backups";
import { kstatusOf } from "../../test/harness/kstatus";
import type { BackupStatus } from "../api/backups/status";
import { backupStatusFor, sizeTextOf, type Standing } from "./status";

const now = new Date("2026-01-10T12:00:00Z");
const backup = asked("before-migration");

const of = (standing: Standing, previous: BackupStatus = {}, keep = false): BackupStatus =>
  backupStatusFor({ backup: { ...backup, spec: { database: "shop", keep } }, standing, now }, previous);

/** As kstatus, and with it tools that wait, see it. */
const seen = (status: BackupStatus): string => kstatusOf({ metadata: backup.metadata, status });

const waiting: Standing = {
  kind: "waiting",
  wait: { reason: "BackupPending", message: "it waits", isStalled: false },
};
const running: Standing = { kind: "run", run: { ...runOf(9), state: "running", finishedAt: undefined } };

test("all that its program said is shown, and nothing else is made up", () => {
  const { conditions, ...told } = of({ kind: "run", run: reported(9) });
  assert.deepEqual(told, {
    ...{ phase: "Succeeded", trigger: "Scheduled", engine: "postgresql", job: "shop-backup-9", label: labelOf(9) },
    ...{ startedAt: "2026-01-09T02:00:03Z", completedAt: "2026-01-09T02:05:00Z", durationSeconds: 297 },
    ...{ size: 3 * 1024 ** 2, sizeText: "3.0 MiB", member: "shop-1", cluster: "c", version: "17.6" },
    ...{ location: "volume shop-backup", observedGeneration: 1 },
    message: "complete and verified; kept until retention removes it",
  });
  const words = conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  assert.deepEqual(words, ["Ready True BackupSucceeded", "Stalled False NotStalled"]);
  const { label, size, member } = of({ kind: "run", run: runOf(9) });
  assert.deepEqual([label, size, member], [undefined, undefined, undefined]);
  assert.equal(of({ kind: "run", run: runOf(9, { engine: "" }) }).engine, undefined);
});

test("one that is not of one moment says so in its message, also where it was recorded before", () => {
  const run = reported(9);
  for (const [consistency, says] of [
    ["Torn", /^complete and verified; .*; not of one moment: what was written/],
    ["OneMoment", /^complete and verified; kept until retention removes it$/],
  ] as const) {
    const done = of({ kind: "run", run: { ...run, ...(run.report && { report: { ...run.report, consistency } }) } });
    assert.equal(done.consistency, consistency);
    assert.match(done.message ?? "", says);
    assert.match(of({ kind: "gone" }, done).message ?? "", says);
  }
});

test("tools that wait see it in progress, done, or failed", () => {
  assert.equal(seen({ observedGeneration: -1 }), "InProgress");
  assert.equal(seen(of(waiting)), "InProgress");
  assert.equal(seen(of(running)), "InProgress");
  assert.equal(seen(of({ kind: "run", run: reported(9) })), "Current");
  assert.equal(seen(of({ kind: "run", run: runOf(9, { state: "failed" }) })), "Failed");
  assert.equal(seen(of({ kind: "gone" }, of(running))), "Failed");
});

test("what was recorded at its end stays, but that it says whether it is kept", () => {
  const done = of({ kind: "run", run: reported(9) });
  for (const standing of [{ kind: "gone" }, { kind: "run", run: runOf(9, { state: "failed" }) }] as const) {
    assert.deepEqual(of(standing, done), done);
    const kept = of(standing, done, true);
    assert.match(kept.message ?? "", /kept beyond the retention/);
    assert.deepEqual({ ...kept, message: "", conditions: [] }, { ...done, message: "", conditions: [] });
  }
  const failed = of({ kind: "run", run: runOf(9, { state: "failed", trouble: "no space" }) });
  assert.equal(failed.message, "Job shop-backup-9 failed: no space");
  assert.deepEqual(of({ kind: "gone" }, failed), failed);
  const vanished = of({ kind: "gone" }, of(running));
  assert.deepEqual(of({ kind: "gone" }, vanished), vanished);
});

test("why the attempts of a Job fail is shown while it runs", () => {
  const run = { ...runOf(9), state: "running", finishedAt: undefined, trouble: "no member answers" } as const;
  assert.equal(of({ kind: "run", run }).message, "Job shop-backup-9 takes it: no member answers");
});

test("a transition has the time at which it was", () => {
  const done = of({ kind: "run", run: reported(9) }, of(running));
  const [ready, stalled] = done.conditions ?? [];
  assert.equal(ready?.lastTransitionTime, "2026-01-10T12:00:00Z");
  const later = backupStatusFor({ backup, standing: { kind: "gone" }, now: new Date("2027-01-01T00:00:00Z") }, done);
  assert.deepEqual(later.conditions, [ready, stalled]);
});

test("clocks that differ make no time negative", () => {
  const run = reported(9, 9, { finishedAt: "2026-01-09T02:00:00Z" });
  assert.equal(of({ kind: "run", run }).durationSeconds, 0);
});

test("sizes are for people", () => {
  assert.deepEqual([0, 512, 1536, 3 * 1024 ** 2, 1.5 * 1024 ** 4, 1024 ** 5].map(sizeTextOf), [
    ...["0 B", "512 B", "1.5 KiB", "3.0 MiB", "1.5 TiB", "1024.0 TiB"],
  ]);
});

test("one that a later backup found damaged is no backup any more, and stays so", () => {
  const done = of({ kind: "run", run: reported(9) });
  const damaged = backupStatusFor({ backup, standing: { kind: "gone" }, now, damaged: labelOf(9) }, done);
  assert.deepEqual([damaged.phase, damaged.label], ["Failed", labelOf(9)]);
  assert.match(damaged.message ?? "", /^it is damaged where it lies/);
  assert.equal(damaged.conditions?.[0]?.reason, "BackupDamaged");
  assert.deepEqual(of({ kind: "gone" }, damaged), damaged);
  const needing = backupStatusFor({ backup, standing: { kind: "gone" }, now, damaged: "F1" }, done);
  assert.match(needing.message ?? "", /^F1, which it needs, is damaged/);
});
