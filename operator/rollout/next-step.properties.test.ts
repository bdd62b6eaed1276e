// What holds of every step of a rollout, over all that can be seen of up to three members.
import assert from "node:assert/strict";
import test from "node:test";
import type { Member } from "../domain/members";
import { memberOf } from "../../test/fakes/ports";
import { nextStep, type Situation, type RolloutStep } from "./next-step";

/** Each state that a member may be in; undefined: it is missing. */
const states: readonly (Partial<Member> | undefined)[] = [
  undefined,
  ...["new", "old"].flatMap((revision) =>
    [
      { role: "primary" as const },
      { role: "replica" as const },
      { role: undefined },
      { role: "primary" as const, ready: false },
      { role: "replica" as const, ready: false },
      { role: "replica" as const, ready: false, failure: "start failed" },
      { role: undefined, ready: false, served: false },
      { role: undefined, ready: false, served: false, problem: "Unschedulable" },
      { role: undefined, ready: false, served: false, failure: "start failed" },
      { role: "replica" as const, terminating: true },
    ].map((state) => ({ revision, ...state })),
  ),
];

function* combinations(count: number): Generator<readonly (Partial<Member> | undefined)[]> {
  if (count === 0) yield [];
  else for (const rest of combinations(count - 1)) for (const state of states) yield [...rest, state];
}

const situationOf = (members: readonly Member[], wanted: number): Situation => ({
  ...{ name: "shop", applied: undefined, changed: "now", members },
  workload: { uid: "w", generation: 1, wanted, seen: true, revision: "new" },
});

const serves = ({ ready, terminating }: Member): boolean => ready && !terminating;

function* situations(): Generator<{
  readonly members: readonly Member[];
  readonly wanted: number;
  readonly step: RolloutStep;
}> {
  for (const wanted of [1, 2, 3]) {
    for (const combination of combinations(wanted)) {
      const members = combination.flatMap((state, ordinal) => (state ? [memberOf(`shop-${ordinal}`, state)] : []));
      yield { members, wanted, step: nextStep(situationOf(members, wanted)) };
    }
  }
}

test("only outdated members that are not being deleted are restarted", () => {
  for (const { step, members } of situations()) {
    if (step.kind !== "restart") continue;
    assert.ok(step.member.revision === "old" && !step.member.terminating, JSON.stringify(members));
  }
});

test("a member that serves is restarted only while all the others do", () => {
  for (const { step, members, wanted } of situations()) {
    if (step.kind !== "restart" || !serves(step.member)) continue;
    assert.ok(members.length === wanted && members.every(serves), JSON.stringify(members));
  }
});

test("while any member serves, no second one is restarted before the first is back, whatever keeps it down", () => {
  for (const { step, members, wanted } of situations()) {
    if (step.kind !== "restart" || !members.some(serves)) continue;
    const isBack = members.every(({ revision, ready, terminating }) => revision === "old" || (ready && !terminating));
    assert.ok(isBack && members.length === wanted, JSON.stringify(members));
  }
});

test("the primary is restarted only once all the others have the new settings and serve", () => {
  for (const { step, members } of situations()) {
    if (step.kind !== "restart" || step.member.role !== "primary" || !serves(step.member)) continue;
    const others = members.filter((member) => member !== step.member);
    assert.ok(
      others.every((other) => other.revision === "new" && serves(other)),
      JSON.stringify(members),
    );
  }
});

test("where one is primary and serves, a step never takes it down while another member is outdated", () => {
  for (const { step, members } of situations()) {
    if (step.kind !== "restart") continue;
    const others = members.filter((member) => member !== step.member && member.revision === "old");
    if (others.length > 0) assert.ok(step.member.role !== "primary" || !serves(step.member), JSON.stringify(members));
  }
});

test("a member that starts without failing is never restarted where no other is primary", () => {
  for (const { step, members } of situations()) {
    if (step.kind !== "restart" || serves(step.member) || members.length === 1) continue;
    const { failure, problem, served } = step.member;
    const isStuck = failure !== undefined || (!served && problem !== undefined);
    const hasPrimary = members.some((other) => other !== step.member && serves(other) && other.role === "primary");
    assert.ok(isStuck || hasPrimary, JSON.stringify(members));
  }
});

test("nothing is restarted while the only member with the new settings does not start", () => {
  for (const { step, members, wanted } of situations()) {
    const present = members.filter(({ revision }) => revision === "new");
    const isRejected =
      present.some(({ failure, terminating }) => failure !== undefined && !terminating) &&
      present.every(({ served }) => !served);
    const isUnderway = wanted === 1 || present.length < members.length;
    assert.equal(step.kind === "rejected", isRejected && isUnderway, JSON.stringify(members));
  }
});

/** What a cluster does with a step in which every start succeeds: the pod comes back with the new settings. */
function afterStep(members: readonly Member[], wanted: number, step: RolloutStep): Member[] {
  const gone = step.kind === "restart" ? step.member.name : undefined;
  const kept = members.filter(({ name, terminating }) => name !== gone && !terminating);
  const all = Array.from({ length: wanted }, (_, ordinal): Member => {
    const member = kept.find(({ name }) => name === `shop-${ordinal}`);
    return {
      ...(member ?? memberOf(`shop-${ordinal}`)),
      ready: true,
      served: true,
      failure: undefined,
      problem: undefined,
    };
  });
  const leader =
    all.find(({ role }) => role === "primary")?.name ?? all.find(({ revision }) => revision === "new")?.name;
  return all.map((member) => ({ ...member, role: member.name === (leader ?? "shop-0") ? "primary" : "replica" }));
}

test("from any state it ends after at most one restart of each outdated member, and none is left behind", () => {
  for (const { members: first, wanted } of situations()) {
    let members = first;
    const outdated = members.filter(({ revision }) => revision === "old").length;
    let restarts = 0;
    // one turn more than restarts, for one may only wait
    for (let turn = 0; turn <= wanted + 1; turn++) {
      const step = nextStep(situationOf(members, wanted));
      if (step.kind === "restart") restarts++;
      members = afterStep(members, wanted, step);
    }
    assert.ok(restarts <= outdated, JSON.stringify(first));
    assert.ok(
      members.every(({ revision }) => revision === "new"),
      JSON.stringify(first),
    );
  }
});
