// What the opening of a window excuses the operator for, about a Database at rest, and what not.
import assert from "node:assert/strict";
import test from "node:test";
import { database, healthy } from "./healthy";
import { last, redIn, then } from "./planting";
import type { WatchedDatabase } from "./snapshot";

/** Long after the Database came to rest. */
const opens = last + 90_000;

/** What `quiet` says of a write so many milliseconds after a window opened that these versions of the Database tell of. */
const quietIn = (after: number, watched: readonly WatchedDatabase[]): readonly string[] => {
  const write = {
    ...{ at: opens + after, user: "operator", credential: "1", verb: "patch", resource: "statefulsets" },
    ...{ namespace: "production", name: "shop", subresource: "", code: 200, answer: "" },
  };
  return redIn({ ...healthy, watched, writes: [...(healthy.writes ?? []), write] })["quiet"] ?? [];
};
const waiting = then({ windowOpensAt: opens });
const laterSays = (windowOpensAt: number | undefined, at: number): readonly WatchedDatabase[] => [
  ...waiting,
  { at, deleted: false, first: false, database: { ...database, windowOpensAt } },
];
const loud = /^patch of statefulsets production\/shop, once, at rest/;

test("the change that waited for a window may be made once that has opened", () => {
  assert.deepEqual(quietIn(250, waiting), []);
  assert.deepEqual(quietIn(250, laterSays(undefined, opens + 600)), []);
});

test("a window excuses nothing before it opens, nor long after it has", () => {
  for (const after of [-1000, 11_000]) assert.match(quietIn(after, waiting).join(), loud);
});

test("a window excuses nothing once the change that waited for it has been replaced or withdrawn", () => {
  for (const instead of [undefined, opens + 60_000])
    assert.match(quietIn(250, laterSays(instead, opens - 5000)).join(), loud);
});
