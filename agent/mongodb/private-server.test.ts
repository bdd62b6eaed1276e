import assert from "node:assert/strict";
import test from "node:test";
import { privateOptions } from "./private-server";

test("the server of a Job is one that no other pod reaches, of no set, and that removes nothing", () => {
  const { net, storage, replication, setParameter } = JSON.parse(
    privateOptions({ data: "/data/db/restoring", blockCompressor: "zstd" }),
  ) as Record<string, Record<string, unknown>>;
  assert.deepEqual([net?.["bindIp"], storage?.["dbPath"]], ["127.0.0.1", "/data/db/restoring"]);
  assert.deepEqual(storage?.["wiredTiger"], {
    engineConfig: { cacheSizeGB: 0.25 },
    collectionConfig: { blockCompressor: "zstd" },
  });
  assert.equal(replication, undefined);
  assert.deepEqual(setParameter, { ttlMonitorEnabled: false });
});
