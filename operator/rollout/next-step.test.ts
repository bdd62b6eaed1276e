// The next step of a rollout for single situations; step.properties.test.ts has what must hold in all of them.
import assert from "node:assert/strict";
import test from "node:test";
import type { Member } from "../domain/members";
import { memberOf } from "../../test/fakes/ports";
import { nextStep, type Situation } from "./next-step";

const old = { revision: "old" };
const primary = { role: "primary" } as const;
const starting = { ready: false, served: false, role: undefined };
const failing = { ...starting, failure: 'the server says "start failed"' };
const going = { terminating: true };
const noRoom = { problem: "Unschedulable: 0/3 nodes are available: 3 Insufficient memory." };

const staysAway = (name: string, why: string): string => `${name} does not come back: ${why}`;

const [shop0, shop1, shop2] = ["shop-0", "shop-1", "shop-2"].map(
  (name) =>
    (...some: Partial<Member>[]): Member =>
      memberOf(name, Object.assign({}, ...some) as Partial<Member>),
) as [
  (...some: Partial<Member>[]) => Member,
  (...some: Partial<Member>[]) => Member,
  (...some: Partial<Member>[]) => Member,
];

const allOld = [shop0(primary, old), shop1(old), shop2(old)];

function said(members: readonly Member[], some: Partial<Situation> = {}, wanted = 3): string {
  const workload = { uid: "w", generation: 2, wanted, seen: true, revision: "new" };
  const step = nextStep({ name: "shop", workload, members, applied: undefined, changed: "now", ...some });
  switch (step.kind) {
    case "none":
      return "none";
    case "wait":
      return ["wait", step.text, step.obstacle].filter((part) => part !== undefined).join(": ");
    case "restart":
      return `restart ${step.member.name}: ${step.text}`;
    case "rejected":
      return `rejected at ${step.member.name}: ${step.why}`;
  }
}

const cases: readonly (readonly [string, readonly Member[], string])[] = [
  ["all are up to date", [shop0(primary), shop1(), shop2()], "none"],
  ["an up-to-date member is down", [shop0(primary), shop1()], "none"],
  ["all are outdated", allOld, "restart shop-2: restarting shop-2: 1 of 3"],
  [
    "the primary has the highest number",
    [shop0(old), shop1(old), shop2(primary, old)],
    "restart shop-1: restarting shop-1: 1 of 3",
  ],
  [
    "the first is being deleted",
    [shop0(primary, old), shop1(old), shop2(old, going)],
    "wait: restarting shop-2: 1 of 3",
  ],
  ["the first is gone", [shop0(primary, old), shop1(old)], "wait: restarting shop-2: 1 of 3"],
  ["the first starts", [shop0(primary, old), shop1(old), shop2(starting)], "wait: restarting shop-2: 1 of 3"],
  [
    "the first is back, without a role yet",
    [shop0(primary, old), shop1(old), shop2({ role: undefined })],
    "wait: restarting shop-2: 1 of 3",
  ],
  ["the first is back", [shop0(primary, old), shop1(old), shop2()], "restart shop-1: restarting shop-1: 2 of 3"],
  ["only the primary is left", [shop0(primary, old), shop1(), shop2()], "restart shop-0: restarting shop-0: 3 of 3"],
  ["the primary hands over", [shop0(primary, old, going), shop1(), shop2()], "wait: restarting shop-0: 3 of 3"],
  [
    "another member took over before the primary's turn",
    [shop0(old), shop1(old), shop2(primary)],
    "restart shop-1: restarting shop-1: 2 of 3",
  ],
  [
    "no member is primary",
    [shop0(old), shop1(old), shop2()],
    "wait: restarting members: 1 of 3 done; no member is primary yet",
  ],
  [
    "two say that they are primary",
    [shop0(primary, old), shop1(primary, old), shop2()],
    "wait: restarting members: 1 of 3 done; no member is primary yet",
  ],
  ["an extra member has the previous settings", [shop0(primary), shop1(), shop2(), memberOf("shop-3", old)], "none"],
  [
    "the first did not start, and is being deleted",
    [shop0(primary, old), shop1(old), shop2(failing, going)],
    "wait: restarting shop-2: 1 of 3",
  ],
  [
    "all come back from a full outage, and a start fails meanwhile",
    [shop0(starting), shop1(starting), shop2(failing)],
    "none",
  ],
  ["there is one member too many", [...allOld, memberOf("shop-3", going)], "wait: restarting shop-3: 1 of 3"],
  [
    "the first does not start",
    [shop0(primary, old), shop1(old), shop2(failing)],
    'rejected at shop-2: the server says "start failed"',
  ],
  [
    "a later one does not start",
    [shop0(primary, old), shop1(failing), shop2()],
    `wait: restarting shop-1: 2 of 3: ${staysAway("shop-1", failing.failure)}`,
  ],
  [
    "the first served, and then stopped serving",
    [shop0(primary, old), shop1(old), shop2(failing, { served: true })],
    `wait: restarting shop-2: 1 of 3: ${staysAway("shop-2", failing.failure)}`,
  ],
  [
    "no node has room for the first",
    [shop0(primary, old), shop1(old), shop2(starting, noRoom)],
    `wait: restarting shop-2: 1 of 3: ${staysAway("shop-2", noRoom.problem)}`,
  ],
  [
    "no node has room for the first, and another no longer starts",
    [shop0(primary, old), shop1(failing, old), shop2(starting, noRoom)],
    `wait: restarting shop-2: 1 of 3: ${staysAway("shop-2", noRoom.problem)}`,
  ],
  [
    "the first is gone, and another no longer starts",
    [shop0(primary, old), shop1(failing, old)],
    "wait: restarting shop-1: 1 of 3",
  ],
  [
    "no node has room for the first, and no member serves",
    [shop0(failing, primary, old), shop1(failing, old), shop2(starting, noRoom)],
    `wait: restarting shop-2: 1 of 3: ${staysAway("shop-2", noRoom.problem)}`,
  ],
  [
    "the first starts, and the others no longer start",
    [shop0(failing, primary, old), shop1(failing, old), shop2(starting)],
    "restart shop-1: restarting shop-1: 1 of 3",
  ],
  [
    "what no node had room for was reverted",
    [shop0(primary), shop1(), shop2(starting, noRoom, old)],
    "restart shop-2: restarting shop-2: 3 of 3",
  ],
  [
    "a rejected setting was corrected",
    [shop0(primary), shop1(), shop2(failing, old)],
    "restart shop-2: restarting shop-2: 3 of 3",
  ],
  [
    "a rejected setting was changed once more",
    [shop0(primary, old), shop1(old), shop2(failing, { revision: "older" })],
    "restart shop-2: restarting shop-2: 1 of 3",
  ],
  [
    "an outdated replica does not start",
    [shop0(primary, old), shop1(old), shop2(starting, old)],
    "restart shop-2: restarting shop-2: 1 of 3",
  ],
  [
    "two outdated replicas recover, and may vote",
    [shop0(primary, old), shop1(starting, old), shop2(starting, old)],
    "restart shop-2: restarting shop-2: 1 of 3",
  ],
  [
    "one of them is being deleted",
    [shop0(primary, old), shop1(starting, old), shop2(starting, old, going)],
    "wait: restarting shop-2: 1 of 3",
  ],
  ["one of them is gone", [shop0(primary, old), shop1(starting, old)], "wait: restarting shop-1: 1 of 3"],
  [
    "one of them starts with the current template",
    [shop0(primary, old), shop1(starting, old), shop2(starting)],
    "wait: restarting shop-2: 1 of 3",
  ],
  [
    "the outdated primary recovers",
    [shop0(primary, old, { ready: false }), shop1(), shop2()],
    "wait: restarting shop-0: 3 of 3",
  ],
  [
    "a setting is corrected while no member serves",
    [shop0(failing, { served: true }), shop1(failing, { served: true }), shop2(failing, old)],
    "restart shop-2: restarting shop-2: 1 of 3",
  ],
];
for (const [what, members, expected] of cases) {
  test(`${what}: ${expected}`, () => {
    assert.equal(said(members), expected);
  });
}

test("a single member is restarted, and none takes over", () => {
  assert.equal(said([shop0(primary, old)], {}, 1), "restart shop-0: restarting shop-0: 1 of 1");
  assert.equal(said([shop0(failing, old)], {}, 1), "restart shop-0: restarting shop-0: 1 of 1");
});

test("a single member that starts with its previous settings is left alone, and one that cannot be placed is not", () => {
  assert.equal(said([shop0(starting, old)], {}, 1), "wait: restarting shop-0: 1 of 1");
  const recovering = shop0(old, { ready: false, problem: "container postgresql: Waiting" });
  assert.equal(said([recovering], {}, 1), "wait: restarting shop-0: 1 of 1");
  const unschedulable = shop0(starting, old, { problem: "Unschedulable: 0/1 nodes are available" });
  assert.equal(said([unschedulable], {}, 1), "restart shop-0: restarting shop-0: 1 of 1");
});

test("a single member that does not start is rejected after a change, and not when it is new", () => {
  assert.match(said([shop0(failing)], { changed: "before" }, 1), /^rejected/);
  assert.equal(said([shop0(failing)], { changed: "never" }, 1), "none");
});

test("a stale StatefulSet, or one that its controller has not seen, is waited for", () => {
  const workload = { uid: "w", generation: 2, wanted: 3, seen: true, revision: "new" };
  const applied = { uid: "w", generation: 3 };
  assert.equal(said(allOld, { workload, applied }), "wait: restarting members: 0 of 3 done");
  assert.equal(said(allOld, { workload: { ...workload, seen: false } }), "wait: restarting members: 0 of 3 done");
  const current = [shop0(primary), shop1(), shop2()];
  assert.equal(said(current, { workload, applied, changed: "before" }), "none");
  assert.match(said(current, { workload, applied, changed: "now" }), /^wait/);
});

test("a new StatefulSet that has not reported on its pods is not a rollout", () => {
  const workload = { uid: "w", generation: 1, wanted: 3, seen: false, revision: "" };
  assert.equal(said([shop0(starting), shop1(starting)], { workload, changed: "never" }), "none");
});

test("nothing is done where there is no StatefulSet", () => {
  assert.equal(said(allOld, { workload: undefined }), "none");
});

test("at the very first start only a server that says why it does not start is a rejection", () => {
  const complaining = { ...failing, complaint: "FATAL: no", failure: 'the server says "start failed": FATAL: no' };
  const first = { changed: "never", isFirst: true } as const;
  const whole = [shop0(complaining), shop1(starting), shop2(starting)];
  assert.equal(said(whole, first), 'rejected at shop-0: the server says "start failed": FATAL: no');
  assert.equal(said(whole, { changed: "never" }), "none");
  assert.equal(said([shop0(failing), shop1(starting), shop2(starting)], first), "none");
  assert.equal(said([shop0(complaining), shop1(starting, { served: true }), shop2(starting)], first), "none");
  const corrected = [shop0(complaining, old), shop1(starting, old), shop2(starting, old)];
  assert.equal(said(corrected, first), "restart shop-0: restarting shop-0: 1 of 3");
});
