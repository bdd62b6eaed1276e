import assert from "node:assert/strict";
import test from "node:test";
import { clusterOf, leaderOf, memberOf } from "../../../test/fakes/postgresql/patroni";
import type { ClusterMember } from "../patroni/answers";
import { rateFor, replicaThatKeepsUp, settingsOf, targetIn, withSettings } from "./decide";

const gib = 1024 ** 3;
const chosen = (...replicas: readonly ClusterMember[]): string | undefined =>
  replicaThatKeepsUp(clusterOf(leaderOf("db-0"), ...replicas), "db-9")?.name;

test("of the replicas that keep up the one that is least behind is copied from", () => {
  assert.equal(chosen(memberOf("db-1", { lag: 500 }), memberOf("db-2", { lag: 20 })), "db-2");
});

test("one that confirms commits comes last", () => {
  const confirming = memberOf("db-1", { role: "quorum_standby", lag: 0 });
  assert.equal(chosen(confirming, memberOf("db-2", { lag: gib })), "db-2");
  assert.equal(chosen(confirming), "db-1");
});

test("no copy comes from a member that may not keep up, or is this one", () => {
  for (const unfit of [
    memberOf("db-1", { lag: gib + 1 }),
    memberOf("db-1", { lag: "unknown" }),
    memberOf("db-1", { lag: undefined }),
    memberOf("db-1", { state: "running" }),
    memberOf("db-1", { timeline: 2 }),
    memberOf("db-9"),
  ]) {
    assert.equal(chosen(unfit), undefined, JSON.stringify(unfit));
  }
});

test("without a member that leads nobody knows who keeps up", () => {
  const timeless = memberOf("db-1", { timeline: undefined });
  assert.equal(replicaThatKeepsUp(clusterOf(timeless), "db-9"), undefined);
});

test("a copy takes half of what a common volume carries, and more where it would take longer than four hours", () => {
  const mib = 1024 ** 2;
  assert.equal(rateFor(10 * gib), 64 * mib);
  assert.equal(rateFor(900 * gib), 64 * mib);
  assert.equal(rateFor(1_800 * gib), 128 * mib);
  assert.equal(rateFor(100_000 * gib), gib);
});

test("where to is told by Patroni's own option", () => {
  assert.equal(targetIn(["--pgdata=/data/pgdata", "-X", "stream"]), "/data/pgdata");
  assert.throws(() => targetIn(["-X", "stream"]), /--pgdata=/);
});

test("more settings follow those of the connection, and the password still goes by the host", () => {
  const args = ["--pgdata=/data/pgdata", "--dbname=host=db-0 port=5432"];
  const settings = settingsOf({ name: "db-1", host: "10.0.0.1", port: 5433 });
  const [first, second = ""] = withSettings(args, settings);
  assert.equal(first, args[0]);
  assert.match(second, /^--dbname=host=db-0 port=5432 connect_timeout=10 .* hostaddr=10\.0\.0\.1 port=5433$/);
});
