import assert from "node:assert/strict";
import test from "node:test";
import { kept } from "../../test/fakes/checkpoints";
import { specOf } from "../../test/fakes/specs";
import { ChangePolicy, noPolicy } from "../api/change-policy";
import type { Consequence } from "../consequences/consequence";
import type { StackRecord } from "../domain/records";
import { policiesFor, policyNote } from "./policy-note";

const restart: Consequence = { effect: "RollingRestart", members: ["shop-0"], message: "it restarts" };
const asks = ChangePolicy.parse({ requireApproval: ["RollingRestart"] });
const both = ChangePolicy.parse({ ...asks, windows: [{ schedule: "0 2 29 2 *", duration: "1h" }] });
const now = new Date("2026-01-07T12:00:00Z");

const rows: readonly (readonly [
  string,
  Parameters<typeof policyNote>[0],
  readonly Consequence[],
  string | undefined,
])[] = [
  ["a creation", undefined, [restart], undefined],
  ["no policy", [noPolicy, noPolicy], [restart], undefined],
  ["nothing that asks", [asks, asks], [], undefined],
  ["a restart", [asks, asks], [restart], "by the change policy it waits for approval (RollingRestart)"],
  [
    "both",
    [both, both],
    [restart],
    "by the change policy it waits for approval (RollingRestart) and a window (RollingRestart)",
  ],
  ["a policy that goes", [asks, noPolicy], [], "by the change policy it waits for approval (a looser policy)"],
];
for (const [what, policies, consequences, expected] of rows)
  test(`what a preview says of waiting: ${what}`, () => {
    assert.equal(policyNote(policies, consequences, now), expected);
  });

test("the policy of what was agreed to counts beside the one that is asked for, and the platform's where there is none", () => {
  const record: StackRecord = {
    ...{ checkpoint: kept("state"), digest: "d", uid: "uid-1", version: "1", workload: undefined, declared: undefined },
    accepted: { spec: specOf({ changePolicy: { requireApproval: ["DataLoss"] } }), image: "i", config: {} },
    history: [{ revision: 1, at: "2026-01-01T00:00:00Z", seconds: 1, digest: "d", summary: "", by: "" }],
  };
  const [inForce, wanted] = policiesFor(record, specOf(), asks) ?? [];
  assert.deepEqual([inForce?.requireApproval, wanted], [["DataLoss"], asks]);
  assert.deepEqual(policiesFor({ ...record, agreed: { wish: "w" } }, specOf(), asks), [asks, asks]);
  assert.equal(policiesFor({ ...record, history: [] }, specOf(), asks), undefined);
  assert.equal(policiesFor(undefined, specOf(), asks), undefined);
});
