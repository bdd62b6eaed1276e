import assert from "node:assert/strict";
import test from "node:test";
import { emptyRecord } from "../domain/records";
import { Agreed, type Pending } from "../domain/pending";
import type { ApprovalJudgement } from "./approval";
import { withPlan } from "./carried";
import type { Decision } from "./decide";

const waited: Pending = {
  wish: "w1",
  shown: {
    ...{
      digest: "7f3c",
      effect: "RollingRestart",
      since: "2026-11-27T14:00:00Z",
      generation: 3,
      waitsFor: [],
      changes: [],
    },
    consequences: [{ effect: "RollingRestart", members: ["shop-0"], message: "all members restart" }],
  },
  former: [],
  authors: ["john", "jane"],
};
const record = { ...emptyRecord("uid-1"), agreed: { wish: "w1" } };
const approved: ApprovalJudgement = { kind: "accepted", by: "maria", isNow: false };
const { consequences } = waited.shown;

const cases: readonly (readonly [what: string, decision: Decision, judged: ApprovalJudgement, plan: Agreed["plan"]])[] =
  [
    [
      "who approved it, where it needed that",
      { kind: "go", by: "approval" },
      approved,
      { plan: "7f3c", effect: "RollingRestart", consequences, generation: 3, by: "maria", author: "jane" },
    ],
    [
      "no one, where a window let it through, whatever was approved besides",
      { kind: "go", by: "window" },
      approved,
      { plan: "7f3c", effect: "RollingRestart", consequences, generation: 3, author: "jane" },
    ],
    [
      "nothing of a change that waits",
      { kind: "wait", approvalOf: [], needsApproval: true },
      { kind: "none" },
      undefined,
    ],
  ];
for (const [what, decision, judged, plan] of cases) {
  test(`of a change that passed it is told: ${what}`, () => {
    assert.deepEqual(withPlan(record, waited, { decision, judged }).agreed?.plan, plan);
  });
}

test("no author is named where none is known", () => {
  const passed = { decision: { kind: "go", by: "nothing" }, judged: { kind: "none" } } as const;
  for (const authors of [undefined, []])
    assert.equal(withPlan(record, { ...waited, authors }, passed).agreed?.plan?.author, undefined);
});

test("a plan is noted so that the next operator reads it, however long a name is", () => {
  const judged: ApprovalJudgement = { kind: "accepted", by: "m".repeat(300), isNow: false };
  const { agreed } = withPlan(record, waited, { decision: { kind: "go", by: "approval" }, judged });
  assert.equal(Agreed.parse(agreed).plan?.by?.length, 256);
});
