import assert from "node:assert/strict";
import test from "node:test";
import type { Sighting } from "./pod-history";
import { seenBetween } from "./seen";

const usual = {
  database: "team/shop",
  role: "replica",
  isScheduled: true,
  isReady: true,
  isEnding: false,
  isGone: false,
};
const seen = (at: number, name: string, uid: string, state: Partial<Sighting> = {}): Sighting => ({
  ...{ ...usual, at, name, uid, ...state },
});

test("each member has a line of what changed of its pods, and when", () => {
  const sightings = [
    seen(1000, "shop-0", "aaaabbbb"),
    seen(2500, "shop-1", "ccccdddd"),
    seen(2600, "shop-1", "ccccdddd"),
    seen(3000, "shop-1", "ccccdddd", { isReady: false, isEnding: true }),
    seen(3100, "shop-1", "ccccdddd", { isGone: true }),
    seen(3200, "shop-1", "eeeeffff", { isScheduled: false, isReady: false, role: "" }),
    seen(3300, "shop-0", "aaaabbbb", { role: "primary" }),
    seen(9000, "shop-0", "aaaabbbb"),
  ];
  assert.deepEqual(seenBetween(sightings, { from: 2000, to: 4000 }), [
    "shop-0: 1.3 s aaaa primary ready",
    "shop-1: 0.5 s cccc replica ready; 1.0 s cccc replica ending; 1.1 s cccc gone; 1.2 s eeee without a node",
  ]);
});
