// What a rollout does to members and says about it, over a cluster in memory.
import assert from "node:assert/strict";
import test from "node:test";
import { databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import { ChangePolicy } from "../api/change-policy";
import { metadataOf } from "../api/object";
import type { Revision } from "../domain/records";
import type { Member } from "../domain/members";
import { DatabaseSpec } from "../api/spec";
import type { Outcome } from "../domain/outcome";
import { rollOut, type Rollout } from "./rollout";

const change: Revision = {
  ...{ revision: 2, at: "2026-01-01T00:00:00Z", seconds: 1, digest: "d", summary: "1 updated", by: "kubectl" },
  restarts: "max_connections 100 → 150",
};
const rollout = (history: readonly Revision[] = [change]): Rollout => ({
  key: "team/shop",
  metadata: metadataOf(databaseObject()),
  record: { workload: undefined, history },
  spec: DatabaseSpec.parse(databaseObject().spec),
});

const old = { revision: "old" };
const allOld = [memberOf("shop-0", { ...old, role: "primary" }), memberOf("shop-1", old), memberOf("shop-2", old)];
const workload = { uid: "w", generation: 2, wanted: 3, seen: true, revision: "new" };

function clusterOf(members: readonly Member[]): FakeCluster {
  const cluster = new FakeCluster();
  cluster.observation = { workload, members, jobs: [] };
  return cluster;
}

const take = (cluster: FakeCluster, some = rollout()): Promise<Outcome> => rollOut(some, cluster.ports);
const text = (outcome: Outcome): string => `${outcome.kind}: ${"message" in outcome ? (outcome.message ?? "") : ""}`;

test("one member at a time is restarted, and the message says which, how far it is and why", async () => {
  const cluster = clusterOf(allOld);
  assert.equal(text(await take(cluster)), "waiting: restarting shop-2: 1 of 3 (max_connections 100 → 150)");
  assert.deepEqual(cluster.evicted, ["shop-2"]);
  assert.deepEqual(cluster.events, [
    {
      type: "Normal",
      reason: "Restarting",
      message: "restarting shop-2: 1 of 3 (replica); why: max_connections 100 → 150",
    },
  ]);
  assert.deepEqual(
    cluster.restartNotes.map(({ member, role }) => `${member} ${role}`),
    ["shop-2 replica"],
  );
});

test("while the member is down nothing is done, and the message stays the same", async () => {
  const cluster = clusterOf(allOld.slice(0, 2));
  assert.equal(text(await take(cluster)), "waiting: restarting shop-2: 1 of 3 (max_connections 100 → 150)");
  assert.deepEqual([cluster.evicted, cluster.events], [[], []]);
});

test("members that all have the current template are left alone, without asking the API server", async () => {
  const cluster = clusterOf(allOld.map((member) => ({ ...member, revision: "new" })));
  cluster.ports.members.read = () => assert.fail("the members were read again");
  assert.equal((await take(cluster)).kind, "settled");
});

for (const [what, members] of [
  [
    "another member went down",
    [...allOld.slice(0, 1), memberOf("shop-1", { ...old, ready: false }), memberOf("shop-2", old)],
  ],
  ["the restart has begun already", [...allOld.slice(0, 2), memberOf("shop-2", { ...old, terminating: true })]],
] as const) {
  test(`what the watches show is not enough: ${what}, so the member is left alone or that one restarted`, async () => {
    const cluster = clusterOf(allOld);
    cluster.membersNow = { workload, members: members.map((member) => ({ ...member, resourceVersion: "9" })) };
    await take(cluster);
    assert.ok(!cluster.evicted.includes("shop-2"), cluster.evicted.join());
  });
}

test("a member that has become primary since is not the next", async () => {
  const cluster = clusterOf(allOld);
  const roles: readonly Member["role"][] = ["replica", "replica", "primary"];
  const now = allOld.map((member, index) => ({ ...member, role: roles[index], resourceVersion: "9" }));
  cluster.membersNow = { workload, members: now };
  await take(cluster);
  assert.deepEqual(cluster.evicted, ["shop-1"]);
});

test("a disruption budget that forbids it is waited for, and reported", async () => {
  const cluster = clusterOf(allOld);
  cluster.evictions = [
    { kind: "forbidden", message: "it would violate the budget", afterMs: 500 },
    { kind: "changed" },
  ];
  assert.match(text(await take(cluster)), /^waiting: restarting shop-2.*not yet: it would violate the budget$/);
  assert.equal((await take(cluster)).kind, "waiting");
  assert.deepEqual(cluster.events, []);
  assert.deepEqual(cluster.restartNotes, []);
});

test("a first member that does not start stops it: ConfigRejected, with what was changed and what to do", async () => {
  const broken = memberOf("shop-2", { ready: false, served: false, failure: 'the server says "start failed"' });
  const cluster = clusterOf([...allOld.slice(0, 2), broken]);
  const outcome = await take(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ConfigRejected");
  assert.match(outcome.message, /^shop-2, .* does not start: the server says "start failed"; its log says more\./);
  assert.match(outcome.message, /What was changed: max_connections 100 → 150\..* revert it/);
  assert.match(outcome.message, /the others keep the previous settings/);
  assert.deepEqual(cluster.evicted, []);
});

test("a server that does not start for the first time is rejected with its own words, as long as there was no database", async () => {
  const why = 'the server says "start failed": [ERROR] no such engine';
  const broken = memberOf("shop-0", {
    ready: false,
    served: false,
    role: undefined,
    failure: why,
    complaint: "[ERROR]",
  });
  const cluster = clusterOf([broken]);
  const outcome = await take(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ConfigRejected");
  assert.match(
    outcome.message,
    /^shop-0 does not start for the first time: .*no such engine; its log .*Correct spec\.config/,
  );
});

test("a corrected setting heals: the broken member is recreated first and at once", async () => {
  const broken = memberOf("shop-2", { ...old, ready: false, served: false, role: undefined, failure: "start failed" });
  const cluster = clusterOf([memberOf("shop-0", { role: "primary" }), memberOf("shop-1"), broken]);
  const trying = { ...broken, failure: undefined };
  const others = [memberOf("shop-0", { role: "primary" }), memberOf("shop-1")];
  cluster.membersNow = {
    workload,
    members: [...others, trying].map((member) => ({ ...member, resourceVersion: "9" })),
  };
  await take(cluster);
  assert.deepEqual(cluster.evicted, ["shop-2"]);
  assert.match(cluster.events[0]?.message ?? "", /which does not start \(start failed\)/);
});

test("an unknown cause is not made up", async () => {
  const cluster = clusterOf(allOld);
  assert.equal(text(await take(cluster, rollout([]))), "waiting: restarting shop-2: 1 of 3");
  assert.match(cluster.events[0]?.message ?? "", /why: its pod was created from another template$/);
});

test("a serving member is not taken down for a successor that no node could take", async () => {
  const cluster = clusterOf(allOld);
  cluster.noPlace = "no node has 64Gi of memory (the largest has 15Gi) for a member";
  const outcome = await take(cluster);
  assert.match(text(outcome), /^waiting: restarting shop-2: 1 of 3 .*; not yet: no node has 64Gi of memory/);
  assert.deepEqual([cluster.evicted, cluster.events, cluster.placed], [[], [], ["data-shop-2"]]);
  cluster.noPlace = undefined;
  await take(cluster);
  assert.deepEqual(cluster.evicted, ["shop-2"]);
});

test("for a member that does not serve no node is looked for", async () => {
  const broken = memberOf("shop-2", { ...old, ready: false, served: false, failure: "start failed" });
  const cluster = clusterOf([memberOf("shop-0", { role: "primary" }), memberOf("shop-1"), broken]);
  cluster.noPlace = "no node takes pods now";
  await take(cluster);
  assert.deepEqual(cluster.evicted, ["shop-2"]);
});

const ofPlatform: Revision = { ...change, byPlatform: true };

test("what the platform asks for waits until the Database that goes first is done; what the spec asks for does not", async () => {
  const cluster = clusterOf(allOld);
  cluster.ports.fleet.note("team/first", { kind: "restarting" }, "all");
  assert.match(
    text(await take(cluster, rollout([ofPlatform]))),
    /^waiting: restarting shop-2: .*; held back: team\/first goes first$/,
  );
  assert.deepEqual(cluster.evicted, []);
  cluster.ports.fleet.done("team/first");
  assert.deepEqual(cluster.woken, ["team/shop"]);
  await take(cluster, rollout([ofPlatform]));
  assert.deepEqual(cluster.evicted, ["shop-2"]);
  const asked = clusterOf(allOld);
  asked.ports.fleet.note("team/first", { kind: "stopped", why: "no" }, "all");
  await take(asked);
  assert.deepEqual(asked.evicted, ["shop-2"]);
});

test("until the StatefulSet's controller has looked, members with the former template have not begun", async () => {
  const cluster = clusterOf(allOld);
  for (const outdated of [{ seen: false }, { generation: 1 }]) {
    cluster.observation = { workload: { ...workload, ...outdated, revision: "old" }, members: allOld, jobs: [] };
    const applied: Rollout = { ...rollout([ofPlatform]), record: { workload, history: [ofPlatform] } };
    assert.match(text(await take(cluster, applied)), /^waiting: restarting members: 0 of 3 done/);
    assert.equal(cluster.ports.fleet.ask("team/other", { members: 3, reach: "all" }), undefined);
    cluster.ports.fleet.forget("team/other");
  }
});

test("a rollout that has begun is never held back, and one that does not complete holds the others back", async () => {
  const others = [memberOf("shop-0", { ...old, role: "primary" }), memberOf("shop-1", old)];
  const cluster = clusterOf([...others, memberOf("shop-2")]);
  cluster.ports.fleet.note("team/first", { kind: "stopped", why: "no" }, "all");
  await take(cluster, rollout([ofPlatform]));
  assert.deepEqual(cluster.evicted, ["shop-1"]);
  const stuck = clusterOf([
    ...others,
    memberOf("shop-2", { ready: false, served: false, problem: "Unschedulable: no room" }),
  ]);
  await take(stuck, rollout([ofPlatform]));
  assert.match(
    stuck.ports.fleet.ask("team/other", { members: 3, reach: "all" }) ?? "",
    /^team\/shop does not complete \(shop-2 does not come back: Unschedul/,
  );
});

test("with its last member back a Database is done", async () => {
  const whole = [memberOf("shop-0", { role: "primary" }), memberOf("shop-1"), memberOf("shop-2")];
  const cluster = clusterOf([...whole.slice(0, 2), memberOf("shop-2", { ready: false })]);
  cluster.ports.fleet.note("team/shop", { kind: "restarting" }, "all");
  await take(cluster, rollout([ofPlatform]));
  assert.equal(cluster.ports.fleet.ask("team/other", { members: 3, reach: "all" }), "team/shop goes first");
  cluster.observation = { workload, members: whole, jobs: [] };
  await take(cluster, rollout([ofPlatform]));
  assert.equal(cluster.ports.fleet.ask("team/other", { members: 3, reach: "all" }), undefined);
});

test("a Database that may begin but has no node does not keep others from beginning", async () => {
  const cluster = clusterOf(allOld);
  cluster.noPlace = "no node takes pods now";
  await take(cluster, rollout([ofPlatform]));
  assert.deepEqual(cluster.evicted, []);
  assert.equal(cluster.ports.fleet.ask("team/other", { members: 3, reach: "all" }), undefined);
});

test("what a ConfigMap asked for, and does not complete, holds back its namespace alone", async () => {
  const rejected = memberOf("shop-2", { ready: false, served: false, failure: "no" });
  const cluster = clusterOf([...allOld.slice(0, 2), rejected]);
  assert.equal((await take(cluster, rollout([{ ...ofPlatform, source: "ConfigMap" }]))).kind, "stalled");
  assert.equal(cluster.ports.fleet.ask("bank/other", { members: 3, reach: "all" }), undefined);
  assert.match(
    cluster.ports.fleet.ask("team/other", { members: 3, reach: "all" }) ?? "",
    /^team\/shop does not complete/,
  );
});

const sundays = ChangePolicy.parse({ windows: [{ schedule: "0 2 * * SUN", duration: "4h" }] });
const [sunday, monday] = [new Date("2026-11-29T03:00:00Z"), new Date("2026-11-30T10:00:00Z")];

/** At that time, with such a policy for releases. */
function windowed(now: Date): FakeCluster {
  const cluster = clusterOf(allOld);
  cluster.now = now;
  cluster.foresight.settings.releases = sundays;
  return cluster;
}

test("a release that a window let in begins no restart once that is over, and leaves the others their turns", async () => {
  const late = windowed(monday);
  const outcome = await take(late, rollout([{ ...ofPlatform, source: "Release" }]));
  assert.match(
    text(outcome),
    /held back: it waits for a window \(RollingRestart, Switchover\): the next one opens at 2026-12-06T02:00:00Z$/,
  );
  assert.deepEqual(late.evicted, []);
  assert.equal(late.ports.fleet.ask("team/other", { members: 1, reach: "all" }), undefined);
  const begun = windowed(monday);
  begun.observation = { workload, members: [...allOld.slice(0, 2), memberOf("shop-2")], jobs: [] };
  await take(begun, rollout([ofPlatform]));
  assert.deepEqual(begun.evicted, ["shop-1"], "what has begun is finished");
  const inTime = windowed(sunday);
  await take(inTime, rollout([ofPlatform]));
  assert.deepEqual(inTime.evicted, ["shop-2"]);
});

test("what was approved for now, what is no release, and a Database that says so do not wait for the windows of releases", async () => {
  for (const some of [
    {
      ...rollout([ofPlatform]),
      record: { workload: undefined, history: [ofPlatform], agreed: { wish: "w", isNow: true } },
    },
    rollout([{ ...ofPlatform, source: "Catalogue" }]),
    { ...rollout([ofPlatform]), spec: DatabaseSpec.parse({ ...databaseObject().spec, changePolicy: {} }) },
  ]) {
    const cluster = windowed(monday);
    await take(cluster, some);
    assert.deepEqual(cluster.evicted, ["shop-2"]);
  }
});

test("a window of the Database itself holds for what the catalogue asks for", async () => {
  const cluster = clusterOf(allOld);
  cluster.now = monday;
  const record = { workload: undefined, history: [ofPlatform], agreed: { wish: "w", policy: sundays } };
  assert.match(text(await take(cluster, { ...rollout(), record })), /held back: it waits for a window/);
});
