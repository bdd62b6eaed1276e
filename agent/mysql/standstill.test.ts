import assert from "node:assert/strict";
import test from "node:test";
import type { ServerView } from "./observation";
import { Standstill } from "./standstill";

const look = (transactions: string, committing = true): ServerView => ({
  kind: "up",
  fresh: false,
  membership: { state: "ONLINE", quorum: true, members: [] },
  transactions,
  committing,
  offline: false,
});

const lastOf = (looks: readonly ServerView[]): number | undefined => {
  const standstill = new Standstill();
  return looks.map((view, second) => standstill.note(view, second * 1_000)).at(-1);
};

test("commits that wait while none comes through stand still, from the first look that showed it", () => {
  assert.equal(lastOf([look("u:1", false), look("u:1"), look("u:1"), look("u:1")]), 2_000);
});

test("commits that wait while others come through do not", () => {
  assert.equal(lastOf([look("u:1"), look("u:1-2"), look("u:1-3")]), 0);
});

test("an empty server that hangs stands still until it answers, or has ended", () => {
  const hangs: ServerView = { kind: "down", hangsEmpty: true };
  assert.equal(lastOf([hangs, hangs, hangs]), 2_000);
  assert.equal(lastOf([hangs, { kind: "down" }, hangs]), 0);
  assert.equal(lastOf([hangs, look("u:1"), hangs]), 0);
});

test("a moment without one that waits, or without an answer, ends it", () => {
  assert.equal(lastOf([look("u:1"), look("u:1"), look("u:1", false), look("u:1")]), 0);
  assert.equal(lastOf([look("u:1"), look("u:1"), { kind: "down" }, look("u:1")]), 0);
});
