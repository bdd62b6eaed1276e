import assert from "node:assert/strict";
import test from "node:test";
import { clusterOf, leaderOf, memberOf, ownStateOf } from "../../../test/fakes/postgresql/patroni";
import type { Cluster, OwnState } from "../patroni/answers";
import { StrandedReplica } from "./stranded-replica";

interface Watching {
  readonly state: { own: OwnState; cluster: Cluster; oldest: number | undefined };
  readonly lines: string[];
  /** The members that were asked for their oldest WAL. */
  readonly asked: string[];
  readonly watch: StrandedReplica;
}

function watching(): Watching {
  const state: Watching["state"] = {
    own: ownStateOf({ replication_state: undefined }),
    cluster: clusterOf(leaderOf("db-0"), memberOf("db-1")),
    oldest: 2_000,
  };
  const lines: string[] = [];
  const asked: string[] = [];
  const patroni = {
    own: () => Promise.resolve(state.own),
    cluster: () => Promise.resolve(state.cluster),
    reinitialize: () => Promise.resolve("reinitialize started"),
  };
  const sql = {
    oldestWal: ({ name }: { name: string }) => {
      asked.push(name);
      return Promise.resolve(state.oldest);
    },
  };
  return { state, lines, asked, watch: new StrandedReplica(patroni, sql, (line) => lines.push(line)) };
}

test("a replica copies all data again once the primary has said twice that what it needs is gone", async () => {
  const { lines, asked, watch } = watching();
  await watch.look();
  assert.deepEqual(lines, []);
  await watch.look();
  assert.deepEqual(lines, [
    "the primary no longer has the WAL that this replica needs: copying all data again: reinitialize started",
  ]);
  assert.deepEqual(asked, ["db-0", "db-0"]);
});

test("it is not where the primary has what it needs, says nothing, or is none that serves", async () => {
  const { state, lines, asked, watch } = watching();
  for (const oldest of [1_000, undefined]) {
    state.oldest = oldest;
    await watch.look();
    await watch.look();
  }
  state.oldest = 2_000;
  asked.length = 0;
  for (const leader of [memberOf("db-0"), leaderOf("db-0", { state: "stopping" })]) {
    state.cluster = clusterOf(leader, memberOf("db-1"));
    await watch.look();
    await watch.look();
  }
  assert.deepEqual([lines, asked], [[], []]);
});

test("a primary is not troubled by a replica that streams", async () => {
  const { state, asked, watch } = watching();
  state.own = ownStateOf();
  await watch.look();
  assert.deepEqual(asked, []);
});

test("a look that failed begins the count again, and its reason is told once", async () => {
  const { lines, watch } = watching();
  await watch.look();
  watch.failed(new Error("connect\n  ECONNREFUSED"));
  watch.failed(new Error("connect\n  ECONNREFUSED"));
  await watch.look();
  assert.deepEqual(lines, ["cannot tell whether this member can catch up: connect ECONNREFUSED"]);
});
