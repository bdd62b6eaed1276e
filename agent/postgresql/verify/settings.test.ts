// The settings of the server of a drill.
import assert from "node:assert/strict";
import test from "node:test";
import { drillSettings } from "./settings";

test("the server of a drill keeps little WAL, but room for two segments of any size", () => {
  const sizes = (segment: number): readonly unknown[] => {
    const settings = drillSettings(`x: 1\nBytes per WAL segment:                ${segment * 1024 ** 2}\n`, "17");
    return [settings["max_wal_size"], settings["min_wal_size"]];
  };
  assert.deepEqual(sizes(16), ["64MB", "32MB"]);
  assert.deepEqual(sizes(1), ["64MB", "32MB"]);
  assert.deepEqual(sizes(64), ["256MB", "128MB"]);
  assert.equal(drillSettings("", "17")["min_wal_size"], "32MB");
});

test("no event trigger of the data fires, and no server is given a setting that it does not know", () => {
  assert.equal(drillSettings("", "17")["event_triggers"], "off");
  assert.equal("event_triggers" in drillSettings("", "16"), false);
  assert.equal(drillSettings("", "16")["session_replication_role"], "replica");
});
