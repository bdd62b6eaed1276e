import assert from "node:assert/strict";
import test from "node:test";
import { parseBackup, type DatabaseBackup } from "../api/backups/object";
import type { BackupStatus } from "../api/backups/status";
import { restoreSourceOf, type RestoreSource } from "./restore-source";

/** The DatabaseBackup of this name, of Database `orders`. */
function backup(name: string, status: BackupStatus = {}, database = "orders"): DatabaseBackup {
  const metadata = { name, namespace: "shop", uid: `uid of ${name}`, resourceVersion: "1", generation: 1 };
  const found = parseBackup({ metadata, spec: { database }, status });
  assert.ok(found);
  return found;
}

const complete = (day: number, some: BackupStatus = {}): BackupStatus => ({
  ...{ phase: "Succeeded", label: `orders-2026010${day}T020000Z`, completedAt: `2026-01-0${day}T02:00:40Z` },
  ...{ engine: "postgresql", version: "17.11" },
  ...some,
});

const spec = { engine: "postgresql", version: "17.12" } as const;

const of = (name: string, ...backups: DatabaseBackup[]): RestoreSource =>
  restoreSourceOf({ backup: { name } }, spec, backups);

const messageOf = (source: RestoreSource): string => ("message" in source ? source.message : "found");

test("of a Database its newest complete backup is taken, whatever others there are", () => {
  const backups = [
    backup("b", complete(2)),
    backup("c", complete(3)),
    backup("a", complete(1)),
    backup("failed", { phase: "Failed", completedAt: "2026-01-05T02:00:00Z" }),
    backup("running", { phase: "Running" }),
    backup("of-another", complete(4), "catalog"),
  ];
  assert.deepEqual(restoreSourceOf({ from: { name: "orders" } }, spec, backups), {
    kind: "found",
    database: "orders",
    restore: { backup: "c", claim: "orders-backup", label: "orders-20260103T020000Z" },
  });
});

test("a certain one is taken by its name", () => {
  const found = of("a", backup("a", complete(1)), backup("b", complete(2)));
  assert.ok(found.kind === "found" && found.restore.label === "orders-20260101T020000Z");
});

test("what is not there yet is waited for, and what will never be is refused", () => {
  const kinds = (source: RestoreSource): string[] => [source.kind, messageOf(source)];
  assert.deepEqual(kinds(of("a")), ["awaited", "there is no DatabaseBackup a in this namespace; see kubectl get dbb"]);
  assert.deepEqual(kinds(of("a", backup("a", { phase: "Running" }))), [
    "awaited",
    "waiting for DatabaseBackup a, which is Running",
  ]);
  assert.deepEqual(kinds(of("a", backup("a"))), ["awaited", "waiting for DatabaseBackup a, which is Pending"]);
  assert.match(kinds(of("a", backup("a", { phase: "Failed" }))).join(), /^refused,DatabaseBackup a failed/);
  assert.match(kinds(of("a", backup("a", { phase: "Succeeded" }))).join(), /^refused,.*was not read/);
  const from = { from: { name: "orders" } };
  assert.deepEqual(kinds(restoreSourceOf(from, spec, [backup("a", { phase: "Running" })])), [
    "awaited",
    "waiting for the first backup of Database orders",
  ]);
  assert.match(kinds(restoreSourceOf(from, spec, [backup("a", { phase: "Failed" })])).join(), /no complete backup/);
});

for (const [status, version, message] of [
  [{ version: "15.18" }, "17.12", /is of PostgreSQL 15\.18, .* cannot read: write a version of 15/],
  [{ version: "17.13" }, "17.12", /newer than 17\.12: write 17\.13 or a later one of 17/],
  [{ engine: "mysql", version: "9.7.4" }, "17.12", /is of engine mysql/],
  [{ location: "s3://backups/prod/shop/orders" }, "17.12", /is in s3:\/\/.*reads backups on volumes/],
  [{ location: "volume orders-backup" }, "17.12", /^found$/],
  [{ version: "17.9" }, "17.12", /^found$/],
  [{ version: "17.12" }, "17.12", /^found$/],
  [{ version: undefined, engine: undefined }, "17.12", /^found$/],
] as const) {
  test(`a backup of ${JSON.stringify(status)} for ${version}: ${message.source}`, () => {
    const { version: of, engine, ...others } = complete(1, status);
    const known = { ...others, ...(of !== undefined && { version: of }), ...(engine !== undefined && { engine }) };
    const source = restoreSourceOf({ backup: { name: "a" } }, { engine: "postgresql", version }, [backup("a", known)]);
    assert.match(messageOf(source), message);
    assert.equal(source.kind, messageOf(source) === "found" ? "found" : "refused");
  });
}
