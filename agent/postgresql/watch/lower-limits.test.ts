import assert from "node:assert/strict";
import test from "node:test";
import { clusterOf, leaderOf, memberOf, ownStateOf } from "../../../test/fakes/postgresql/patroni";
import type { Cluster, OwnState } from "../patroni/answers";
import { LowerLimits } from "./lower-limits";

const less = { pending_restart_reason: { max_connections: { old_value: "200", new_value: "100" } } };

interface Watching {
  readonly state: { own: OwnState; cluster: Cluster };
  readonly lines: string[];
  readonly watch: LowerLimits;
}

function watching(self: string): Watching {
  const state = { own: ownStateOf(less), cluster: clusterOf(leaderOf("db-0", less), memberOf("db-1", less)) };
  const lines: string[] = [];
  const patroni = {
    own: () => Promise.resolve(state.own),
    cluster: () => Promise.resolve(state.cluster),
    restart: () => Promise.resolve("restarted"),
  };
  return { state, lines, watch: new LowerLimits(self, patroni, (line) => lines.push(line)) };
}

test("the server restarts once it was this member's turn twice in a row", async () => {
  const { lines, watch } = watching("db-0");
  await watch.look();
  assert.deepEqual(lines, []);
  await watch.look();
  assert.deepEqual(lines, ["restarting the server, which has lower limits then: restarted"]);
  await watch.look();
  assert.equal(lines.length, 1, "it begins to count again");
});

test("a look at which it was not its turn, or that failed, begins the count again", async () => {
  const { state, lines, watch } = watching("db-0");
  await watch.look();
  state.own = ownStateOf();
  await watch.look();
  state.own = ownStateOf(less);
  await watch.look();
  watch.failed();
  await watch.look();
  assert.deepEqual(lines, []);
});

test("a replica waits for the primary's turn", async () => {
  const { state, lines, watch } = watching("db-1");
  await watch.look();
  await watch.look();
  assert.deepEqual(lines, []);
  state.cluster = clusterOf(leaderOf("db-0"), memberOf("db-1", less));
  await watch.look();
  await watch.look();
  assert.equal(lines.length, 1);
});
