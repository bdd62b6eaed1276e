import assert from "node:assert/strict";
import test from "node:test";
import { backupOf } from "../../../test/fakes/pgbackrest";
import type { ClusterBackups } from "../backup/catalogue";
import { choiceAmong, untilOf, type Wish } from "./choice";

/** When backups were complete, in seconds since 1970. */
const noon = Date.parse("2026-11-21T12:00:00Z") / 1_000;

/** A cluster with a backup per label, one an hour from noon on. */
function clusterOf(cluster: string, ...labels: readonly string[]): ClusterBackups {
  const backups = labels.map((label, index) => backupOf(label, { stoppedAt: noon + index * 3_600, size: 1024 ** 3 }));
  return { cluster, backups, majors: new Map(labels.map((label) => [label, "17"])), isUnreadable: false };
}

const one = clusterOf("77", "F1", "F1_D1", "F2");
const at = { serverMajor: "17", free: 2 * 1024 ** 3 };

const choose = (some: Partial<Wish> & { readonly until: Wish["until"] }, clusters = [one]): string[] => {
  const wish = { location: "s3://backups/prod/shop/orders", cluster: undefined, label: undefined, ...some };
  const { cluster, backup } = choiceAmong(clusters, wish, at);
  return [cluster, backup.label];
};

test("the newest backup is taken, or the one that is named, or the newest before a moment", () => {
  assert.deepEqual(choose({ until: untilOf("last") }), ["77", "F2"]);
  assert.deepEqual(choose({ until: untilOf("backup"), label: "F1" }), ["77", "F1"]);
  assert.deepEqual(choose({ until: untilOf("2026-11-21T13:59:59Z") }), ["77", "F1_D1"]);
  assert.deepEqual(choose({ until: untilOf("2026-11-21T15:30:00+02:00") }), ["77", "F1_D1"]);
});

test("a backup that ended in the very second of a moment is not before it: its end is known to the second", () => {
  assert.deepEqual(choose({ until: untilOf("2026-11-21T13:00:00.9Z") }), ["77", "F1"]);
  assert.deepEqual(choose({ until: untilOf("2026-11-21T13:00:01Z") }), ["77", "F1_D1"]);
});

for (const [some, problem] of [
  [
    { until: untilOf("2026-11-21T11:00:00Z") },
    /2026-11-21T11:00:00Z is before the first backup, .* at 2026-11-21T12:00:00Z/,
  ],
  [{ until: untilOf("2026-11-21T12:30:00Z"), label: "F2" }, /is before the first backup/],
  [{ until: untilOf("last"), label: "F0" }, /no backup F0 in s3:.* any more: retention/],
  [{ until: untilOf("last"), cluster: "78" }, /no backup of cluster 78 in s3:/],
] as const)
  test(`refused: ${problem.source}`, () => {
    assert.throws(() => choose(some), problem);
  });

test("of several clusters one must be named, and the message says which there are", () => {
  const clusters = [one, clusterOf("78", "F9")];
  assert.throws(
    () => choose({ until: untilOf("last") }, clusters),
    /several clusters .*: 77 \(the newest of 2026-11-21T14:00:00Z\), 78 \(/,
  );
  assert.deepEqual(choose({ until: untilOf("last"), cluster: "78" }, clusters), ["78", "F9"]);
  assert.throws(() => choose({ until: untilOf("last") }, []), /there is no backup in s3:/);
});

test("where those of a cluster do not fit the passphrase, it is told which do, and what to write", () => {
  const other: ClusterBackups = { ...clusterOf("78"), isUnreadable: true };
  assert.throws(
    () => choose({ until: untilOf("last") }, [one, other]),
    /several clusters .*: write which one as restore\.s3\.cluster: 77 \(.*\)\. Those of 78 do not fit .*restore\.s3\.encryption/,
  );
  assert.deepEqual(choose({ until: untilOf("last"), cluster: "77" }, [one, other]), ["77", "F2"]);
  assert.throws(
    () => choose({ until: untilOf("last") }, [other]),
    /cluster 78 in s3:\S+ do not fit .*restore\.s3\.enc/,
  );
});

test("files of another major version, and those that do not fit, are refused before any is copied", () => {
  const wish = { location: "s3://b/o", cluster: undefined, label: undefined, until: untilOf("last") };
  assert.throws(() => choiceAmong([one], wish, { ...at, serverMajor: "18" }), /F2 is of PostgreSQL 17, .* 18/);
  assert.throws(() => choiceAmong([one], wish, { ...at, free: 1024 ** 3 }), /F2 takes up 1024 MiB.*larger storage/);
});

test("a backup that was found damaged is passed over, and refused where it is named", () => {
  const backups = one.backups.map((backup) => ({ ...backup, isDamaged: backup.label === "F2" }));
  const damaged = [{ ...one, backups }];
  assert.deepEqual(choose({ until: untilOf("last") }, damaged), ["77", "F1_D1"]);
  assert.throws(() => choose({ until: untilOf("backup"), label: "F2" }, damaged), /F2 was found damaged/);
  const all = [{ ...one, backups: one.backups.map((backup) => ({ ...backup, isDamaged: true })) }];
  assert.throws(() => choose({ until: untilOf("last") }, all), /all backups in s3:\S+ were found damaged/);
});

test("where its files turn out damaged an older one may do, but for a backup that is asked for itself", () => {
  const older = (until: string, label?: string): string[] => {
    const backups = one.backups.map((backup) => ({ ...backup, isDamaged: backup.label === "F1_D1" }));
    const wish = { location: "s3://b/o", cluster: undefined, label, until: untilOf(until) };
    return choiceAmong([{ ...one, backups }], wish, at).older.map((backup) => backup.label);
  };
  assert.deepEqual([older("last"), older("backup", "F2")], [["F1"], []]);
  assert.deepEqual(older("2026-11-21T13:59:59Z"), []);
  // as the operator names the one that WAL is replayed onto
  assert.deepEqual(older("last", "F2"), ["F1"]);
});
