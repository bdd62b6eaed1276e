import assert from "node:assert/strict";
import test from "node:test";
import type { Backup } from "./catalogue";
import { backupOf, backupsOf } from "../../../test/fakes/pgbackrest";
import { kindOf, sourceAmong, type Member, type Rhythm } from "./decide";
import { expiryOf } from "./retention";

const mib = 1024 ** 2;
const member = (name: string, some: Partial<Member> = {}): Member => ({
  ...{ name, isReplica: true, position: 1_000 * mib, cluster: "7", version: "17.12" },
  ...some,
});
const primary = member("db-0", { isReplica: false });
const chosen = (...replicas: readonly Member[]): string | undefined =>
  sourceAmong([...replicas, primary])?.replica?.name;

test("of the replicas that keep up the one that is least behind is read", () => {
  const near = member("db-2", { position: 999 * mib });
  assert.equal(chosen(member("db-1", { position: 950 * mib }), near), "db-2");
  assert.equal(chosen(member("db-2"), member("db-1")), "db-1");
});

test("no replica is read that lags, follows another history, or is of another cluster", () => {
  for (const unfit of [{ position: 900 * mib }, { position: 1_001 * mib }, { cluster: "8" }])
    assert.equal(chosen(member("db-1", unfit)), undefined, JSON.stringify(unfit));
});

test("without a primary, and with two, there is nobody to copy from", () => {
  assert.equal(sourceAmong([member("db-1")]), undefined);
  assert.equal(sourceAmong([primary, member("db-1", { isReplica: false })]), undefined);
  assert.deepEqual(sourceAmong([primary]), { primary, replica: undefined });
});

test("the first backup is complete, and then each of so many", () => {
  const retention = 7;
  assert.equal(kindOf([], { fullEvery: 7, retention }), "full");
  assert.equal(kindOf([backupOf("F1", { isDamaged: true })], { fullEvery: 7, retention }), "full");
  assert.equal(kindOf(backupsOf("F1", "F1_D2"), { fullEvery: 3, retention }), "diff");
  assert.equal(kindOf(backupsOf("F1", "F1_D2", "F1_D3"), { fullEvery: 3, retention }), "full");
  assert.equal(kindOf(backupsOf("F1", "F1_D2", "F1_D3", "F4"), { fullEvery: 3, retention }), "diff");
  assert.equal(kindOf(backupsOf("F1"), { fullEvery: 1, retention }), "full");
});

/** What becomes of so many backups, one after the other: the kind of each, and the most that there were at a time. */
function courseOf(count: number, { fullEvery, retention }: Rhythm): { kinds: string; most: number } {
  let backups: readonly Backup[] = [];
  let [kinds, most, base] = ["", 0, ""];
  for (let day = 1; day <= count; day++) {
    const isFull = kindOf(backups, { fullEvery, retention }) === "full";
    const stamp = String(day).padStart(3, "0");
    base = isFull ? `F${stamp}` : base;
    const newest = isFull ? base : `${base}_D${stamp}`;
    backups = [...backups, backupOf(newest)];
    const { labels } = expiryOf(backups, { newest, retention, kept: new Set() });
    // with a full one go those that need it
    backups = backups.filter(({ label, needs }) => ![label, ...needs].some((one) => labels.includes(one)));
    kinds += isFull ? "F" : "d";
    most = Math.max(most, backups.length);
  }
  return { kinds, most };
}

test("a complete one is taken again although retention has removed some since the last one", () => {
  assert.deepEqual(courseOf(15, { fullEvery: 7, retention: 7 }), { kinds: "FddddddFddddddF", most: 8 });
  assert.deepEqual(courseOf(9, { fullEvery: 7, retention: 3 }), { kinds: "FdddFdddF", most: 4 });
  assert.deepEqual(courseOf(5, { fullEvery: 7, retention: 1 }), { kinds: "FdFdF", most: 2 });
});
