import assert from "node:assert/strict";
import test from "node:test";
import type { Backup } from "./catalogue";
import { kindOf, sourceAmong, type Member } from "./decide";

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

/** `F1`, and those that need it: `F1_D2`. */
const backup = (label: string, stoppedAt = 0): Backup => {
  const [full = ""] = label.split("_");
  const isFull = full === label;
  const needs = isFull ? [] : [full];
  return { label, isFull, needs, stoppedAt, size: 1, storedSize: 1, firstSegment: undefined };
};
const of = (...labels: readonly string[]): Backup[] => labels.map((label) => backup(label));

test("the first backup is complete, and then each of so many", () => {
  assert.equal(kindOf([], 7), "full");
  assert.equal(kindOf(of("F1", "F1_D2"), 3), "diff");
  assert.equal(kindOf(of("F1", "F1_D2", "F1_D3"), 3), "full");
  assert.equal(kindOf(of("F1", "F1_D2", "F1_D3", "F4"), 3), "diff");
  assert.equal(kindOf(of("F1"), 1), "full");
});
