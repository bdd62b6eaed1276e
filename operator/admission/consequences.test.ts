import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { exposure, harmless, type Consequence } from "../consequences/consequence";
import { consequenceWarnings, warningsOf } from "./consequences";

const restart: Consequence = {
  effect: "RollingRestart",
  members: ["shop-1", "shop-0"],
  message: "all members restart, one after the other (another image): shop-1, then the primary shop-0",
};
const withinMs = 2000;
/** It has just come. */
const change = {
  ...{ object: { spec: {} }, fieldManager: "kubectl" },
  get until() {
    return performance.now() + withinMs;
  },
};

test("what clients notice is a warning, and what they do not is none", () => {
  const reload: Consequence = { effect: "Reload", members: [], message: "parameters apply within seconds" };
  const lost: Consequence = { effect: "DataLoss", members: [], message: "gone" };
  const removal: Consequence = { effect: "Removal", members: ["shop-2"], message: "shop-2 is removed" };
  assert.deepEqual(warningsOf([restart, reload, exposure("for later"), removal, lost, harmless("a member is added")]), [
    restart.message,
    "for later",
    "shop-2 is removed",
    "gone",
  ]);
});

test("what waits for a node is no warning: nothing of it happens now", () => {
  assert.deepEqual(warningsOf([{ ...restart, waitsFor: "no node has 64Gi" }]), []);
});

test("a warning has 120 characters at most, and there are five at most", () => {
  const long = { ...restart, message: "x".repeat(121) };
  const warnings = warningsOf(Array.from({ length: 9 }, () => long));
  assert.equal(warnings.length, 5);
  assert.ok(warnings.every((warning) => warning === `${"x".repeat(119)}…`));
  assert.deepEqual(warningsOf([{ ...restart, message: "x".repeat(120) }]), ["x".repeat(120)]);
});

test("what is not told within the time is not told, and what fails neither", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const late = consequenceWarnings(change, () => new Promise(() => undefined));
  t.mock.timers.tick(withinMs);
  assert.deepEqual(await late, []);
  assert.deepEqual(await consequenceWarnings(change, () => Promise.reject(new Error("unreachable"))), []);
  const throws = (): never => {
    throw new Error("at once");
  };
  assert.deepEqual(await consequenceWarnings(change, throws), []);
});

test("what is told in time is told, and no timer is left", async () => {
  const tell = async (object: unknown): Promise<readonly Consequence[]> => {
    await delay(1);
    assert.equal(object, change.object);
    return [restart];
  };
  assert.deepEqual(await consequenceWarnings(change, tell), [restart.message]);
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((kind) => kind === "Timeout"),
    [],
  );
});

test("the operator's own writes ask for nothing, previews among them, and neither does what comes too late", async () => {
  let asked = 0;
  const tell = (): Promise<readonly Consequence[]> => {
    asked += 1;
    return Promise.resolve([restart]);
  };
  for (const fieldManager of ["database-operator", "database-operator-companion"])
    assert.deepEqual(await consequenceWarnings({ ...change, fieldManager }, tell), []);
  assert.deepEqual(await consequenceWarnings({ ...change, until: performance.now() }, tell), []);
  assert.equal(asked, 0);
  assert.equal((await consequenceWarnings({ ...change, fieldManager: undefined }, tell)).length, 1);
});
