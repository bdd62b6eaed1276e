import assert from "node:assert/strict";
import test from "node:test";
import { specOf } from "../../test/fakes/specs";
import type { Condition } from "../api/status";
import type { JobRun, Member } from "../domain/members";
import { archiving, gapToldIn } from "./archive";

const s3 = { bucket: "backups", endpoint: "https://s3", pathStyle: false, credentials: { name: "s3" } };

const spec = specOf({ backup: { destination: { s3 } } });

const member = (archive?: Member["archive"], role: Member["role"] = "primary"): Member => ({
  ...{ name: "shop-0", database: "shop", namespace: "team", uid: "u", revision: "1", ready: true, role },
  ...{ streaming: true, problem: undefined, failure: undefined, served: true, terminating: false },
  ...(archive && { archive }),
});
const job = (createdAt: string): JobRun => ({
  ...{ name: "shop-backup-1", database: "shop", namespace: "team", component: "backup", state: "succeeded" },
  ...{ finishedAt: createdAt, createdAt },
});
const condition = (reason: string, lastTransitionTime: string, status: "True" | "False" = "False"): Condition => ({
  ...{ type: "ArchiveReady", status, reason, message: `of ${reason}`, lastTransitionTime },
});
const now = new Date("2026-01-02T12:00:00.400Z");
const [t1, t2, t3] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"];

const said = (
  archive: Member["archive"] | undefined,
  before?: Condition,
  jobs: readonly JobRun[] = [],
): string | undefined => archiving(spec, { members: [member(archive)], jobs, now }, before)?.reason;

test("without object storage there is no archive to speak of", () => {
  for (const backup of [{}, { enabled: false, destination: { s3 } }])
    assert.equal(
      archiving(specOf({ backup }), { members: [member({ state: "Arriving" })], jobs: [], now }, undefined),
      undefined,
    );
});

test("the primary says how the archive fares, and what it said last stays while there is none", () => {
  assert.equal(said({ state: "Arriving" }), "ArchiveArriving");
  const waiting = archiving(
    spec,
    { members: [member({ state: "Waiting", message: "403" })], jobs: [], now },
    undefined,
  );
  assert.deepEqual([waiting?.status, waiting?.reason], ["False", "ArchiveWaiting"]);
  assert.match(waiting?.message ?? "", /: 403$/);
  assert.equal(said(undefined), "ArchivePending");
  assert.equal(said(undefined, condition("ArchiveArriving", t1, "True")), "ArchiveArriving");
  assert.equal(
    archiving(spec, { members: [member({ state: "Waiting" }, "replica")], jobs: [], now }, undefined)?.reason,
    "ArchivePending",
  );
});

test("a gap stays open until a backup was begun after it, under any primary, and then stays closed", () => {
  const gap = { segment: "0000000100000000000000A0", at: t2 };
  const before = condition("ArchiveArriving", t1, "True");
  assert.equal(said({ state: "Arriving", gap }, before), "ArchiveGap");
  assert.equal(said({ state: "Arriving", gap }, before, [job(t1)]), "ArchiveGap");
  assert.equal(said({ state: "Arriving" }, condition("ArchiveGap", t2)), "ArchiveGap");
  assert.equal(said({ state: "Arriving" }, condition("ArchiveGap", t2), [job(t3)]), "ArchiveArriving");
  assert.equal(said({ state: "Waiting", gap }, condition("ArchiveGap", t2), [job(t3)]), "ArchiveWaiting");
  assert.equal(said({ state: "Arriving", gap }, condition("ArchiveArriving", t3, "True")), "ArchiveArriving");
});

test("a gap has its own time, however long WAL had waited before", () => {
  const gap = { segment: "0000000100000000000000A0", at: t2 };
  const { message = "" } =
    archiving(spec, { members: [member({ state: "Waiting", gap })], jobs: [], now }, undefined) ?? {};
  const before = { ...condition("ArchiveGap", t1), message };
  assert.equal(said({ state: "Arriving" }, before, [job(t1)]), "ArchiveGap");
  assert.equal(said({ state: "Arriving" }, before, [job("2026-01-01T12:00:00Z")]), "ArchiveGap");
  assert.equal(said({ state: "Arriving" }, before, [job(t3)]), "ArchiveArriving");
  assert.deepEqual(gapToldIn(before), { ...gap, message });
});

test("what waited on a former primary may be lost: another one does not hide it", () => {
  const at = (members: readonly Member[], before?: Condition, jobs: readonly JobRun[] = []): Condition => {
    const verdict = archiving(spec, { members, jobs, now }, before);
    assert.ok(verdict);
    return { ...condition("", t1), ...verdict };
  };
  const other = (state: "Arriving" | "Waiting"): Member => ({ ...member({ state }), name: "shop-1" });
  const waiting = at([member({ state: "Waiting", message: "403" })]);
  assert.equal(at([], waiting).reason, "ArchiveWaiting");
  assert.equal(at([member({ state: "Arriving" })], waiting).reason, "ArchiveArriving");
  for (const state of ["Arriving", "Waiting"] as const) {
    const stranded = at([other(state)], waiting);
    assert.equal(stranded.reason, "ArchiveGap");
    assert.match(stranded.message, /^WAL waited on the data volume of shop-0 when shop-1 .* at 2026-01-02T12:00:00Z/);
    assert.equal(at([other("Arriving")], stranded, [job(t2)]).reason, "ArchiveGap");
    assert.equal(at([other("Arriving")], stranded, [job(t3)]).reason, "ArchiveArriving");
  }
});

test("on a backup volume: what the primary says, a gap until it says none", () => {
  const mysql = specOf({ engine: "mysql", version: "9.7", backup: { pointInTime: { enabled: true } } });
  const gap = { segment: "aaaaaaaa-0000-4000-8000-aaaaaaaaaaaa:9", at: t2 };
  const saidOf = (archive: Member["archive"], before?: Condition, ...jobs: JobRun[]): string => {
    const verdict = archiving(mysql, { members: [member(archive)], jobs, now }, before);
    return `${verdict?.reason ?? "nothing"}: ${verdict?.message ?? ""}`;
  };
  assert.match(saidOf(undefined), /^ArchivePending/);
  assert.match(saidOf({ state: "Arriving" }), /^ArchiveArriving/);
  assert.match(saidOf({ state: "Waiting", message: "full" }), /^ArchiveWaiting: .*on the backup volume: full$/);
  const open = saidOf({ state: "Arriving", gap });
  assert.match(open, /^ArchiveGap: transactions aaaaaaaa-0000-4000-8000-aaaaaaaaaaaa:9 were gone/);
  const before = { ...condition("ArchiveGap", t2), message: open.replace("ArchiveGap: ", "") };
  assert.deepEqual(gapToldIn(before)?.segment, gap.segment);
  assert.match(
    saidOf({ state: "Waiting", message: "not heard of" }, before),
    /^ArchiveGap/,
    "it is not closed by silence",
  );
  assert.match(
    saidOf({ state: "Arriving" }, before),
    /^ArchiveArriving/,
    "a backup has it: the next primary knows as well",
  );
  assert.match(
    saidOf({ state: "Arriving", gap }, before, job(t3)),
    /^ArchiveGap/,
    "a backup that has it not is not the one that closes it",
  );
});
