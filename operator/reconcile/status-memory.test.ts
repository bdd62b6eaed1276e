import assert from "node:assert/strict";
import test from "node:test";
import { ObservedDatabase } from "../domain/observed-database";
import { StatusMemory } from "./status-memory";

const copy = (resourceVersion: string, phase: string, uid = "uid-1", generation = 2): ObservedDatabase =>
  new ObservedDatabase({
    metadata: { name: "shop", namespace: "team", uid, resourceVersion, generation },
    status: { phase },
  });

const written = (): StatusMemory => {
  const memory = new StatusMemory();
  memory.remember("team/shop", "uid-1", { version: "20", status: { phase: "Running", observedGeneration: 2 } });
  return memory;
};

const phaseIn = (memory: StatusMemory, database: ObservedDatabase): string | undefined =>
  memory.latest("team/shop", database).phase;

test("what was written counts until the watch brings it; then the watch's copy does", () => {
  const memory = written();
  assert.equal(phaseIn(memory, copy("10", "Pending")), "Running");
  assert.equal(phaseIn(memory, copy("20", "Running")), "Running");
  assert.equal(phaseIn(memory, copy("30", "Failed")), "Failed");
});

test("an old copy from a list does not count after the watch brought a newer one", () => {
  const memory = written();
  assert.equal(phaseIn(memory, copy("20", "Running")), "Running");
  assert.equal(phaseIn(memory, copy("10", "Pending")), "Running");
});

test("a successor of the same name has a status of its own", () => {
  assert.equal(phaseIn(written(), copy("10", "Pending", "uid-2")), "Pending");
});

test("a copy of an earlier generation than the last one seen is stale", () => {
  const memory = written();
  assert(memory.isPast("team/shop", copy("10", "Pending", "uid-1", 1)));
  assert(!memory.isPast("team/shop", copy("10", "Pending")));
  assert(!memory.isPast("team/shop", copy("10", "Pending", "uid-2", 1)));
});

test("what was written into a successor is not forgotten with its predecessor", () => {
  const memory = written();
  memory.forget("team/shop", "uid-0");
  assert.equal(phaseIn(memory, copy("10", "Pending")), "Running");
  memory.forget("team/shop", "uid-1");
  assert.equal(phaseIn(memory, copy("10", "Pending")), "Pending");
});

test("a Database that a stale list lacks comes back with its status, and not all that are gone are remembered", () => {
  const memory = written();
  memory.miss("team/shop");
  assert.equal(phaseIn(memory, copy("10", "Pending")), "Running");
  for (let other = 0; other < 100; other++) {
    memory.remember(`team/other-${other}`, "uid", { version: "1", status: {} });
    memory.miss(`team/other-${other}`);
  }
  assert.equal(phaseIn(memory, copy("10", "Pending")), "Pending");
});
