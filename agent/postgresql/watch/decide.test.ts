import assert from "node:assert/strict";
import test from "node:test";
import { clusterOf, leaderOf, memberOf, ownStateOf } from "../../../test/fakes/postgresql/patroni";
import {
  judgeStandstill,
  nextToRestart,
  othersAmong,
  positionOfStanding,
  renewalOf,
  turnOf,
  waitsForLess,
} from "./decide";

const less = { max_connections: { old_value: "200", new_value: "100" } };
const more = { max_connections: { old_value: "90", new_value: "100" } };
const other = { shared_buffers: { old_value: "256MB", new_value: "128MB" } };

test("a restart is waited for where it makes shared limits lower and changes nothing else", () => {
  assert.equal(waitsForLess({ pending_restart_reason: less }), true);
  assert.equal(waitsForLess({ pending_restart_reason: { ...less, ...other } }), false);
  assert.equal(waitsForLess({ pending_restart_reason: other }), false);
  const unshared = { max_files_per_process: { old_value: "1000", new_value: "500" } };
  assert.equal(waitsForLess({ pending_restart_reason: unshared }), false);
  assert.equal(waitsForLess({}), false);
  assert.equal(waitsForLess({ pending_restart_reason: {} }), false);
});

test("limits are compared as numbers, and what is none is left alone", () => {
  assert.equal(waitsForLess({ pending_restart_reason: more }), false);
  const word = { max_connections: { old_value: "100", new_value: "few" } };
  assert.equal(waitsForLess({ pending_restart_reason: word }), false);
});

test("the primary restarts first, then the replicas by name, and those alone that wait for it", () => {
  const waiting = { pending_restart_reason: less };
  const all = [memberOf("db-2", waiting), memberOf("db-0", waiting), leaderOf("db-1", waiting)];
  assert.equal(nextToRestart(clusterOf(...all)), "db-1");
  assert.equal(
    nextToRestart(clusterOf(memberOf("db-2", waiting), memberOf("db-0", waiting), leaderOf("db-1"))),
    "db-0",
  );
  assert.equal(nextToRestart(clusterOf(memberOf("db-2", waiting), memberOf("db-0"), leaderOf("db-1"))), "db-2");
  assert.equal(nextToRestart(clusterOf(memberOf("db-0"), leaderOf("db-1"))), undefined);
});

test("nobody restarts while a member does not serve", () => {
  const waiting = leaderOf("db-0", { pending_restart_reason: less });
  for (const state of ["starting", "creating replica", "stopped", "in archive recovery"]) {
    assert.equal(nextToRestart(clusterOf(waiting, memberOf("db-1", { state }))), undefined, state);
  }
  assert.equal(nextToRestart(clusterOf(waiting, memberOf("db-1", { state: "running" }))), "db-0");
});

test("only a replica that runs and does not stream is looked at for WAL that is gone", () => {
  const standing = { replication_state: undefined };
  assert.equal(positionOfStanding(ownStateOf(standing)), 1_000);
  assert.equal(positionOfStanding(ownStateOf({ ...standing, xlog: { replayed_location: 900 } })), 900);
  assert.equal(positionOfStanding(ownStateOf({ ...standing, xlog: undefined })), undefined);
  assert.equal(positionOfStanding(ownStateOf()), undefined);
  assert.equal(positionOfStanding(ownStateOf({ ...standing, role: "primary" })), undefined);
  assert.equal(positionOfStanding(ownStateOf({ ...standing, state: "starting" })), undefined);
});

test("a turn is told by the time of the last one, and each look is one where nobody else can lead", () => {
  assert.equal(turnOf({ dcs_last_seen: 7 }), 7);
  assert.equal(turnOf(undefined), undefined);
  assert.equal(turnOf({}), undefined);
  for (const excuse of [{ pause: true }, { failsafe_mode_is_active: true }]) {
    assert.notEqual(turnOf(excuse), turnOf(excuse));
  }
});

test("a lease of another member says nothing about this one's", () => {
  assert.equal(renewalOf({ leader: "db-0", renewed: "now" }, "db-0"), "now");
  assert.equal(renewalOf({ leader: "db-1", renewed: "now" }, "db-0"), undefined);
  assert.equal(renewalOf(undefined, "db-0"), undefined);
});

test("a standstill is looked into after six seconds, and ends the server after twelve", () => {
  assert.deepEqual([0, 6_000, 6_001, 12_000, 12_001].map(judgeStandstill), [
    "turns",
    "turns",
    "ask for the lease",
    "ask for the lease",
    "end the server",
  ]);
});

test("a primary takes the label off all others", () => {
  const pods = ["db-0", "db-1", "db-2"].map((name) => ({ name, version: "1" }));
  assert.deepEqual(
    othersAmong(pods, "db-1").map(({ name }) => name),
    ["db-0", "db-2"],
  );
});
