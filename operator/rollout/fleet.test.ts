import assert from "node:assert/strict";
import test from "node:test";
import type { Reach } from "../domain/ports";
import { FleetMemory } from "./fleet";

/** A fleet, and the Databases that it woke, in their order. */
function fleetOf(atOnce = 2): { fleet: FleetMemory; woken: string[] } {
  const woken: string[] = [];
  return { fleet: new FleetMemory({ atOnce, wake: (key) => woken.push(key) }), woken };
}

/** Begins where it may. */
const begin = (fleet: FleetMemory, key: string, members = 3, reach: Reach = "all"): string | undefined =>
  fleet.ask(key, { members, reach });

test("one Database goes first, and the others once it is done, as many at a time as may be", () => {
  const { fleet, woken } = fleetOf(2);
  assert.equal(begin(fleet, "a/one"), undefined);
  for (const key of ["a/two", "a/three", "a/four"]) assert.equal(begin(fleet, key), "a/one goes first");
  fleet.done("a/one");
  assert.deepEqual(woken, ["a/two", "a/three"]);
  assert.equal(begin(fleet, "a/two"), undefined);
  assert.equal(begin(fleet, "a/three"), undefined);
  assert.match(begin(fleet, "a/four") ?? "", /^2 other Databases are being restarted/);
  fleet.done("a/two");
  assert.equal(begin(fleet, "a/four"), undefined);
});

test("a Database that has begun asks again without blocking itself", () => {
  const { fleet } = fleetOf(1);
  assert.equal(begin(fleet, "a/one"), undefined);
  assert.equal(begin(fleet, "a/one"), undefined);
});

test("two that were taken for begun, and ask, do not wait for each other", () => {
  const { fleet, woken } = fleetOf(1);
  for (const key of ["a/one", "a/two"]) fleet.note(key, { kind: "restarting" }, "all");
  assert.equal(begin(fleet, "a/one"), "a/two goes first");
  assert.equal(begin(fleet, "a/two"), undefined);
  assert.equal(begin(fleet, "a/one"), "a/two goes first");
  fleet.done("a/two");
  assert.deepEqual(woken, ["a/one"]);
  assert.equal(begin(fleet, "a/one"), undefined);
});

test("once one does not come back no other begins, and all continue by themselves when it does", () => {
  const { fleet, woken } = fleetOf(3);
  begin(fleet, "a/one");
  begin(fleet, "a/two");
  fleet.done("a/one");
  begin(fleet, "a/two");
  woken.length = 0;
  fleet.note("a/two", { kind: "stopped", why: "image cannot be pulled" }, "all");
  assert.equal(begin(fleet, "a/three"), "a/two does not complete (image cannot be pulled)");
  fleet.note("a/two", { kind: "restarting" }, "all");
  assert.deepEqual(woken, ["a/three"]);
  assert.equal(begin(fleet, "a/three"), undefined);
});

test("a Database with several members goes before one with a single member, which has no stand-in", () => {
  const { fleet } = fleetOf(3);
  begin(fleet, "a/first");
  assert.equal(begin(fleet, "a/single", 1), "a/first goes first");
  assert.equal(begin(fleet, "a/three", 3), "a/first goes first");
  fleet.forget("a/first");
  assert.equal(begin(fleet, "a/single", 1), "a/three goes first");
  assert.equal(begin(fleet, "a/three", 3), undefined);
});

test("a Database that is deleted, paused or changed by its own spec holds no other back", () => {
  const { fleet, woken } = fleetOf(1);
  begin(fleet, "a/one");
  fleet.note("a/one", { kind: "stopped", why: "no" }, "all");
  begin(fleet, "a/two");
  fleet.forget("a/one");
  assert.deepEqual(woken, ["a/two"]);
  assert.equal(begin(fleet, "a/two"), undefined);
});

test("with nothing left to restart the next change has a first one again", () => {
  const { fleet } = fleetOf(3);
  begin(fleet, "a/one");
  fleet.done("a/one");
  assert.equal(begin(fleet, "a/one"), undefined);
  assert.equal(begin(fleet, "a/two"), "a/one goes first");
});

test("of two that ask at the same moment one begins; if it cannot, the other one does", () => {
  const { fleet, woken } = fleetOf(3);
  assert.equal(begin(fleet, "a/one"), undefined);
  assert.equal(begin(fleet, "a/two"), "a/one goes first");
  fleet.forget("a/one");
  assert.deepEqual(woken, ["a/two"]);
  assert.equal(begin(fleet, "a/two"), undefined);
});

const beginByMap = (fleet: FleetMemory, key: string): string | undefined => begin(fleet, key, 3, "namespace");

test("what a ConfigMap of a namespace stops holds back that namespace alone", () => {
  const { fleet, woken } = fleetOf(1);
  assert.equal(beginByMap(fleet, "tenant/one"), undefined);
  fleet.note("tenant/one", { kind: "stopped", why: "shop-0 does not start" }, "namespace");
  const stopped = "tenant/one does not complete (shop-0 does not start)";
  assert.equal(beginByMap(fleet, "tenant/two"), stopped);
  assert.equal(begin(fleet, "tenant/three"), stopped);
  assert.equal(beginByMap(fleet, "team/one"), undefined);
  fleet.done("team/one");
  assert.equal(begin(fleet, "team/two"), undefined);
  assert.equal(begin(fleet, "team/three"), "team/two goes first");
  fleet.done("team/two");
  assert.deepEqual(woken, ["team/three"], "those of its own namespace wait on");
  fleet.note("tenant/one", { kind: "restarting" }, "namespace");
  fleet.done("tenant/one");
  assert.deepEqual(woken, ["team/three", "tenant/two"]);
});

test("what is well with a ConfigMap of a namespace is not proven of a release, nor elsewhere", () => {
  const { fleet } = fleetOf(3);
  assert.equal(beginByMap(fleet, "tenant/one"), undefined);
  assert.equal(begin(fleet, "team/one"), undefined);
  fleet.done("tenant/one");
  assert.equal(begin(fleet, "team/two"), "team/one goes first");
  assert.equal(beginByMap(fleet, "team/three"), undefined);
  assert.equal(beginByMap(fleet, "team/four"), "team/three goes first");
});

test("restarts of all namespaces share what may be in progress at a time, and a release that fails holds all back", () => {
  const { fleet } = fleetOf(1);
  begin(fleet, "team/one");
  assert.match(beginByMap(fleet, "tenant/one") ?? "", /^1 other Databases/);
  fleet.note("team/one", { kind: "stopped", why: "no" }, "all");
  assert.equal(beginByMap(fleet, "tenant/one"), "team/one does not complete (no)");
});
