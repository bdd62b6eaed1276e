import assert from "node:assert/strict";
import test from "node:test";
import { decide, type Action } from "./decide";
import type { MemberReport, Membership, Observation, ServerView } from "./observation";
import type { GroupRecord } from "./record";

const uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const to = (last: number): string => `${uuid}:1-${last}`;

type Up = Extract<ServerView, { kind: "up" }>;

const outside: Membership = { state: "OFFLINE", quorum: true, members: [] };
const inside = (change: Partial<Membership> = {}): Membership => ({
  state: "ONLINE",
  role: "SECONDARY",
  view: "v1",
  viewNumber: 5,
  quorum: true,
  members: ["db-0", "db-1", "db-2"].map((name) => ({ name, id: name, state: "ONLINE", role: "SECONDARY" })),
  ...change,
});
const up = (membership: Membership, change: Partial<Up> = {}): Up => ({
  kind: "up",
  fresh: false,
  membership,
  transactions: to(10),
  offline: false,
  ...change,
});
/** The group without the member that asks. */
const others = (change: Partial<Membership> = {}): Membership =>
  inside({ members: inside().members.filter(({ name }) => name !== "db-0"), ...change });
const peer = (name: string, server: ServerView): MemberReport => ({ name, server, stopping: false });

const record: GroupRecord = {
  group: uuid,
  members: ["db-0", "db-1", "db-2"],
  primary: "db-0",
  view: "v1",
  viewNumber: 3,
};

const seen = (change: Partial<Observation> & { record?: GroupRecord; decision?: string } = {}): Observation => ({
  self: "db-0",
  wanted: 3,
  snapshot: { record: change.record ?? record, version: "1", decision: change.decision },
  server: up(outside),
  peers: [],
  stopping: false,
  ...change,
});

const kindOf = (observation: Observation): string => decide(observation).kind;
const whyOf = (action: Action): string => ("why" in action ? action.why : action.kind);

/** All three without a group, with this many transactions each. */
const outage = (self: number, [own, first, second]: readonly [number, number, number], change = {}): Observation => {
  const names = ["db-0", "db-1", "db-2"];
  const others = names.filter((_, ordinal) => ordinal !== self);
  const counts = [first, second];
  return seen({
    self: `db-${self}`,
    server: up(outside, { transactions: to(own) }),
    peers: others.map((name, index) => peer(name, up(outside, { transactions: to(counts[index] ?? 0) }))),
    ...change,
  });
};

test("a server that does not answer is waited for, and an empty one for a minute", () => {
  const down = seen({ server: { kind: "down" } });
  const after = (ms: number): string => kindOf({ ...down, standing: { what: "answers", ms } });
  assert.deepEqual([kindOf(down), after(59_000), after(60_000)], ["wait", "wait", "restart"]);
});

test("a member that lost its group leaves it, and is closed until it is in one again", () => {
  assert.equal(kindOf(seen({ server: up({ ...outside, state: "ERROR" }) })), "leave");
});

const lone = up(inside({ role: "PRIMARY", members: inside().members.slice(0, 1) }));
const alone = { ...record, members: ["db-0"] };
const standing = { what: "commits", ms: 30_000 } as const;

test("a primary that is alone and whose commits hang restarts once it can lead without the others", () => {
  assert.deepEqual(decide(seen({ server: lone, standing })), { kind: "record", record: alone });
  assert.equal(kindOf(seen({ server: lone, record: alone, standing })), "restart");
  assert.equal(kindOf(seen({ server: { kind: "down", hangs: true }, record: alone, standing })), "restart");
  const empty = peer("db-1", up(outside, { fresh: true, transactions: "" }));
  assert.equal(kindOf(seen({ record: alone, peers: [empty] })), "bootstrap");
});

test("it does not restart where they hung only for a moment, or another member is primary", () => {
  assert.equal(kindOf(seen({ server: lone, standing: { ...standing, ms: 29_000 } })), "serve");
  assert.equal(
    kindOf(seen({ server: lone, standing, record: { ...record, primary: "db-1", viewNumber: 9 } })),
    "leave",
  );
});

test("without the Kubernetes API a member that is in a group stays, and one that is not stays out", () => {
  assert.equal(kindOf(seen({ server: up(inside()), snapshot: undefined })), "wait");
  assert.equal(kindOf(seen({ snapshot: undefined })), "wait");
});

test("a replica of the recorded group serves", () => {
  assert.deepEqual(decide(seen({ self: "db-1", server: up(inside()) })), { kind: "serve", role: "replica" });
});

test("a member in the minority waits for the group to decide", () => {
  assert.match(whyOf(decide(seen({ server: up(inside({ role: "PRIMARY", quorum: false })) }))), /unreachable/);
});

test("a new primary writes itself into the record before it serves", () => {
  const observation = seen({ self: "db-1", server: up(inside({ role: "PRIMARY" })) });
  assert.deepEqual(decide(observation), { kind: "record", record: { ...record, primary: "db-1", viewNumber: 5 } });
  const recorded = { ...record, primary: "db-1" };
  assert.deepEqual(decide({ ...observation, snapshot: { record: recorded, version: "2", decision: undefined } }), {
    kind: "serve",
    role: "primary",
  });
});

test("a primary that was frozen closes at once, and leaves the record to the one that was elected meanwhile", () => {
  const server = up(inside({ role: "PRIMARY", viewNumber: 5 }));
  const later = { ...record, primary: "db-1", viewNumber: 6 };
  assert.deepEqual(decide(seen({ server, record: later })), { kind: "leave", why: "db-1 is primary by now" });
  // a hand-over in order leaves the view as it is
  assert.equal(kindOf(seen({ server, record: { ...later, viewNumber: 5 } })), "record");
});

test("the primary removes from the record members that are not wanted and have left, and no others", () => {
  const present = inside({ role: "PRIMARY" }).members.filter(({ name }) => name !== "db-2");
  const server = up(inside({ role: "PRIMARY", members: present }));
  assert.equal(kindOf(seen({ server, wanted: 3 })), "serve");
  assert.deepEqual(decide(seen({ server, wanted: 1 })), {
    kind: "record",
    record: { ...record, members: ["db-0", "db-1"] },
  });
});

test("a member of a group that the record does not name leaves it", () => {
  for (const role of ["PRIMARY", "SECONDARY"] as const) {
    assert.equal(kindOf(seen({ server: up(inside({ role, view: "v2" })) })), "leave");
  }
});

test("the member that claimed the bootstrap records its group, and itself as its primary", () => {
  const server = up(inside({ role: "PRIMARY", view: "v2", viewNumber: 1 }));
  const claimed = { ...record, bootstrapping: "db-0" };
  assert.deepEqual(decide(seen({ server, record: claimed })), {
    kind: "record",
    record: { ...record, view: "v2", viewNumber: 1 },
  });
  const other = { ...record, bootstrapping: "db-1" };
  assert.equal(kindOf(seen({ server, record: other })), "leave");
});

test("a restarted member that is still in the others' view waits until they have dropped it", () => {
  const listed = up(inside());
  assert.match(whyOf(decide(seen({ peers: [peer("db-1", listed)] }))), /since its restart/);
});

test("a running group is joined through those of its members that answer", () => {
  const peers = [peer("db-1", up(others())), peer("db-2", { kind: "down" })];
  assert.deepEqual(decide(seen({ peers })), { kind: "join", seeds: ["db-1"], clone: false });
});

test("a member writes itself into the record before it joins", () => {
  const without = { ...record, members: ["db-1"] };
  assert.deepEqual(decide(seen({ record: without, peers: [peer("db-1", up(others()))] })), {
    kind: "record",
    record: { ...without, members: ["db-0", "db-1"] },
  });
});

test("a member without data enters the record only once it has the data, so that every recorded member can lead alone", () => {
  const alone = { ...record, members: ["db-1"], primary: "db-1" };
  const empty = (membership: Membership): Observation =>
    seen({
      record: alone,
      server: up(membership, { fresh: true, transactions: "" }),
      peers: [peer("db-1", up(others()))],
    });
  assert.equal(kindOf(empty(outside)), "join");
  assert.equal(kindOf(empty(inside({ state: "RECOVERING" }))), "wait");
  assert.equal(kindOf(empty(inside())), "record");
  // the only member with data restarts while the others copy
  const newcomers = ["db-0", "db-2"].map((name) => peer(name, up(outside, { fresh: true, transactions: "" })));
  assert.equal(kindOf(seen({ self: "db-1", record: alone, peers: newcomers })), "bootstrap");
});

test("an empty member begins with a copy; one that has its copy does not copy again", () => {
  const peers = [peer("db-1", up(others()))];
  const joining = (transactions: string): Action =>
    decide(seen({ peers, server: up(outside, { fresh: true, transactions }) }));
  assert.deepEqual(joining(""), { kind: "join", seeds: ["db-1"], clone: true });
  assert.deepEqual(joining(to(9)), { kind: "join", seeds: ["db-1"], clone: false });
});

test("a group without a majority, or other than the recorded one, is not joined", () => {
  assert.equal(kindOf(seen({ peers: [peer("db-1", up(inside({ quorum: false })))] })), "wait");
  assert.equal(kindOf(seen({ peers: [peer("db-1", up(inside({ view: "v2" })))] })), "wait");
  assert.equal(kindOf(seen({ peers: [peer("db-1", up(inside({ state: "RECOVERING" })))] })), "wait");
});

test("a member that is stopping begins nothing", () => {
  assert.equal(kindOf(seen({ stopping: true, peers: [peer("db-1", up(inside()))] })), "wait");
});

// the first start of all

const fresh = up(outside, { fresh: true, transactions: "" });

test("only the first member begins a new database, whether others are there or not", () => {
  const none: GroupRecord = { members: [] };
  assert.deepEqual(decide(seen({ record: none, server: fresh })), {
    kind: "bootstrap",
    record: { members: [], bootstrapping: "db-0" },
  });
  assert.equal(kindOf(seen({ record: none, server: fresh, self: "db-1", peers: [peer("db-0", fresh)] })), "wait");
});

test("no new database is begun beside a member that has data", () => {
  const none: GroupRecord = { members: [] };
  const found = decide(seen({ record: none, server: fresh, peers: [peer("db-2", up(outside))] }));
  assert.equal(found.kind, "person");
  assert.match(whyOf(found), /db-2 has data that db-0 lacks/);
});

test("where the record was lost, a first member with data waits until all others have said what they have", () => {
  const none: GroupRecord = { members: [] };
  const alone = seen({ record: none, wanted: 2 });
  assert.match(whyOf(decide(alone)), /db-1 may have data that db-0 lacks/);
  assert.equal(kindOf({ ...alone, peers: [peer("db-1", fresh)] }), "bootstrap");
  assert.equal(kindOf({ ...alone, peers: [peer("db-1", up(outside, { transactions: to(11) }))] }), "person");
});

// after an outage of all

test("a group that ended cleanly is continued by a member with all of its data, and the record of the next one drops the note", () => {
  const ended = { ...record, primary: "db-2", ended: { transactions: to(10) } };
  const claimed = { ...ended, bootstrapping: "db-0" };
  assert.deepEqual(decide(seen({ record: ended, wanted: 1 })), { kind: "bootstrap", record: claimed });
  const server = up(inside({ role: "PRIMARY", view: "v2", viewNumber: 1 }));
  assert.deepEqual(decide(seen({ record: claimed, server, wanted: 1 })), {
    kind: "record",
    record: { ...record, view: "v2", viewNumber: 1 },
  });
  // one that was frozen all the time
  assert.equal(kindOf(seen({ record: ended, server: up(inside({ role: "PRIMARY" })) })), "leave");
});

test("a single member that restarts leads again at once", () => {
  const single = { ...record, members: ["db-0"] };
  assert.equal(kindOf(seen({ record: single, wanted: 1 })), "bootstrap");
});

test("after an outage of all members the most complete one leads, and the others wait for it", () => {
  assert.equal(kindOf(outage(1, [12, 11, 10])), "bootstrap");
  assert.match(whyOf(decide(outage(0, [11, 12, 10]))), /db-1 is to lead$/);
});

test("among equals the last primary leads, else the lowest ordinal", () => {
  const last = { ...record, primary: "db-2" };
  assert.equal(kindOf(outage(2, [10, 10, 10], { record: last })), "bootstrap");
  assert.match(whyOf(decide(outage(0, [10, 10, 10], { record: last }))), /db-2 is to lead$/);
  assert.equal(kindOf(outage(0, [12, 12, 10], { record: last })), "bootstrap");
  assert.match(whyOf(decide(outage(1, [12, 12, 10], { record: last }))), /db-0 is to lead$/);
});

test("a claim names the member that bootstraps and leaves the rest of the record as it is", () => {
  assert.deepEqual(decide(outage(0, [10, 10, 10])), {
    kind: "bootstrap",
    record: { ...record, bootstrapping: "db-0" },
  });
});

test("most members are enough, with the last primary among them", () => {
  assert.equal(kindOf(seen({ peers: [peer("db-1", up(outside))] })), "bootstrap");
  assert.equal(kindOf(seen({ peers: [] })), "wait");
  const without = seen({ self: "db-1", peers: [peer("db-2", up(outside))] });
  assert.match(whyOf(decide(without)), /last primary db-0/);
});

test("half of the members are not enough", () => {
  const four = { ...record, members: ["db-0", "db-1", "db-2", "db-3"] };
  assert.match(
    whyOf(decide(seen({ record: four, wanted: 4, peers: [peer("db-1", up(outside))] }))),
    /db-2, db-3 are not/,
  );
});

test("a member whose volume was lost does not count: it knows nothing of what was acknowledged", () => {
  assert.equal(kindOf(seen({ self: "db-1", peers: [peer("db-0", fresh), peer("db-2", up(outside))] })), "wait");
  assert.equal(kindOf(seen({ server: fresh, peers: [peer("db-1", up(outside)), peer("db-2", up(outside))] })), "wait");
});

test("a member that is still in a group, or about to lose its own, is waited for", () => {
  for (const membership of [inside({ quorum: false }), inside({ state: "RECOVERING", view: undefined })]) {
    assert.equal(kindOf(seen({ peers: [peer("db-1", up(outside)), peer("db-2", up(membership))] })), "wait");
  }
});

test("a member that was expelled by its group is no obstacle", () => {
  const lost = up({ ...outside, state: "ERROR" });
  assert.equal(kindOf(seen({ peers: [peer("db-1", up(outside)), peer("db-2", lost)] })), "bootstrap");
});

test("where each lacks what another has, none leads and a person decides", () => {
  const foreign = "4e11fa47-71ca-11e1-9e33-c80aa9429562:1";
  const peers = [peer("db-1", up(outside, { transactions: foreign })), peer("db-2", up(outside))];
  const found = decide(seen({ peers }));
  assert.equal(found.kind, "person");
  assert.match(whyOf(found), /errant transactions.*db-0, db-1, db-2/);
});

test("the deleted record of a running group is written again by its primary; the others wait and keep serving", () => {
  const lost: GroupRecord = { members: [] };
  const members = inside().members.map((member) =>
    member.name === "db-2" ? { ...member, state: "RECOVERING" } : member,
  );
  const primary = up(inside({ role: "PRIMARY", members }), { group: uuid });
  assert.deepEqual(decide(seen({ record: lost, server: primary })), {
    kind: "record",
    record: { group: uuid, members: ["db-0", "db-1"], primary: "db-0", view: "v1", viewNumber: 5 },
  });
  assert.equal(kindOf(seen({ record: lost, server: up(inside(), { group: uuid }) })), "wait");
});

test("a member counts once, however many answered in its name", () => {
  const twice = [peer("db-0", up(outside)), peer("db-0", up(outside))];
  assert.equal(kindOf(seen({ peers: twice })), "wait");
});

test("the claim of a dead member is no obstacle, and can be taken over", () => {
  const claimed = { ...record, bootstrapping: "db-2" };
  assert.deepEqual(decide(seen({ record: claimed, peers: [peer("db-1", up(outside))] })), {
    kind: "bootstrap",
    record: { ...record, bootstrapping: "db-0" },
  });
});
