// What the end of a drill says of the backup, and that nothing of the data is in it.
import assert from "node:assert/strict";
import test from "node:test";
import { findings, queryLimits, type QueryAnswer } from "../../contract/verification-report";
import {
  answerOf,
  crowdingOf,
  DrillEnd,
  endOf,
  endOfQueries,
  findingOf,
  fullBytes,
  reportOf,
  type Answered,
  type Progress,
} from "./decide";

const label = "orders-20261121T020003Z";
const progress: Progress = { stage: "", label, recoverySeconds: 12, answers: [], omitted: [] };
const times = { startedAt: new Date("2026-11-22T03:00:00.400Z"), now: new Date("2026-11-22T03:00:30.400Z") };

test("a drill that passed says how long a restore takes, and what was not looked at", () => {
  const omitted = ["indexes were not checked"];
  assert.deepEqual(reportOf({ ...progress, omitted }, undefined, times), {
    ...{ verdict: "Passed", verified: label, startedAt: "2026-11-22T03:00:00Z", recoverySeconds: 12, seconds: 30 },
    message: "restored and read in full; indexes were not checked",
  });
});

test("want of room, time or a backup says nothing of the backup; damage and a query do", () => {
  const verdicts = findings.map((finding) => [finding, reportOf(progress, new DrillEnd(finding, "x"), times).verdict]);
  assert.deepEqual(
    verdicts.filter(([, verdict]) => verdict === "Failed").map(([finding]) => finding),
    ["BackupDamaged", "ArchiveDamaged", "RestoreNotStarted", "DataDamaged", "QueryFailed"],
  );
  assert.ok(verdicts.every(([, verdict]) => verdict !== "Passed"));
});

test("what failed on a volume that is full failed for want of room", () => {
  const error = new Error("cp failed: No space left on device");
  assert.equal(endOf(error, "BackupDamaged", fullBytes - 1).finding, "NoRoom");
  assert.equal(endOf(error, "BackupDamaged", fullBytes).finding, "BackupDamaged");
  assert.equal(endOf(new DrillEnd("OutOfTime", "x"), "BackupDamaged", 0).finding, "OutOfTime");
  for (const finding of ["DataDamaged", "ArchiveDamaged", "Interrupted"] as const)
    assert.equal(endOf(new DrillEnd(finding, "x"), "Interrupted", 0).finding, "NoRoom");
});

test("a server that takes in nothing with less room than it wants has shown nothing; what it has counts", () => {
  const wanted = 640 * 1024 ** 2;
  const error = new Error("mongorestore failed (1)");
  const end = endOf(error, "RestoreNotStarted", wanted - 1, wanted);
  assert.equal(end.finding, "NoRoom");
  assert.match(end.message, /^the volume of the drill has 640 MiB left: write a larger storage \(mongorestore/);
  assert.equal(endOf(error, "RestoreNotStarted", wanted, wanted).finding, "RestoreNotStarted");
  assert.equal(endOf(error, "DataDamaged", wanted - 1, wanted).finding, "DataDamaged");
  assert.equal(endOf(new DrillEnd("DataDamaged", "x"), "RestoreNotStarted", wanted - 1, wanted).finding, "DataDamaged");
});

test("a drill leaves a fifth of a file system free that others use, and fills a volume of its own", () => {
  const gibibyte = 1024 ** 3;
  const filling = (bytes: number, free: number, total: number, asked?: number): string | undefined =>
    crowdingOf({
      bytes: bytes * gibibyte,
      free: free * gibibyte,
      total: total * gibibyte,
      asked: asked && asked * gibibyte,
    });
  assert.match(filling(8, 25, 100, 10) ?? "", /would leave 17 % of it free/);
  assert.equal(filling(5, 25, 100, 10), undefined);
  assert.equal(filling(8, 9, 10, 10), undefined);
  assert.equal(filling(8, 12, 12, 10), undefined);
  assert.equal(filling(8, 25, 100), undefined);
});

test("of an error of the server its SQLSTATE is told, as its text may quote data", () => {
  for (const own of [
    { code: "23505", severity: "ERROR" },
    { code: "ER_DUP_ENTRY", errno: 1062, sqlState: "23505" },
  ]) {
    const { message } = endOf(Object.assign(new Error("duplicate key (card)=(4111)"), own), "Interrupted", fullBytes);
    assert.match(message, /SQLSTATE 23505/);
    assert.doesNotMatch(message, /4111/);
  }
});

const found = { label, labels: [label], misfit: undefined };
for (const [some, finding] of [
  [{ labels: [] }, "NoBackup"],
  [{ misfit: "damage" }, "BackupDamaged"],
  [{ misfit: "version" }, "VersionMismatch"],
  [{}, "NoRoom"],
] as const) {
  test(`a backup with ${JSON.stringify(some)} cannot be restored: ${finding}`, () => {
    assert.equal(findingOf({ ...found, ...some }), finding);
  });
}

for (const [expect, row, answer] of [
  ["3", ["3"], "AsExpected"],
  ["3", ["4"], "Unexpected"],
  ["", [null], "Unexpected"],
  ["3", undefined, "Unexpected"],
  [undefined, undefined, "Unexpected"],
  [undefined, [null], "AsExpected"],
] as const) {
  test(`a query with ${JSON.stringify({ expect, row })} is ${answer}`, () => {
    assert.equal(answerOf({ name: "orders", sql: "", expect }, row).answer, answer);
  });
}

test("a query that does not hold is named, and what it returned is in no report", () => {
  const answers: readonly Answered[] = [
    answerOf({ name: "first", sql: "", expect: "1" }, ["1"]),
    answerOf({ name: "second", sql: "", expect: "1" }, ["4111111111111111"]),
    answerOf({ name: "third", sql: "" }, undefined),
  ];
  const report = reportOf({ ...progress, answers }, endOfQueries(answers), times);
  assert.deepEqual([report.verdict, report.finding], ["Failed", "QueryFailed"]);
  assert.equal(report.message, "query second did not return what it is to; query third returned no row");
  assert.ok(!JSON.stringify(report).includes("4111"));
  assert.equal(endOfQueries(answers.slice(0, 1)), undefined);
});

test("a report fits into a termination message, whatever was found", () => {
  const answer: QueryAnswer = "Unexpected";
  const answers = Array.from({ length: queryLimits.most }, (_, index) => ({
    name: `${"n".repeat(queryLimits.name - 2)}${String(index).padStart(2, "0")}`,
    answer,
    why: "failed",
  }));
  const end = new DrillEnd("DataDamaged", "\u6c38".repeat(3000));
  const text = JSON.stringify(
    reportOf({ ...progress, label: `${"d".repeat(45)}-20261121T020003Z`, answers }, end, times),
  );
  assert.ok(Buffer.byteLength(text) < 4096, String(Buffer.byteLength(text)));
});
