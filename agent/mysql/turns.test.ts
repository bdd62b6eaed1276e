import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "./decide";
import type { MemberReport, Membership, ServerView } from "./observation";
import { copyingBefore } from "./turns";

const names = ["db-0", "db-1", "db-2"];
const outside: Membership = { state: "OFFLINE", quorum: true, members: [] };

/** The group, with so many members, of which the second is in this state. */
const group = (members: number, state = "ONLINE"): Membership => ({
  ...{ state: "ONLINE", role: "PRIMARY", view: "v1", viewNumber: 1, quorum: true },
  members: names
    .slice(0, members)
    .map((name) => ({ name, id: name, state: name === "db-1" ? state : "ONLINE", role: "" })),
});

const serverIn = (membership: Membership, some: Partial<Extract<ServerView, { kind: "up" }>> = {}): ServerView => ({
  ...{ kind: "up", fresh: false, transactions: "u:1-9", offline: false, membership },
  ...some,
});
const empty = serverIn(outside, { fresh: true, transactions: "" });
const of = (name: string, server = empty, some: Partial<MemberReport> = {}): MemberReport => ({
  ...{ name, server, stopping: false, view: "v1" },
  ...some,
});
const purged = { purged: true };
const primary = of("db-0", serverIn(group(1), purged));

const snapshot = {
  record: { group: "u", members: ["db-0", "db-2"], primary: "db-0", view: "v1" },
  ...{ version: "1", decision: undefined },
};
const before = (self: string, other: MemberReport, failures = 0): string | undefined =>
  copyingBefore({ self, failures, snapshot, peers: [primary, other] }, [primary]);

test("members without data copy them one after the other", () => {
  assert.equal(before("db-1", of("db-2")), undefined);
  assert.equal(before("db-2", of("db-1")), "db-1");
});

test("where the binary logs of a member have all there is, all copy at once: they do without a copy that is refused", () => {
  const complete = of("db-0", serverIn(group(1), { purged: false }));
  assert.equal(copyingBefore({ self: "db-2", snapshot, peers: [complete, of("db-1")] }, [complete]), undefined);
});

test("one that fails, stops, does not answer, or has data holds up no other", () => {
  assert.equal(before("db-2", of("db-1", empty, { failures: 1 })), undefined);
  assert.equal(before("db-1", of("db-2"), 1), "db-2");
  assert.equal(before("db-2", of("db-1", empty, { stopping: true })), undefined);
  assert.equal(before("db-2", of("db-1", { kind: "down" })), undefined);
  assert.equal(before("db-2", of("db-1", serverIn(outside))), undefined);
});

test("of two that fail, each has its turn", () => {
  const turns = { "db-1": 0, "db-2": 0 };
  const order: string[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    const first = before("db-2", of("db-1", empty, { failures: turns["db-1"] }), turns["db-2"]) ?? "db-2";
    const other = before("db-1", of("db-2", empty, { failures: turns["db-2"] }), turns["db-1"]) ?? "db-1";
    assert.equal(first, other, "both say the same");
    turns[first === "db-1" ? "db-1" : "db-2"]++;
    order.push(first);
  }
  assert.deepEqual(order, ["db-1", "db-2", "db-1", "db-2"]);
});

test("one that cannot read the record, or knows another group, will not join, and is not waited for", () => {
  assert.equal(before("db-2", of("db-1", empty, { view: undefined })), undefined);
  assert.equal(before("db-2", of("db-1", empty, { view: "v0" })), undefined);
});

test("one that receives the data is waited for, whatever its ordinal, by those that must copy them, too, and by no others", () => {
  const busy = of("db-0", serverIn(group(2, "RECOVERING"), purged));
  const seen = {
    ...{ self: "db-2", wanted: 3, peers: [busy], stopping: false, server: empty },
    snapshot,
  };
  assert.deepEqual(decide(seen), { kind: "wait", why: "db-1 copies the data first" });
  assert.equal(decide({ ...seen, server: serverIn(outside) }).kind, "join");
  const done = of("db-0", serverIn(group(2), purged));
  assert.deepEqual(decide({ ...seen, peers: [done] }), { kind: "join", seeds: ["db-0"], clone: true });
});
