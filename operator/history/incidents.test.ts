import assert from "node:assert/strict";
import test from "node:test";
import { memberOf } from "../../test/fakes/ports";
import type { Incident } from "../api/revisions/status";
import type { Member } from "../domain/members";
import { happenedSince, seenIn, type Happened, type MembersLook } from "./incidents";

const change = "revision 40: version 17.11 → 17.12";
const now = new Date("2026-11-27T14:00:30Z");
const look = (members: readonly Member[], some: Partial<MembersLook> = {}): MembersLook => ({
  ...{ members, wanted: 3, template: "old", change, now, isAtWork: false },
  ...some,
});

const leader = memberOf("shop-0", { role: "primary", revision: "old" });
const [first, second] = [memberOf("shop-1", { revision: "old" }), memberOf("shop-2", { revision: "old" })];
const all = [leader, first, second];
const before = { members: [...seenIn([], look(all))], primary: "shop-0" };

const another = (member: Member, some: Partial<Member> = {}): Member => ({
  ...member,
  uid: `other ${member.name}`,
  ...some,
});

/** Without the times, which are those of the look. */
const told = ({ incidents }: Happened): string[] =>
  incidents.map(({ kind, member, seconds, why }) =>
    [kind, member, ...(seconds === undefined ? [] : [`${seconds} s`]), ...why].join(" | "),
  );

const deleted = "its pod was deleted; by whom is in the audit log of the API server";
const cases: Readonly<Record<string, readonly [now: readonly Member[], told: readonly string[]]>> = {
  "nothing at rest": [all, []],
  "a pod of another template": [
    [leader, another(first, { revision: "new" }), second],
    [`Restarted | shop-1 | ${change}`],
  ],
  "a pod that a person deleted": [[leader, another(first), second], [`Restarted | shop-1 | ${deleted}`]],
  "a container that was killed": [
    [leader, { ...first, ends: 1, ending: "container postgresql ended (OOMKilled, exit code 137)" }, second],
    ["Restarted | shop-1 | container postgresql ended (OOMKilled, exit code 137)"],
  ],
  "a container that ended, of which nothing is known": [
    [leader, { ...first, ends: 1 }, second],
    ["Restarted | shop-1"],
  ],
  "a member more": [[...all, memberOf("shop-3")], [`Added | shop-3 | ${change}`]],
  "nothing of a pod that is away for the moment": [[leader, second], []],
  "a switchover": [
    [{ ...leader, role: "replica" }, { ...first, role: "primary" }, second],
    ["Promoted | shop-1 | shop-0, which led, hands over: it still runs"],
  ],
  "a failover from a pod that is going": [
    [
      { ...leader, terminating: true, disruption: "EvictionByEvictionAPI: evicting" },
      { ...first, role: "primary" },
      second,
    ],
    ["Promoted | shop-1 | shop-0, which led, is gone | EvictionByEvictionAPI: evicting"],
  ],
  "a failover from a pod that a person deletes": [
    [{ ...leader, terminating: true }, { ...first, role: "primary" }, second],
    [`Promoted | shop-1 | shop-0, which led, is gone | ${deleted}`],
  ],
  "a failover from a pod that was deleted by force": [
    [{ ...first, role: "primary" }, second],
    [`Promoted | shop-1 | shop-0, which led, is gone | ${deleted}`],
  ],
  "a failover from one that is not ready": [
    [{ ...leader, ready: false, role: undefined }, { ...first, role: "primary" }, second],
    ["Promoted | shop-1 | shop-0, which led, is not ready"],
  ],
  "a restart of the primary, and who leads in its place": [
    [another(leader, { revision: "new", role: "replica" }), { ...first, role: "primary" }, second],
    [`Restarted | shop-0 | ${change}`, `Promoted | shop-1 | shop-0, which led, was restarted | ${change}`],
  ],
};
for (const [what, [members, expected]] of Object.entries(cases)) {
  test(`of members it is told: ${what}`, () => {
    assert.deepEqual(told(happenedSince(before, [], look(members))), expected);
  });
}

test("a primary that is evicted for another template goes for the change that brought it", () => {
  const disruption = "EvictionByEvictionAPI: Eviction API: evicting";
  const going = [{ ...leader, terminating: true, disruption }, { ...first, role: "primary" as const }, second];
  const expected = [`Promoted | shop-1 | shop-0, which led, is gone | ${change}`];
  assert.deepEqual(told(happenedSince(before, [], look(going, { template: "new" }))), expected);
  assert.deepEqual(told(happenedSince(before, [], look(going.slice(1), { template: "new" }))), expected);
});

test("a primary whose pod is gone was evicted, where it was seen to be", () => {
  const disruption = "EvictionByEvictionAPI: Eviction API: evicting";
  const { seen, incidents } = happenedSince(
    before,
    [],
    look([{ ...leader, terminating: true, disruption }, first, second]),
  );
  const [took] = [{ ...first, role: "primary" as const }];
  assert.deepEqual(told(happenedSince(seen, incidents, look([took, second]))).slice(-1), [
    `Promoted | shop-1 | shop-0, which led, is gone | ${disruption}`,
  ]);
});

test("why Kubernetes took a pod away is remembered until another one is there", () => {
  const disruption = "DeletionByTaintManager: Taint manager: deleting due to NoExecute taint";
  const { seen, incidents } = happenedSince(
    before,
    [],
    look([leader, { ...first, terminating: true, disruption }, second]),
  );
  const gone = happenedSince(seen, incidents, look([leader, second]));
  assert.deepEqual(told(happenedSince(gone.seen, [], look([leader, another(first), second]))), [
    `Restarted | shop-1 | ${disruption}`,
  ]);
});

test("a member that is not wanted any more was removed by the change, once", () => {
  const { seen, incidents } = happenedSince(before, [], look([leader, first], { wanted: 2 }));
  assert.deepEqual(told({ seen, incidents }), [`Removed | shop-2 | ${change}`]);
  assert.deepEqual(told(happenedSince(seen, incidents, look([leader, first], { wanted: 2 }))), []);
});

test("an interruption is as long as no ready primary was seen, whichever operator saw it", () => {
  const down = happenedSince(
    before,
    [],
    look([another(leader, { ready: false, role: undefined, revision: "new" }), first, second]),
  );
  assert.equal(down.seen.interruptedSince, "2026-11-27T14:00:30Z");
  const still = happenedSince(down.seen, down.incidents, look(all.slice(1), { now: new Date("2026-11-27T14:00:31Z") }));
  const later = new Date("2026-11-27T14:00:34Z");
  const members = [another(leader, { revision: "new" }), first, second];
  const back = happenedSince(
    still.seen,
    down.incidents,
    look(
      members.map((one) => ({ ...one, role: one.name === "shop-0" ? "primary" : "replica" }) as const),
      { now: later },
    ),
  );
  assert.deepEqual(told(back), [`Interrupted | shop-0 | 4 s | shop-0, which led, was restarted | ${change}`]);
  assert.equal(back.seen.interruptedSince, undefined);
});

test("a restart of long ago is not why a primary leads no more", () => {
  const old: Incident = { at: "2026-11-27T13:00:00Z", kind: "Restarted", member: "shop-0", why: [change] };
  const members = [{ ...leader, role: "replica" as const }, { ...first, role: "primary" as const }, second];
  assert.deepEqual(told(happenedSince(before, [old], look(members))), [
    "Promoted | shop-1 | shop-0, which led, hands over: it still runs",
  ]);
});
