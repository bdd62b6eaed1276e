// What `spec.restore` may be, what may become of `spec.initFrom`, and what is said where it may not.

/** A place in object storage. */
export const bucket = { bucket: "backups", prefix: "prod/shop/orders", endpoint: "https://s3.example.com" };

/** A point in time, to the microsecond. */
export const moment = "2026-11-25T08:34:00.123456+01:00";

/** Of a smallest PostgreSQL: what it begins with, and how that is refused; accepted where nothing is said. */
export const beginnings: readonly (readonly [what: string, restore: unknown, says?: RegExp])[] = [
  ["of a Database", { from: { name: "orders" }, pointInTime: moment }],
  ["of a backup", { backup: { name: "before-migration" } }],
  ["of a bucket", { s3: { ...bucket, credentials: { name: "s3" }, cluster: "7712239138577085226" } }],
  ["of two of them", { from: { name: "orders" }, backup: { name: "a" } }, /must have one of from .* s3 and volume/],
  ["of a volume", { volume: { claim: { name: "orders-backup" }, label: "orders-20261121T020003Z" } }],
  ["of a volume at a moment", { volume: { claim: { name: "a" } }, pointInTime: moment }, /goes with from, or with s3/],
  ["of no backup of a volume", { volume: { claim: { name: "a" }, label: "../orders" } }, /name of a directory/],
  ["of none", { pointInTime: moment }, /must have one of from/],
  ["of a backup at a moment", { backup: { name: "a" }, pointInTime: moment }, /goes with from, or with s3/],
  ["of a certain one of a bucket", { s3: { ...bucket, credentials: { name: "s3" }, label: "20261121-020003F" } }],
  [
    "of that one at a moment",
    { s3: { ...bucket, credentials: { name: "s3" }, label: "20261121-020003F" }, pointInTime: moment },
    /goes with from, or with s3 without a label/,
  ],
  ["without an offset", { from: { name: "a" }, pointInTime: "2026-11-25T08:34:00" }, /with Z or an offset/],
  ["at no day", { from: { name: "a" }, pointInTime: "2026-02-30T08:34:00Z" }, /with Z or an offset/],
  ["without a prefix", { s3: { ...bucket, prefix: undefined, credentials: { name: "s3" } } }, /s3\.prefix/],
];

const initFrom = { host: "old-db", databases: ["shop"], credentials: { name: "old-db" } };
const itStays = "cannot be added or changed: create another Database with it";

/** What may become of an import. */
export const laterImports = {
  "an import added": { from: {}, to: { initFrom }, says: itStays },
  "an import from another server": {
    from: { initFrom },
    to: { initFrom: { ...initFrom, host: "older-db" } },
    says: itStays,
  },
  "an import that verifies no more": {
    from: { initFrom },
    to: { initFrom: { ...initFrom, tls: { mode: "Require" } } },
    says: itStays,
  },
  "an import removed": { from: { initFrom }, to: {} },
};
