import assert from "node:assert/strict";
import test from "node:test";
import { FakeCluster } from "../../test/fakes/ports";
import { Assumed } from "../api/assumed";
import { assuming } from "./assumed";

const { ports } = new FakeCluster();
const inputs = { world: ports.world, configSource: () => Promise.resolve({ max_connections: "100" }) };

test("what is assumed stands for what the cluster has, and for nothing else", async () => {
  const catalogue = { postgresql: { "17.7": { image: "next" } } };
  const assumed = assuming(inputs, { catalogue, configMaps: { tuning: { work_mem: "8MB" } } });
  assert.deepEqual(assumed.world.catalogue, catalogue);
  assert.deepEqual(await assumed.configSource("team", "tuning"), { work_mem: "8MB" });
  assert.deepEqual(await assumed.configSource("team", "constructor"), { max_connections: "100" });
  assert.equal(assuming(inputs, {}).world, ports.world);
});

test("a catalogue that is none is refused", () => {
  assert.equal(Assumed.safeParse({ catalogue: { postgresql: { "17": { image: "x" } } } }).success, false);
  assert.equal(Assumed.safeParse({ secrets: {} }).success, false);
});
