import assert from "node:assert/strict";
import test from "node:test";
import { asked, labelOf, reported, runOf } from "../../test/fakes/backups";
import { databaseObject } from "../../test/fakes/ports";
import type { DatabaseBackup } from "../api/backups/object";
import { ObservedDatabase } from "../domain/observed-database";
import { changeOf, creationOf, deletionOf, type BackupSurroundings } from "./backup";
import { documentsIn } from "./documents";
import { exitCodeOf, type BackupPlan } from "./plan";
import { plain, render } from "./render";

const done = (name: string, sizeText: string, completedAt: string): DatabaseBackup => ({
  ...asked(name),
  status: { phase: "Succeeded", sizeText, completedAt, label: labelOf(1), location: "volume shop-backup" },
});

const ready: BackupSurroundings = {
  database: new ObservedDatabase(databaseObject()),
  runs: [reported(1)],
  hasCronJob: true,
  others: [done("a", "1.0 GiB", "2026-01-01T02:05:00Z"), done("b", "1.4 GiB", "2026-01-02T02:05:00Z")],
};
const saysOf = ({ consequences }: BackupPlan): string => consequences.map(({ message }) => message).join("; ");

test("what a new one does is said in words: the Job, the volume, and about how large it is", () => {
  const plan = creationOf(asked("before-migration", true), ready);
  assert.equal(
    render([plan], plain),
    `DatabaseBackup team/before-migration: new

  what it means
    - a Job is created at once from CronJob shop-backup; no member restarts
    - the backup lies on volume shop-backup and is about as large as the last one: 1.4 GiB
    - it is kept beyond the retention of its Database, which does not count it
`,
  );
  assert.match(saysOf(creationOf(asked("x"), { ...ready, others: [] })), /no earlier one says how large/);
  assert.equal(exitCodeOf([plan]), 1);
});

const waits: Record<string, readonly [Partial<BackupSurroundings>, RegExp]> = {
  "there is no Database": [{ database: undefined }, /it waits: there is no Database shop/],
  "another one is taken": [{ runs: [runOf(2, { state: "running" })] }, /it waits: .*Job shop-backup-2/],
  "there is no CronJob yet": [{ hasCronJob: false }, /it waits: .*no CronJob/],
};
for (const [what, [some, message]] of Object.entries(waits)) {
  test(`why a new one would wait is said where ${what}`, () => {
    assert.match(saysOf(creationOf(asked("x"), { ...ready, ...some })), message);
  });
}

test("a change of `keep` is shown, and none is none", () => {
  const [before, after] = [asked("x"), asked("x", true)];
  const plan = changeOf(before, after);
  assert.deepEqual(plan.asked, [{ path: "spec.keep", kind: "change", before: false, after: true }]);
  assert.match(saysOf(changeOf(after, before)), /the next backup removes it/);
  const none = changeOf(before, before);
  assert.deepEqual([exitCodeOf([plan]), exitCodeOf([none])], [1, 0]);
  assert.equal(render([none], plain), "DatabaseBackup team/x: nothing would change\n");
});

test("a deletion deletes no data", () => {
  const says = (status: DatabaseBackup["status"], keep = false): string =>
    saysOf(deletionOf({ ...asked("x", keep), status }));
  assert.match(
    says(done("a", "", "").status),
    /^no data is deleted: shop-20260101T020003Z stays on volume shop-backup$/,
  );
  assert.match(says(done("a", "", "").status, true), /no longer kept/);
  assert.match(says({ phase: "Running" }), /its Job goes on/);
  assert.match(says({}), /no backup is taken/);
});

test("one in a file is known, and a refusal names its kind", () => {
  const text = "apiVersion: example.com/v1\nkind: DatabaseBackup\nmetadata: {name: a}\n";
  assert.deepEqual(documentsIn(text), [{ kind: "backup", name: "a", text }]);
  const refused = render([{ kind: "rejected", database: "a", isBackup: true, message: "cannot be changed" }], plain);
  assert.match(refused, /^DatabaseBackup a: refused by the API server/);
});
