import assert from "node:assert/strict";
import test from "node:test";
import { authorIn, carriedIn, judgeApproval, type ApprovalInputs, type ApprovalJudgement } from "./approval";

const base: ApprovalInputs = {
  carried: { digest: "plan", isNow: false, by: "maria" },
  plan: { digest: "plan", former: ["late", "older", "oldest"], late: "late" },
  used: "used",
  authors: ["john"],
  namespace: "shop",
  settings: { areApprovalsJudged: true, mayAuthorApprove: false },
};
const carried = (some: object): Partial<ApprovalInputs> => ({
  carried: { digest: "plan", isNow: false, by: "maria", ...some },
});
const free = { areApprovalsJudged: true, mayAuthorApprove: true };

const rows: readonly (readonly [string, Partial<ApprovalInputs>, ApprovalJudgement])[] = [
  ["none", { carried: undefined }, { kind: "none" }],
  ["of the plan", {}, { kind: "accepted", by: "maria", isNow: false }],
  ["of the plan, for now", carried({ isNow: true }), { kind: "accepted", by: "maria", isNow: true }],
  ["that a change used up", carried({ digest: "used" }), { kind: "none" }],
  ["of a plan that moved", carried({ digest: "older" }), { kind: "stale", by: "maria" }],
  ["of no plan", carried({ digest: "typo" }), { kind: "unknown", digest: "typo" }],
  ["of a plan that was too old", carried({ digest: "late" }), { kind: "expired", by: "maria" }],
  ["by the author", carried({ by: "john" }), { kind: "author", by: "john", isKnown: true }],
  [
    "by one of several authors",
    { ...carried({ by: "ann" }), authors: ["john", "ann"] },
    { kind: "author", by: "ann", isKnown: true },
  ],
  ["of an unknown author", { authors: undefined }, { kind: "author", by: "maria", isKnown: false }],
  [
    "of an account of the namespace, as which others can act",
    { authors: ["john", "system:serviceaccount:shop:ci"] },
    { kind: "author", by: "maria", isKnown: false },
  ],
  [
    "of an account of another namespace",
    { authors: ["system:serviceaccount:shop-ci:ci"] },
    { kind: "accepted", by: "maria", isNow: false },
  ],
  ["of what the platform changed", { authors: [] }, { kind: "accepted", by: "maria", isNow: false }],
  [
    "by the author, who may",
    { ...carried({ by: "john" }), settings: free },
    { kind: "accepted", by: "john", isNow: false },
  ],
  [
    "of an unknown author, who may",
    { authors: undefined, settings: free },
    { kind: "accepted", by: "maria", isNow: false },
  ],
  ["without a name", carried({ by: undefined }), { kind: "noRight", isJudged: true }],
  [
    "that the API server did not judge",
    { settings: { ...free, areApprovalsJudged: false } },
    { kind: "noRight", isJudged: false },
  ],
];
for (const [what, some, expected] of rows) {
  test(`an approval ${what}`, () => {
    assert.deepEqual(judgeApproval({ ...base, ...some }), expected);
  });
}

const key = (name: string): string => `database.example.com/${name}`;

test("annotations carry one approval: of two that of the plan, and rather the one that opens windows", () => {
  assert.equal(carriedIn({}, "plan"), undefined);
  assert.equal(carriedIn({ [key("approve")]: "" }, "plan"), undefined);
  const both = { [key("approve")]: "plan", [key("approve-now")]: "older", [key("approved-by")]: "maria" };
  assert.deepEqual(carriedIn(both, "plan"), { digest: "plan", isNow: false, by: "maria" });
  assert.deepEqual(carriedIn(both, "another"), { digest: "older", isNow: true, by: "maria" });
  assert.deepEqual(carriedIn({ [key("approve")]: "plan" }, undefined), { digest: "plan", isNow: false, by: undefined });
});

test("an author is known of this very Database and its present generation alone", () => {
  const of = (text: string): string | undefined =>
    authorIn({ annotations: { [key("changed-by")]: text }, generation: 7, uid: "a" });
  assert.equal(of("a 7 system:serviceaccount:argocd:controller"), "system:serviceaccount:argocd:controller");
  assert.equal(of("a 7 a name with spaces"), "a name with spaces");
  for (const other of ["a 6 maria", "a 77 maria", "a 07 maria", "b 7 maria", "7 maria", "a 7 ", "a 7", "maria", ""])
    assert.equal(of(other), undefined, other);
});
