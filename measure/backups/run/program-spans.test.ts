import assert from "node:assert/strict";
import test from "node:test";
import { podsIn, ProgramSpans } from "./program-spans";

const pod = (uid: string, state: object): unknown => ({
  metadata: { name: `pod-${uid}`, uid },
  status: { containerStatuses: [{ state }] },
});
const [first, later, last] = ["2026-11-26T05:00:01Z", "2026-11-26T05:00:20Z", "2026-11-26T05:00:45Z"];

test("the program of a Job lasts from its first start to its last end, with what was between", () => {
  const spans = new ProgramSpans();
  spans.note(podsIn([pod("a", { running: { startedAt: first } })]));
  spans.note(podsIn([pod("b", { running: { startedAt: later } })]));
  assert.equal(spans.whole(), undefined, "the one that was killed is gone, and its successor has not ended");
  spans.note(podsIn([pod("b", { terminated: { startedAt: later, finishedAt: last } })]));
  assert.deepEqual(spans.whole(), { from: Date.parse(first), to: Date.parse(last) });
});

test("a pod that has not begun counts for nothing", () => {
  const spans = new ProgramSpans();
  spans.note(
    podsIn([pod("a", { waiting: { reason: "ContainerCreating" } }), { metadata: { name: "b", uid: "b" }, status: {} }]),
  );
  assert.equal(spans.whole(), undefined);
});
