import assert from "node:assert/strict";
import test from "node:test";
import { electionOf } from "./election";
import type { Sighting } from "./pod-history";

const pod = (name: string, state: Partial<Sighting> = {}): Sighting => ({
  ...{ at: 0, database: "team/shop", name, uid: name, role: "replica", isScheduled: true, isReady: true },
  ...{ isEnding: false, isGone: false },
  ...state,
});

const outcome = (pods: readonly Sighting[], primary?: string): unknown => {
  const { primary: next, changes } = electionOf(pods, primary);
  return [next, ...changes.map(({ pod: { name }, role }) => `${name} ${role}`)];
};

test("the primary stays primary, whatever else is labelled", () => {
  const pods = [pod("shop-0", { role: "primary" }), pod("shop-1", { role: "primary" }), pod("shop-2")];
  assert.deepEqual(outcome(pods, "shop-1"), ["shop-1", "shop-0 replica"]);
});

test("another member takes over from one that goes, and none where none could", () => {
  const pods = [pod("shop-0", { role: "primary", isEnding: true }), pod("shop-1"), pod("shop-2", { isReady: false })];
  assert.deepEqual(outcome(pods, "shop-0"), ["shop-1", "shop-0 replica", "shop-1 primary"]);
  assert.deepEqual(outcome([pod("shop-0", { isReady: false, role: "" })], "shop-0"), [undefined]);
});
