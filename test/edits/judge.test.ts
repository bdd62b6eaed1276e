import assert from "node:assert/strict";
import test from "node:test";
import { problemsIn, type Stretch } from "./judge";
import type { Sighting } from "./pod-history";
import type { Prediction } from "./prediction";

const still: Prediction = { restarts: { kind: "none" }, switchover: false };
const held: Prediction = { restarts: { kind: "held" }, switchover: false };
const all: Prediction = { restarts: { kind: "all" }, switchover: true };
const inOrder = (...members: string[]): Prediction => ({ restarts: { kind: "these", members }, switchover: true });

/** A pod that is seen at a moment, `name/generation`. */
function seen(at: number, pod: string, state: Partial<Sighting> = {}): Sighting {
  const [name = ""] = pod.split("/");
  const usual = { role: "replica", isScheduled: true, isReady: true, isEnding: false, isGone: false };
  return { ...usual, at, database: "team/shop", name, uid: pod, ...state };
}

const primary = { role: "primary" };
const begin = [seen(0, "shop-0/a", primary), seen(0, "shop-1/a"), seen(0, "shop-2/a")];

/** It goes, and comes again ready 20 ms later. */
const restart = (
  at: number,
  name: string,
  [from, to]: readonly [string, string],
  state: Partial<Sighting> = {},
): Sighting[] => [
  seen(at, `${name}/${from}`, { isEnding: true }),
  seen(at + 5, `${name}/${from}`, { isGone: true }),
  seen(at + 10, `${name}/${to}`, { isReady: false, role: "" }),
  seen(at + 20, `${name}/${to}`, state),
];
const ab = ["a", "b"] as const;

/** All three, shop-2 takes over from shop-0. */
const rollout = [
  ...restart(100, "shop-2", ab),
  ...restart(200, "shop-1", ab),
  ...restart(300, "shop-0", ab).slice(0, 1),
  seen(302, "shop-2/b", primary),
  ...restart(300, "shop-0", ab).slice(1),
];

const judged = (after: readonly Sighting[], some: Partial<Stretch> = {}): string[] =>
  problemsIn([...begin, ...after], {
    ...{ from: 50, to: 1000, lasting: 3, predictions: [still], mostWithoutPrimary: 10 },
    ...some,
  });

test("what was predicted and came is not a problem", () => {
  assert.deepEqual(judged([]), []);
  assert.deepEqual(judged(rollout, { predictions: [inOrder("shop-2", "shop-1", "shop-0")] }), []);
  assert.deepEqual(judged(rollout, { predictions: [all] }), []);
  assert.deepEqual(judged([], { predictions: [held] }), []);
});

test("members that restart once more do so, neither less nor more often", () => {
  const predictions: readonly Prediction[] = [{ ...all, again: true }];
  const bc = ["b", "c"] as const;
  const once = ["shop-1", "shop-2", "shop-0"].flatMap((name, index) => restart(400 + 100 * index, name, bc));
  const state = { ...primary, isReady: true };
  // the one that was primary is it again
  const back = [...rollout, ...once.slice(0, 5), seen(552, "shop-0/b", state), ...once.slice(5)];
  const counts = (found: readonly string[]): string[] => found.filter((problem) => problem.includes("restarted"));
  assert.deepEqual(counts(judged(back, { predictions })), []);
  assert.deepEqual(counts(judged(rollout, { predictions })), [
    "shop-0 was restarted 1 times, predicted were 2",
    "shop-1 was restarted 1 times, predicted were 2",
    "shop-2 was restarted 1 times, predicted were 2",
  ]);
  assert.equal(counts(judged(back, { predictions: [all] })).length, 3);
  // the first of two edits may have begun what the second one does not
  assert.deepEqual(counts(judged(back, { predictions: [{ ...all, again: true }, still] })), []);
});

test("a pod that is gone before a node has it is not a restart of its own", () => {
  const [ending, gone, ...again] = restart(100, "shop-1", ["a", "c"]);
  assert.ok(ending !== undefined && gone !== undefined);
  const never = { isScheduled: false, isReady: false, role: "" };
  const twice = [
    ending,
    gone,
    seen(106, "shop-1/b", never),
    seen(107, "shop-1/b", { ...never, isGone: true }),
    ...again,
  ];
  assert.deepEqual(judged(twice), ["shop-1 was restarted 1 times, predicted were 0"]);
});

test("a member that waits for a node from the beginning is restarted where its pod is another one later", () => {
  const waits = seen(10, "shop-3/a", { isScheduled: false, isReady: false, role: "" });
  const of = (predictions: readonly Prediction[], ...after: readonly Sighting[]): string[] =>
    judged([waits, ...after], { lasting: 4, predictions });
  const replaced = [seen(100, "shop-3/a", { isGone: true }), seen(101, "shop-3/b")];
  assert.deepEqual(of([{ ...inOrder("shop-3"), switchover: false }], ...replaced), []);
  assert.deepEqual(of([still], ...replaced), ["shop-3 was restarted 1 times, predicted were 0"]);
  assert.deepEqual(of([still], seen(100, "shop-3/a")), []);
  assert.deepEqual(of([{ ...inOrder("shop-3"), switchover: false }]), [
    "shop-3 was restarted 0 times, predicted were 1",
  ]);
});

test("an unpredicted restart is a problem, and so is a change of the primary", () => {
  assert.deepEqual(judged(restart(100, "shop-1", ab)), ["shop-1 was restarted 1 times, predicted were 0"]);
  assert.deepEqual(judged(restart(100, "shop-1", ab), { predictions: [held] }), [
    "shop-1 was restarted 1 times, predicted were 0",
  ]);
  assert.deepEqual(judged([seen(100, "shop-2/a", primary), seen(101, "shop-0/a")]), [
    "primary was shop-0 and is shop-2, which was not predicted",
  ]);
});

test("a predicted restart that never came is a problem, and so is a switchover", () => {
  assert.deepEqual(judged([], { predictions: [all] }), [
    ...["shop-0", "shop-1", "shop-2"].map((name) => `${name} was restarted 0 times, predicted were 1`),
    "shop-0 is still primary, though another member was to take over",
  ]);
});

test("a member that is restarted twice is a problem", () => {
  const twice = [...rollout, ...restart(400, "shop-1", ["b", "c"])];
  assert.deepEqual(judged(twice, { predictions: [all] }), ["shop-1 was restarted 2 times, predicted were 1"]);
});

test("another order than the predicted one is a problem", () => {
  assert.deepEqual(judged(rollout, { predictions: [inOrder("shop-1", "shop-2", "shop-0")] }), [
    "members were restarted in the order shop-2, shop-1, shop-0, predicted was shop-1, shop-2, shop-0",
  ]);
});

test("two members that are down at once are a problem, whatever took the second down", () => {
  const both = [...restart(100, "shop-2", ab), ...restart(115, "shop-1", ab)].sort((left, right) => left.at - right.at);
  assert.deepEqual(judged(both, { predictions: [{ ...all, switchover: false }], lasting: 3 }).slice(-1), [
    "shop-1 and shop-2 were down at the same time",
  ]);
  const unready = [seen(100, "shop-1/a", { isReady: false }), seen(101, "shop-2/a", { isReady: false })];
  assert.deepEqual(judged(unready), ["shop-1 and shop-2 were down at the same time"]);
});

test("members that are no longer wanted, and new ones that have not served yet, are not down", () => {
  const fewer = ["shop-1", "shop-2"].flatMap((name) => restart(100, name, ab).slice(0, 2));
  assert.deepEqual(judged(fewer, { lasting: 1 }), []);
  const more = [seen(100, "shop-3/a", { isReady: false }), ...restart(110, "shop-2", ab)];
  assert.deepEqual(
    judged(more, { predictions: [inOrder("shop-2")].map((one) => ({ ...one, switchover: false })) }),
    [],
  );
});

test("a primary that is down for longer than a switchover takes is a problem, also where it does not come back", () => {
  const late = [seen(100, "shop-0/a", { ...primary, isReady: false }), seen(150, "shop-0/a", primary)];
  assert.deepEqual(judged(late), ["for 50 ms no member was primary, at most 10 were expected"]);
  assert.deepEqual(judged(late, { mostWithoutPrimary: 60 }), []);
  assert.deepEqual(judged(late.slice(0, 1)), ["for 900 ms no member was primary, at most 10 were expected"]);
});

test("of two edits the second may come in the middle of what the first began: at most one restart for each, at least what both need", () => {
  const once = { predictions: [all, all] };
  assert.deepEqual(judged(rollout, once), []);
  const twice = [...rollout, ...restart(400, "shop-1", ["b", "c"])];
  assert.deepEqual(judged(twice, once), []);
  assert.deepEqual(judged([...twice, ...restart(500, "shop-1", ["c", "d"])], once).length, 1);
  // the second takes the first back
  const back = [...restart(100, "shop-2", ab), ...restart(200, "shop-2", ["b", "c"])];
  assert.deepEqual(judged(back, { predictions: [all, still] }), []);
  assert.deepEqual(judged([], { predictions: [all, still] }), []);
  assert.deepEqual(judged(restart(100, "shop-2", ab), { predictions: [still, still] }).length, 1);
  assert.deepEqual(judged(restart(100, "shop-2", ab), { predictions: [still, held] }).length, 1);
});

test("what happened before belongs to another stretch", () => {
  assert.deepEqual(judged(rollout, { from: 500 }), []);
});
