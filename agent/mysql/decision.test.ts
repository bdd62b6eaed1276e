// What a person decided: which member leads, whatever is missing.
import assert from "node:assert/strict";
import test from "node:test";
import { decide } from "./decide";
import type { MemberReport, Membership, Observation, ServerView } from "./observation";
import type { GroupRecord } from "./record";

const uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const outside: Membership = { state: "OFFLINE", quorum: true, members: [] };
const inside = (change: Partial<Membership>, names = ["db-0", "db-1", "db-2"]): Membership => ({
  ...{ state: "ONLINE", view: "v1", viewNumber: 5, quorum: true },
  members: names.map((name) => ({ name, id: name, state: "ONLINE", role: "SECONDARY" })),
  ...change,
});
const up = (
  membership: Membership,
  change: { readonly transactions?: string; readonly group?: string } = {},
): ServerView => ({
  ...{ kind: "up", fresh: false, offline: false, membership, transactions: `${uuid}:1-10` },
  ...change,
});
const peer = (name: string, server: ServerView): MemberReport => ({ name, server, stopping: false });

const record: GroupRecord = {
  ...{ group: uuid, members: ["db-0", "db-1", "db-2"], primary: "db-0", view: "v1", viewNumber: 3 },
};

const seen = (change: Partial<Observation> & { record?: GroupRecord; decision?: string } = {}): Observation => ({
  ...{ self: "db-0", wanted: 3, server: up(outside), peers: [], stopping: false },
  snapshot: { record: change.record ?? record, version: "1", decision: change.decision },
  ...change,
});
const kindOf = (observation: Observation): string => decide(observation).kind;

test("a person's decision is carried out by the chosen member", () => {
  const foreign = "4e11fa47-71ca-11e1-9e33-c80aa9429562:1";
  const peers = [peer("db-1", up(outside, { transactions: foreign }))];
  assert.equal(kindOf(seen({ peers, decision: "db-0" })), "bootstrap");
  assert.equal(kindOf(seen({ peers, decision: "db-1" })), "person");
});

test("a decided group commits under a name of its own: the former one's numbers may name transactions that were given up", () => {
  for (const members of [record.members, []])
    assert.deepEqual(decide(seen({ record: { ...record, members }, decision: "db-0" })), {
      kind: "bootstrap",
      record: { ...record, group: undefined, members, bootstrapping: "db-0" },
    });
});

test("where an attempt was cut off and another one claimed it, the name that counts is the one that the server has", () => {
  const begun = { ...record, group: "5e11fa47-71ca-11e1-9e33-c80aa9429562", view: undefined, bootstrapping: "db-0" };
  const server = up(inside({ role: "PRIMARY", view: "v2" }, ["db-0"]), {
    group: "4e11fa47-71ca-11e1-9e33-c80aa9429562",
  });
  const found = decide(seen({ record: begun, decision: "db-0", server }));
  assert.equal(found.kind === "record" && found.record.group, "4e11fa47-71ca-11e1-9e33-c80aa9429562");
});

test("a decision does not begin a second group beside a running one", () => {
  assert.equal(
    kindOf(seen({ decision: "db-0", peers: [peer("db-1", up(inside({ role: "PRIMARY" }, ["db-1"])))] })),
    "join",
  );
});

test("a decision that is no longer needed is removed by the primary", () => {
  const server = up(inside({ role: "PRIMARY" }));
  assert.equal(kindOf(seen({ server })), "serve");
  assert.deepEqual(decide(seen({ server, decision: "db-2" })), { kind: "record", record });
});
