import assert from "node:assert/strict";
import test from "node:test";
import { backupOf, backupsOf } from "../../../test/fakes/pgbackrest";
import type { Backup } from "./catalogue";
import { expiryOf } from "./retention";

function expired(labels: readonly string[], retention: number, kept: readonly string[] = []): unknown {
  const newest = labels.at(-1) ?? "";
  const found = expiryOf(backupsOf(...labels), { newest, retention, kept: new Set(kept) });
  return { ...found, oldest: found.oldest?.label };
}

test("what retention does not keep goes, but for a complete one that another one needs", () => {
  const all = ["F1", "F1_D2", "F1_D3", "F4", "F4_D5"];
  assert.deepEqual(expired(all, 5), { labels: [], fulls: 2, fullsWithWal: 2, oldest: "F1" });
  assert.deepEqual(expired(all, 3), { labels: ["F1_D2"], fulls: 2, fullsWithWal: 2, oldest: "F1" });
  assert.deepEqual(expired(all, 2), { labels: ["F1"], fulls: 1, fullsWithWal: 1, oldest: "F4" });
  assert.deepEqual(expired(all, 1), { labels: ["F1"], fulls: 1, fullsWithWal: 1, oldest: "F4" });
});

test("one that a person keeps stays with what it needs, and with the WAL that it needs itself", () => {
  const all = ["F1", "F1_D2", "F3", "F4", "F5"];
  assert.deepEqual(expired(all, 2, ["F1_D2"]), { labels: ["F3"], fulls: 3, fullsWithWal: 2, oldest: "F4" });
  assert.deepEqual(expired(all, 5, ["F1_D2"]), { labels: [], fulls: 4, fullsWithWal: 4, oldest: "F1" });
  assert.deepEqual(expired(["F1", "F3", "F4", "F5"], 2, ["F1"]), {
    ...{ labels: ["F3"], fulls: 3, fullsWithWal: 2, oldest: "F4" },
  });
});

test("nothing goes where it is not known what is kept", () => {
  assert.deepEqual(expiryOf(backupsOf("F1", "F2", "F3"), { newest: "F3", retention: 1, kept: undefined }).labels, []);
});

test("what is damaged does not count, and stays with its WAL until enough are whole and newer", () => {
  const damaged = [backupOf("F2", { isDamaged: true }), backupOf("F2_D3")];
  const expired = (all: readonly Backup[], retention: number): unknown => {
    const { oldest, ...rest } = expiryOf(all, { newest: all.at(-1)?.label ?? "", retention, kept: new Set() });
    return { ...rest, oldest: oldest?.label };
  };
  const all = [...backupsOf("F0", "F0_D1"), ...damaged, ...backupsOf("F4", "F5")];
  assert.deepEqual(expired(all, 4), { labels: [], fulls: 4, fullsWithWal: 4, oldest: "F0" });
  assert.deepEqual(expired(all, 3), { labels: [], fulls: 4, fullsWithWal: 4, oldest: "F0" });
  assert.deepEqual(expired(all, 2), { labels: ["F0", "F2"], fulls: 2, fullsWithWal: 2, oldest: "F4" });
  const replaced = [...damaged, ...backupsOf("F4", "F4_D5")];
  assert.deepEqual(expired(replaced, 3), { labels: [], fulls: 2, fullsWithWal: 2, oldest: "F2" });
  assert.deepEqual(expired(replaced, 2), { labels: ["F2"], fulls: 1, fullsWithWal: 1, oldest: "F4" });
});
