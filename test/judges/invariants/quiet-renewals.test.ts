// What certificates that were due excuse the operator for, about a Database at rest, and what not.
import assert from "node:assert/strict";
import test from "node:test";
import { healthy } from "./healthy";
import { last, redIn } from "./planting";
import type { AuditedWrite } from "./snapshot";

/** Long after the Database came to rest. */
const now = last + 90_000;

/** Certificates of `shop` are issued again, so many milliseconds before. */
const issued = (before = 0, what: Partial<AuditedWrite> = {}): AuditedWrite => ({
  ...{ at: now - before, user: "operator", credential: "1", verb: "update", resource: "secrets", subresource: "" },
  ...{ namespace: "database-operator-system", name: "certificates.production.shop", code: 200, answer: "" },
  ...what,
});
const forMembers = issued(0, { namespace: "production", name: "shop-server-tls", verb: "patch" });

/** What `quiet` says of these writes. */
const quietIn = (...writes: readonly AuditedWrite[]): readonly string[] =>
  redIn({ ...healthy, writes: [...(healthy.writes ?? []), ...writes] })["quiet"] ?? [];

test("certificates that were due may be issued and published", () => {
  assert.deepEqual(quietIn(issued()), []);
  assert.deepEqual(quietIn(issued(1000), forMembers), []);
});

test("nothing else is published at rest: by no neighbor's certificates, and by none that were due long ago", () => {
  for (const cause of [issued(1000, { name: "certificates.production.till" }), issued(11_000)])
    assert.match(quietIn(cause, forMembers).join(), /^patch of secrets production\/shop-server-tls, once, at rest/);
});

test("certificates that are issued again and again are not due each time", () => {
  const loop = [14, 12, 10, 8, 6, 4, 2, 0].map((seconds) => issued(seconds * 1000));
  assert.match(quietIn(...loop).join(), /^update of secrets .*\/certificates\.production\.shop, 2 times, at rest/);
});
