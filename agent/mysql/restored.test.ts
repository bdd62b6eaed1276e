// How a Database begins with what a restore has put there.
import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "./decide";
import type { MemberReport, Membership, Observation, ServerView } from "./observation";

const to = (last: number): string => `3e11fa47-71ca-11e1-9e33-c80aa9429562:1-${last}`;
const outside: Membership = { state: "OFFLINE", quorum: true, members: [] };
const up = (membership: Membership, transactions = to(10)): ServerView => ({
  ...{ kind: "up", fresh: false, offline: false },
  membership,
  transactions,
});
const peer = (server: ServerView): MemberReport => ({ name: "db-2", server, stopping: false });

const restored: Observation = {
  ...{ self: "db-0", wanted: 3, peers: [], stopping: false, restored: true },
  snapshot: { record: { members: [] }, version: "1", decision: undefined },
  server: up(outside),
};

test("a first member with the data of a restore waits for no silent one", () => {
  assert.equal(decide(restored).kind, "bootstrap");
  assert.equal(decide({ ...restored, restored: false }).kind, "wait", "a record that was lost later");
});

test("it never leads beside one that says it has more, or is in a group", () => {
  assert.equal(decide({ ...restored, peers: [peer(up(outside, to(11)))] }).kind, "person");
  const inGroup = up({ ...outside, state: "ONLINE", role: "PRIMARY", view: "v1" });
  assert.equal(decide({ ...restored, peers: [peer(inGroup)] }).kind, "wait");
});
