import assert from "node:assert/strict";
import test from "node:test";
import { ChangePolicy, noPolicy } from "../api/change-policy";
import type { Consequence } from "../consequences/consequence";
import { policyNote } from "./policy-note";

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
