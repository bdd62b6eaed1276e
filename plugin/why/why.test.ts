import assert from "node:assert/strict";
import test from "node:test";
import { fakeCluster, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { everything, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended } from "../../test/fakes/plugin/world";
import { serverEndAnnotation, serverEndText } from "../../contract/server-end";
import { databaseIn } from "../objects/database";
import type { SeenEvent } from "../objects/event";
import { memberIn, type SeenMember } from "../objects/member";
import { startOf } from "./cause";
import { isAbout } from "./related";

const plugin = (line: string, some: Partial<FakeCluster> = {}): Promise<Ended> =>
  runPlugin(line, { cluster: fakeCluster({ objects: everything, ...some }) });

const database = databaseIn(orders);
assert.ok(database);

const member = (some: Partial<SeenMember> = {}): SeenMember => {
  const seen = memberIn({ metadata: { name: "orders-1" } });
  assert.ok(seen);
  return { ...seen, createdAt: "2026-11-27T14:30:00Z", startedAt: "2026-11-27T14:30:02Z", ...some };
};

const event = (at: string, object: string, reason: string, message = ""): SeenEvent => {
  const [kind = "", name = ""] = object.split(" ");
  return { at: `2026-11-27T${at}Z`, kind, name, isWarning: false, reason, message, count: 1 };
};

const restarting = (of: string, at = "14:29:40"): SeenEvent =>
  event(at, "Database orders", "Restarting", `restarting ${of}: 2 of 3 (replica); why: image a → b`);
const killing = event("14:29:41", "Pod orders-1", "Killing", "Stopping container postgresql");
const oom = { reason: "OOMKilled", exitCode: 137, message: "", container: "postgresql" };
const ended = { ending: { ...oom, finishedAt: "2026-11-27T14:29:59Z" }, restarts: 1 };

const causes: Readonly<Record<string, readonly [SeenMember, readonly SeenEvent[], readonly string[]]>> = {
  "the operator restarted it": [
    member(),
    [killing, restarting("orders-1")],
    ["the operator: restarting orders-1: 2 of 3 (replica)", "image a → b"],
  ],
  "the operator restarted another one": [member(), [restarting("orders-10"), restarting("orders-2")], []],
  "the operator restarted it an hour before": [member(), [restarting("orders-1", "13:20:00")], []],
  "the operator restarts it now, which is no cause of the start before": [
    member(),
    [restarting("orders-1", "14:31:00")],
    [],
  ],
  "the operator was about to restart it, and it has the same pod still": [
    member({ createdAt: "2026-11-27T14:20:00Z" }),
    [restarting("orders-1", "14:25:00")],
    [],
  ],
  "the operator restarted the pod before, and this one was deleted": [
    member(),
    [killing, restarting("orders-1", "14:20:00"), event("14:20:10", "Pod orders-1", "Scheduled")],
    ["its pod was deleted; by whom is in the audit log of the API server"],
  ],
  "the operator restarted it, and then it ran out of memory": [
    member(ended),
    [restarting("orders-1")],
    ["container postgresql ended: OOMKilled, exit code 137"],
  ],
  "its server was killed, and its container lives": [
    member({ startedAt: "2026-11-27T14:31:00.250Z", serverEndedAt: "2026-11-27T14:31:00.250Z" }),
    [restarting("orders-1")],
    [serverEndText],
  ],
  "its server was killed, and later its container": [
    member({ ...ended, serverEndedAt: "2026-11-27T14:29:00.250Z" }),
    [],
    ["container postgresql ended: OOMKilled, exit code 137"],
  ],
  "its server ran out of memory": [member(ended), [], ["container postgresql ended: OOMKilled, exit code 137"]],
  "its server said why it ended": [
    member({ ...ended, ending: { ...ended.ending, reason: "Error", exitCode: 1, message: "first\nno space left\n" } }),
    [],
    ["container postgresql ended: Error, exit code 1: no space left"],
  ],
  "a probe failed": [
    member(ended),
    [event("14:29:50", "Pod orders-1", "Killing", "Container postgresql failed liveness probe, will be restarted")],
    [
      "container postgresql ended: OOMKilled, exit code 137",
      "the kubelet ended it: Container postgresql failed liveness probe, will be restarted",
    ],
  ],
  "a container of an init step ended in order, and nothing was restarted": [member({ ...ended, restarts: 0 }), [], []],
  "its node was drained": [
    member(),
    [killing, event("14:29:30", "Pod orders-1", "Evicted", "node is low on memory")],
    ["Evicted: node is low on memory"],
  ],
  "its pod was deleted": [member(), [killing], ["its pod was deleted; by whom is in the audit log of the API server"]],
  "the pod of another one was deleted": [member(), [event("14:29:41", "Pod orders-2", "Killing")], []],
  "it was new with its Database": [
    member({ createdAt: "2026-10-01T08:00:05Z", startedAt: "2026-10-01T08:00:09Z" }),
    [],
    ["the Database was new"],
  ],
};
for (const [what, [seen, events, chain]] of Object.entries(causes)) {
  test(`why a member started: ${what}`, () => {
    assert.deepEqual(startOf(seen, database, { events, recorded: [] }).chain, chain);
  });
}

const recorded: Readonly<Record<string, readonly [recorded: readonly string[], chain: readonly string[]]>> = {
  "a change is what the operator restarted it for": [
    ["revision 7: image a → b", "asked for by jane"],
    ["the operator: restarting orders-1: 2 of 3 (replica)", "revision 7: image a → b", "asked for by jane"],
  ],
  "an eviction was not the operator's doing, whatever it said before": [
    ["EvictionByEvictionAPI: evicting"],
    ["EvictionByEvictionAPI: evicting"],
  ],
};
for (const [what, [known, chain]] of Object.entries(recorded)) {
  test(`what the history has of a start: ${what}`, () => {
    assert.deepEqual(startOf(member(), database, { events: [restarting("orders-1")], recorded: known }).chain, chain);
  });
}

test("a server that was killed runs since then, in whichever pod it was", () => {
  const at = "2026-11-27T14:31:00.250Z";
  const pod = (startedAt: string): unknown => ({
    metadata: { name: "orders-1", annotations: { [serverEndAnnotation]: JSON.stringify({ count: 1, at }) } },
    status: { containerStatuses: [{ name: "postgresql", state: { running: { startedAt } } }] },
  });
  assert.equal(memberIn(pod("2026-11-27T14:30:02Z"))?.startedAt, at);
  assert.equal(memberIn(pod("2026-11-27T14:31:01Z"))?.startedAt, "2026-11-27T14:31:01Z");
});

const objects: Readonly<Record<string, boolean>> = {
  "Database orders": true,
  "Pod orders-0": true,
  "PersistentVolumeClaim data-orders-2": true,
  "StatefulSet orders": true,
  "DatabaseBackup nightly": true,
  "Job orders-init": true,
  "Job orders-backup-29401560": true,
  "Job orders-backup-first": true,
  "Job orders-backup-m0a1b2c3d": true,
  "Job orders-verify-29401560": true,
  "Database orders-backup": false,
  "Pod orders-backup-0": false,
  "Job orders-backup-init": false,
  "Job orders-backup-backup-29401560": false,
  "Pod web-0": false,
  "DatabaseBackup of-another": false,
  "ConfigMap orders": false,
};
for (const [object, expected] of Object.entries(objects)) {
  test(`an event about ${object} is ${expected ? "" : "not "}about the Database orders`, () => {
    assert.equal(isAbout("orders", new Set(["nightly"]))(event("14:00:00", object, "X")), expected);
  });
}

test("a member is asked about by its name, and a Database that is called so goes first", async () => {
  const { out } = await plugin("why orders-1");
  assert.match(
    out,
    / orders-1 runs since 2026-11-27 14:30 UTC, 29 min ago\n.*restarting orders-1.*\n.*max_connections 100 → 150/,
  );
  assert.doesNotMatch(out, /orders-0|DriftCorrected/);
  const called = { ...orders, metadata: { ...orders.metadata, name: "orders-1" } };
  assert.match((await plugin("why orders-1", { objects: [...everything, called] })).out, /^shop\/orders-1 /);
});

test("what happened is told once, the newest first, and not what happened to others", async () => {
  const { out } = await plugin("why orders");
  const times = [...out.matchAll(/^ {2}(\S+(?: \S+)?) {3,}(?:Pod|Database) /gm)].map(([, at]) => at);
  const today = ["14:30:02", "14:29:41", "14:29:40", "14:10:00", "13:00:03"];
  assert.deepEqual(times.slice(0, 5), today);
  // the condition, then what the history has of an upgrade and of a repair, of which no event is left
  const before = [
    "22 02:06:35",
    "22 02:06:31",
    "22 02:06:31",
    "22 02:05:50",
    "22 02:05:10",
    "22 02:03:40",
    "21 17:03:00",
  ];
  assert.deepEqual(
    times.slice(5),
    before.map((time) => `2026-11-${time}`),
  );
  assert.doesNotMatch(out, /web-7/);
});

test("an event and the condition that it was written for are one line", async () => {
  const written: Stored = {
    kind: "Event",
    metadata: { name: "e", namespace: "shop" },
    ...{ involvedObject: { kind: "Database", name: "orders" }, reason: "AllReplicasReady", message: "all are ready" },
    lastTimestamp: "2026-11-22T02:06:36Z",
  };
  const { out } = await plugin("why orders", { objects: [...everything, written] });
  assert.equal(out.match(/AllReplicasReady/g)?.length, 1);
});

const chains: Readonly<Record<string, readonly [incidents: readonly Stored[], chain: RegExp]>> = {
  "its revision, who asked for it and who approved": [
    everything,
    / orders-0 runs since .*\n.*└─ revision 40: image postgresql:17\.11 → postgresql:17\.12\n.*└─ asked for by jane, generation 3; approved by maria, plan 51d0e2b6a47f\n/,
  ],
  "no revision of another Database, or of a former one of the name": [
    everything.map((one) =>
      one.kind === "DatabaseRevision" ? { ...one, metadata: { ...one.metadata, ownerReferences: [] } } : one,
    ),
    / orders-0 runs since .*\n.*why is not known any more/,
  ],
};
for (const [what, [objects, chain]] of Object.entries(chains)) {
  test(`long after the events are gone a start has ${what}`, async () => {
    const left = objects.filter(({ kind }) => kind !== "Event");
    assert.match((await plugin("why orders", { objects: left })).out, chain);
  });
}

test("a start of long ago is not taken for the present one", async () => {
  const later = everything.map((one) =>
    one.metadata.name === "orders-0"
      ? { ...one, metadata: { ...one.metadata, creationTimestamp: "2026-11-24T00:00:00Z" } }
      : one,
  );
  assert.match((await plugin("why orders-0", { objects: later })).out, /why is not known any more/);
});

test("what is left out is said, and how to see it", async () => {
  const many = Array.from({ length: 30 }, (_, index): Stored => ({
    kind: "Event",
    metadata: { name: `e${index}`, namespace: "shop" },
    ...{ involvedObject: { kind: "Pod", name: "orders-0" }, reason: "Many", message: `number ${index}` },
    lastTimestamp: new Date(Date.parse("2026-11-27T14:59:00Z") - index * 1000).toISOString(),
  }));
  const objects = [...everything, ...many];
  assert.match((await plugin("why orders", { objects })).out, /\n {2}and 27 more: --all\n$/);
  assert.doesNotMatch((await plugin("why orders --all", { objects })).out, /more: --all/);
});

test("without the right to read events it says what is still known", async () => {
  const { code, out } = await plugin("why orders", { forbidden: ["events", "pods"] });
  assert.equal(code, 0);
  assert.match(out, /not shown: pods: you may not list pods/);
  assert.match(out, /not shown: events: you may not list events/);
  assert.match(out, /revision 41/);
});

test("a name that is neither is an error that names those that are near", async () => {
  const { code, err } = await plugin("why ordrs-1");
  assert.equal(code, 2);
  assert.match(err, /there is no Database "ordrs" in namespace shop\n {2}did you mean orders/);
});
