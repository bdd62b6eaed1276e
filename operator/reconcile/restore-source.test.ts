import assert from "node:assert/strict";
import test from "node:test";
import type { Restore } from "../api/restore";
import { parseBackup, type DatabaseBackup } from "../api/backups/object";
import type { BackupStatus } from "../api/backups/status";
import { restoreSourceOf, storedIn, type RestoreSource } from "./restore-source";

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
    restore: { backup: "c", claim: "orders-backup", label: "orders-20260103T020000Z" },
  });
});

test("of a volume that a person names the Job finds the newest, or the one that is asked for", () => {
  const on = (volume: NonNullable<Restore["volume"]>): RestoreSource => restoreSourceOf({ volume }, spec, []);
  const claim = { name: "copied" };
  assert.deepEqual(on({ claim }), { kind: "found", restore: { claim: "copied" } });
  const label = "orders-20260101T020000Z";
  assert.deepEqual(on({ claim, label }), { kind: "found", restore: { claim: "copied", label } });
});

test("a certain one is taken by its name", () => {
  const found = of("a", backup("a", complete(1)), backup("b", complete(2)));
  assert.ok(found.kind === "found" && "label" in found.restore);
  assert.equal(found.restore.label, "orders-20260101T020000Z");
});

test("one of MySQL is taken by the version that its Database names, whatever comes after that in its server's", () => {
  const copy = backup("a", complete(1, { engine: "mysql", version: "9.7.4" }));
  const kindFor = (version: string): string =>
    restoreSourceOf({ backup: { name: "a" } }, { engine: "mysql", version }, [copy]).kind;
  assert.deepEqual(["9.7", "9.8", "9.6", "8.4"].map(kindFor), ["found", "found", "refused", "refused"]);
});

test("one of MongoDB needs its release series, or a later one of the same major; FerretDB's says no version", () => {
  const kindsOf = (version?: string): string[] => {
    const dump = backup("a", { ...complete(1), engine: "mongodb", version });
    const kindFor = (wanted: string): string =>
      restoreSourceOf({ backup: { name: "a" } }, { engine: "mongodb", version: wanted }, [dump]).kind;
    return ["7.0", "7.1", "6.0", "8.0"].map(kindFor);
  };
  assert.deepEqual(kindsOf("7.0.42"), ["found", "found", "refused", "refused"]);
  assert.deepEqual(kindsOf(), ["found", "found", "found", "found"]);
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
  [{ version: "15.18" }, "17.12", /is of PostgreSQL 15\.18, .* does not take in: write a version of 15/],
  [{ version: "17.13" }, "17.12", /newer than 17\.12: write 17\.13 or a later one of 17/],
  [{ engine: "mysql", version: "9.7.4" }, "17.12", /is of engine mysql/],
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

const storage = {
  bucket: "backups",
  prefix: "prod/shop/orders",
  endpoint: "https://s3.example.com",
  credentials: "s3",
};

const stored = (day: number, some: BackupStatus = {}): BackupStatus =>
  complete(day, {
    ...{ label: `2026010${day}-020000F`, location: "s3://backups/prod/shop/orders", cluster: "77" },
    ...{ recoverableFrom: "2026-01-01T02:00:10Z", ...some },
  });

const days = [1, 2, 3].map((day) => backup(`day-${day}`, stored(day)));

/** What `from` takes up to a moment. */
const upTo = (pointInTime: string, backups = days): string[] => {
  const source = restoreSourceOf({ from: { name: "orders" }, pointInTime }, spec, backups);
  return source.kind === "stored" ? [source.backup.metadata.name, source.until] : [source.kind, messageOf(source)];
};

test("from object storage, of a Database all changes behind its newest backup are taken in, and of a certain one none", () => {
  const all = restoreSourceOf({ from: { name: "orders" } }, spec, days);
  assert.ok(all.kind === "stored");
  assert.deepEqual([all.backup.metadata.name, all.until], ["day-3", "last"]);
  const certain = of("day-2", ...days);
  assert.deepEqual(storedIn(storage, certain.kind === "stored" ? certain : all), {
    kind: "found",
    restore: {
      ...{ backup: "day-2", database: "orders" },
      stored: { storage, cluster: "77", label: "20260102-020000F", until: "backup" },
    },
  });
});

test("up to a moment the newest backup before it is taken, and up to one before the first none", () => {
  assert.deepEqual(upTo("2026-01-02T23:00:00Z"), ["day-2", "2026-01-02T23:00:00Z"]);
  assert.deepEqual(upTo("2026-01-03T01:00:00-02:00"), ["day-3", "2026-01-03T01:00:00-02:00"]);
  assert.deepEqual(upTo("2026-01-03T02:00:39.9Z"), ["day-2", "2026-01-03T02:00:39.9Z"]);
  // it was whole, and not verified yet
  assert.deepEqual(upTo("2026-01-01T02:00:20Z"), ["day-1", "2026-01-01T02:00:20Z"]);
  const [kind, message] = upTo("2026-01-01T02:00:00Z");
  assert.equal(kind, "refused");
  assert.match(message ?? "", /is before the first backup .* the earliest moment is 2026-01-01T02:00:10Z/);
  assert.match(upTo("2026-01-02T23:00:00Z", [backup("a", complete(1))]).join(), /^refused,.*that was not kept/);
});

test("up to a moment before which no WAL is kept any more none is taken, though a person keeps an older backup", () => {
  const newest = backup("day-3", stored(3, { recoverableFrom: "2026-01-02T02:00:10Z" }));
  const [first, second] = days;
  assert.ok(first && second);
  const backups = [{ ...first, spec: { ...first.spec, keep: true } }, second, newest];
  assert.match(
    upTo("2026-01-01T23:00:00Z", backups).join(),
    /^refused,2026-01-01T23:00:00Z is before .* the earliest moment is 2026-01-02T02:00:10Z/,
  );
  assert.deepEqual(upTo("2026-01-02T23:00:00Z", backups), ["day-2", "2026-01-02T23:00:00Z"]);
  // of a former cluster of the name nothing goes any more
  const later = [...days, backup("day-4", stored(4, { cluster: "78", recoverableFrom: "2026-01-04T02:00:10Z" }))];
  assert.deepEqual(upTo("2026-01-02T23:00:00Z", later), ["day-2", "2026-01-02T23:00:00Z"]);
});

test("up to a moment before a gap the backup before it is taken, though the newest leads no further back than to the gap's end", () => {
  const closing = backup("day-3", stored(3, { recoverableFrom: "2026-01-03T02:00:10Z" }));
  const [first, second] = days;
  assert.ok(first && second);
  assert.deepEqual(upTo("2026-01-02T23:00:00Z", [first, second, closing]), ["day-2", "2026-01-02T23:00:00Z"]);
  // behind one that a person keeps nothing may be left, and the one before it leads there as well
  const kept = { ...second, spec: { ...second.spec, keep: true } };
  assert.deepEqual(upTo("2026-01-02T23:00:00Z", [first, kept, closing]), ["day-1", "2026-01-02T23:00:00Z"]);
});

test("where its object storage is not known any more, or another one, that is said before a volume is made", () => {
  const found = of("day-1", ...days);
  assert.ok(found.kind === "stored");
  assert.match(messageOf(storedIn(undefined, found)), /says nothing of object storage: write spec\.restore\.s3/);
  assert.match(
    messageOf(storedIn({ ...storage, bucket: "others" }, found)),
    /is about s3:\/\/others\/prod\/shop\/orders now/,
  );
});

test("of a bucket nothing is asked but what the spec says", () => {
  const { credentials: name, ...place } = storage;
  const s3 = { ...place, pathStyle: true, credentials: { name }, cluster: "77" };
  assert.deepEqual(restoreSourceOf({ s3, pointInTime: "2026-01-02T23:00:00Z" }, spec, []), {
    kind: "found",
    restore: { stored: { storage: { ...storage, pathStyle: true }, cluster: "77", until: "2026-01-02T23:00:00Z" } },
  });
});

test("of a bucket a certain backup is taken as it is", () => {
  const { credentials: name, ...place } = storage;
  const label = "20260102-020000F";
  assert.deepEqual(restoreSourceOf({ s3: { ...place, pathStyle: true, credentials: { name }, label } }, spec, []), {
    kind: "found",
    restore: { stored: { storage: { ...storage, pathStyle: true }, label, until: "backup" } },
  });
});

test("MySQL: of object storage a restore takes a backup as it is, and no moment after it", () => {
  const mysql = { engine: "mysql", version: "9.7" } as const;
  const location = "s3://backups/prod/shop/orders";
  const stored = { engine: "mysql", version: "9.7.4", location, cluster: "g" };
  const backups = [backup("a", complete(1, stored)), backup("b", complete(2, stored))];
  const newest = restoreSourceOf({ from: { name: "orders" } }, mysql, backups);
  assert.ok(newest.kind === "stored");
  assert.deepEqual([newest.backup.metadata.name, newest.until], ["b", "backup"]);
  const moment = { from: { name: "orders" }, pointInTime: "2026-01-02T12:00:00Z" };
  assert.match(messageOf(restoreSourceOf(moment, mysql, backups)), /that was not kept/);
  const { credentials: name, ...place } = storage;
  const bucket = restoreSourceOf({ s3: { ...place, pathStyle: true, credentials: { name } } }, mysql, []);
  assert.ok(bucket.kind === "found" && "stored" in bucket.restore);
  assert.equal(bucket.restore.stored.until, "backup");
});

test("MySQL: where changes are kept on the volume, they are taken in, up to the moment or to the last", () => {
  const mysql = { engine: "mysql", version: "9.7" } as const;
  const location = "volume orders-backup";
  const kept = { engine: "mysql", version: "9.7.4", location, cluster: "g", recoverableFrom: "2026-01-02T02:00:10Z" };
  const before = complete(1, { engine: "mysql", version: "9.7.4", location, cluster: "g" });
  const backups = [backup("a", before), backup("b", complete(2, kept)), backup("c", complete(3, kept))];
  const until = (wish: Parameters<typeof restoreSourceOf>[0]): unknown => {
    const found = restoreSourceOf(wish, mysql, backups);
    assert.ok(found.kind === "found" && !("stored" in found.restore), messageOf(found));
    return [found.restore.backup, found.restore.until];
  };
  assert.deepEqual(until({ from: { name: "orders" } }), ["c", "last"]);
  assert.deepEqual(until({ backup: { name: "c" } }), ["c", undefined]);
  const between = "2026-01-02T12:00:00Z";
  assert.deepEqual(until({ from: { name: "orders" }, pointInTime: between }), ["b", between]);
  const early = { from: { name: "orders" }, pointInTime: "2026-01-01T12:00:00Z" };
  assert.match(messageOf(restoreSourceOf(early, mysql, backups)), /the earliest moment is 2026-01-02T02:00:10Z/);
  assert.match(messageOf(restoreSourceOf(early, mysql, backups.slice(0, 1))), /that was not kept/);
});
