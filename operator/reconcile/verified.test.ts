import assert from "node:assert/strict";
import test from "node:test";
import { findings, type VerificationReport } from "../../contract/verification-report";
import { specOf } from "../../test/fakes/specs";
import type { Condition, DatabaseStatus } from "../api/status";
import type { JobRun } from "../domain/members";
import { lastVerified, verification } from "./verified";

const spec = specOf();
const label = "shop-20260101T020003Z";

const passed: VerificationReport = {
  ...{ verdict: "Passed", verified: label, startedAt: "2026-01-02T03:00:00Z", seconds: 30, recoverySeconds: 12 },
  message: "restored and read in full",
};
const drill = (day: number, some: Partial<VerificationReport> | undefined = {}, trouble?: string): JobRun => ({
  ...{ name: `shop-verify-${day}`, database: "shop", namespace: "team", component: "verification" },
  ...{ state: "succeeded", createdAt: `2026-01-0${day}T03:00:00Z`, finishedAt: `2026-01-0${day}T03:01:00Z` },
  verification: { ...passed, ...some },
  ...(trouble !== undefined && { trouble }),
});
const silent = (day: number, trouble?: string): JobRun => {
  const job: { -readonly [K in keyof JobRun]: JobRun[K] } = drill(day, {}, trouble);
  delete job.verification;
  return { ...job, state: "failed" };
};
const before = (status: Condition["status"], reason: string): Condition => ({
  ...{ type: "BackupVerified", status, reason, message: `of ${reason}`, lastTransitionTime: "2026-01-01T00:00:00Z" },
});
const said = (jobs: readonly JobRun[], former?: Condition): string => {
  const { status, reason } = verification(spec, jobs, former) ?? {};
  return `${status ?? ""} ${reason ?? ""}`;
};

test("nothing is said where there are no drills, and where there was none yet that nobody knows", () => {
  for (const some of [{ backup: { verify: { enabled: false } } }, { backup: { enabled: false } }])
    assert.equal(verification(specOf(some), [drill(2)], undefined), undefined);
  for (const some of [
    { engine: "mysql", version: "9.7" },
    { engine: "mongodb", version: "7.0" },
    { backup: { destination: { s3: { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" } } } } },
  ])
    assert.equal(verification(specOf(some), [drill(2)], undefined)?.reason, "BackupRestored");
  assert.equal(said([]), "Unknown NotYetVerified");
});

test("the last drill counts, and what it found is said in its words", () => {
  assert.equal(said([drill(2, { verdict: "Failed", finding: "QueryFailed" }), drill(3)]), "True BackupRestored");
  const failed = drill(4, { verdict: "Failed", finding: "QueryFailed", message: "query orders returned no row" });
  assert.equal(said([failed, drill(3)]), "False QueryFailed");
  assert.match(verification(spec, [failed], undefined)?.message ?? "", /^shop-2026.*query orders returned/);
});

test("every finding has a reason, and only those about the backup say that it is no good", () => {
  for (const finding of findings) {
    const isOfBackup = /Damaged|NotStarted|QueryFailed/.test(finding);
    const verdict = isOfBackup ? "Failed" : "NotTried";
    assert.equal(
      said([drill(2, { verdict, finding })]),
      isOfBackup ? `False ${finding}` : "Unknown VerificationNotPossible",
    );
  }
});

test("a drill that said nothing, such as one for which no node had room, is not held against the backup", () => {
  assert.equal(said([silent(2, "DeadlineExceeded: Unschedulable")]), "Unknown VerificationNotPossible");
  assert.equal(said([silent(3), drill(2)]), "Unknown VerificationNotPossible");
});

test("a backup that was found to be no good is not any better for a drill that could not take place", () => {
  assert.equal(said([silent(2)], before("False", "DataDamaged")), "False DataDamaged");
  assert.equal(said([drill(2)], before("False", "DataDamaged")), "True BackupRestored");
});

test("a backup that is no good keeps its cause, and the message says what the latest drill could not tell", () => {
  const first = verification(
    spec,
    [silent(2, "Evicted: the node was low on resource")],
    before("False", "DataDamaged"),
  );
  assert.match(first?.message ?? "", /^of DataDamaged; the latest drill could not tell: .*shop-verify-2.*Evicted/);
  const next = { ...before("False", "DataDamaged"), message: first?.message ?? "" };
  const second = verification(spec, [drill(3, { verdict: "NotTried", finding: "NoRoom", message: "no room" })], next);
  assert.match(second?.message ?? "", /^of DataDamaged; the latest drill could not tell: shop.*no room/);
  assert.doesNotMatch(second?.message ?? "", /Evicted/);
});

test("an image without the program is said to be one", () => {
  const { message } = verification(spec, [silent(2, "exit code 127")], undefined) ?? {};
  assert.match(message ?? "", /the image has no program for drills: /);
  const earlier = verification(spec, [silent(2, "exit code 1")], undefined)?.message ?? "";
  assert.match(earlier, /exit code 1; where its log says that there is no such program .*upgrade to one/);
  assert.doesNotMatch(verification(spec, [silent(2, "exit code 137")], undefined)?.message ?? "", /upgrade/);
});

test("what was said stays when the Job has gone, and while the next drill runs", () => {
  const running: JobRun = { ...silent(4), state: "running", finishedAt: undefined };
  for (const jobs of [[], [running]]) assert.equal(said(jobs, before("True", "BackupRestored")), "True BackupRestored");
});

test("the word of a pod that comes after its Job has succeeded is waited for", () => {
  const late: JobRun = { ...silent(4), state: "succeeded" };
  assert.equal(said([late], before("True", "BackupRestored")), "True BackupRestored");
});

test("the last backup that passed is kept, with its DatabaseBackup where that is known", () => {
  const lastBackup = { name: "shop-20260101t020000", label, completedAt: "2026-01-01T02:01:00Z" };
  const verified = lastVerified([drill(2)], { lastBackup });
  assert.deepEqual(verified, {
    ...{ name: "shop-20260101t020000", label, at: "2026-01-02T03:01:00Z", recoverySeconds: 12 },
  });
  const status: DatabaseStatus = { lastVerifiedBackup: verified };
  assert.deepEqual(lastVerified([], status), verified);
  assert.deepEqual(lastVerified([drill(3, { verdict: "Failed", finding: "BackupDamaged" })], status), verified);
  assert.deepEqual(lastVerified([drill(1)], status), verified, "an older Job does not take its place");
  assert.equal(lastVerified([drill(4, { verified: "shop-20260104T020003Z" })], status)?.name, undefined);
});
