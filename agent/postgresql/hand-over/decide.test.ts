import assert from "node:assert/strict";
import test from "node:test";
import { clusterOf, leaderOf, memberOf } from "../../../test/fakes/postgresql/patroni";
import { afterRefusal, replicaAddresses, uncountedAmong, waitsForReplicas } from "./decide";

test("commits wait for replicas in any synchronous mode", () => {
  assert.deepEqual(
    [true, "quorum", "on", false, undefined].map((synchronous_mode) => waitsForReplicas({ ttl: 20, synchronous_mode })),
    [true, true, true, false, false],
  );
});

test("a replica that runs and has no role in commits is waited for, and no other member", () => {
  const cluster = clusterOf(
    leaderOf("db-0"),
    memberOf("db-1", { role: "sync_standby" }),
    memberOf("db-2", { role: "quorum_standby" }),
    memberOf("db-3"),
    memberOf("db-4", { state: "starting" }),
    memberOf("db-5", { state: "running" }),
    memberOf("db-6", { state: "stopped" }),
    memberOf("db-7", { state: "creating replica" }),
  );
  assert.deepEqual(uncountedAmong(cluster, "db-0"), ["db-3", "db-4", "db-5"]);
  assert.deepEqual(uncountedAmong(cluster, "db-3"), ["db-4", "db-5"]);
});

test("all others are asked whether they serve as a replica", () => {
  const cluster = clusterOf(leaderOf("db-0"), memberOf("db-1"), memberOf("db-2", { api_url: undefined }));
  assert.deepEqual(replicaAddresses(cluster, "db-0"), ["http://db-1:8008/replica"]);
});

test("after a refusal it is tried again for twenty seconds, unless another member leads by now", () => {
  assert.deepEqual(afterRefusal("no", true, 20_000), { kind: "retry" });
  assert.deepEqual(afterRefusal("no", true, 20_001), { kind: "end", why: "no: stopping as it is" });
  assert.deepEqual(afterRefusal("no", false, 0), { kind: "end", why: "another member is the primary now" });
});
