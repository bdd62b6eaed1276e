import assert from "node:assert/strict";
import test from "node:test";
import { DatabaseSpec } from "./spec";

const s3 = { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" } };
const fromS3 = { ...s3, prefix: "prod/shop/orders" };
const group = "7d6f4c1e-0000-4000-8000-000000000001";
const pointInTime = "2026-11-25T08:34:00Z";

/** What is wrong with a spec of MySQL. */
function problemsOf(changes: Record<string, unknown>): readonly string[] {
  const parsed = DatabaseSpec.safeParse({ engine: "mysql", version: "9.7", ...changes });
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

for (const [what, changes] of [
  ["backups in object storage", { backup: { destination: { s3 } } }],
  ["encrypted ones", { backup: { destination: { s3 }, encryption: { secret: { name: "passphrase" } } } }],
  ["the backups of a bucket", { restore: { s3: fromS3 } }],
  ["those of one group of several", { restore: { s3: { ...fromS3, cluster: group } } }],
  ["a certain one of them", { restore: { s3: { ...fromS3, label: "orders-20261121T020003Z" } } }],
] as const)
  test(`MySQL may have ${what}`, () => {
    assert.deepEqual(problemsOf(changes), []);
  });

for (const [what, changes, problem] of [
  [
    "differences",
    { backup: { destination: { s3 }, fullEvery: 7 } },
    /^backup\.fullEvery: is for PostgreSQL, .*: leave/,
  ],
  [
    "changes between backups",
    { backup: { destination: { s3 }, pointInTime: { enabled: true } } },
    /^backup\.pointInTime: in object storage changes are kept of PostgreSQL alone: leave/,
  ],
  [
    "moment between them",
    { restore: { s3: fromS3, pointInTime } },
    /^restore\.pointInTime: with s3, pointInTime is for PostgreSQL: .*; leave/,
  ],
  [
    "label that is none",
    { restore: { s3: { ...fromS3, label: "orders" } } },
    /^restore\.s3\.label: must be what DatabaseBackups have in status\.label/,
  ],
  [
    "cluster that is none",
    { restore: { s3: { ...fromS3, cluster: "orders" } } },
    /^restore\.s3\.cluster: must be what/,
  ],
] as const)
  test(`MySQL has no ${what} in object storage`, () => {
    assert.match(problemsOf(changes).join("\n"), problem);
  });

test("a moment says itself which backup is taken: with a label it is refused", () => {
  const s3 = { ...fromS3, label: "20261121-020003F_20261122-020003D" };
  const parsed = DatabaseSpec.safeParse({ engine: "postgresql", version: "17.6", restore: { s3, pointInTime } });
  assert.match(parsed.error?.message ?? "", /goes with from, or with s3 without a label/);
  assert.ok(DatabaseSpec.safeParse({ engine: "postgresql", version: "17.6", restore: { s3 } }).success);
});
