import assert from "node:assert/strict";
import test from "node:test";
import type { Effect } from "../../contract/effects";
import { ChangePolicy, noPolicy } from "../api/change-policy";
import { decide, isLooser, namedOf, type Decision, type Question } from "./decide";

const policy = (given: object): ChangePolicy => ChangePolicy.parse(given);
const sunday = { schedule: "0 2 * * SUN", duration: "2h" };
const now = Date.parse("2026-11-27T15:00Z");
const inWindow = Date.parse("2026-11-29T03:00Z");
const opens = Date.parse("2026-11-29T02:00Z");

const asks = policy({ requireApproval: ["RollingRestart", "DataLoss"] });
const waits = policy({ windows: [sunday] });
const both = policy({ requireApproval: ["Switchover"], windows: [sunday] });
const onlyLoss = policy({ windows: [{ ...sunday, effects: ["DataLoss"] }] });
const restart: readonly Effect[] = ["None", "RollingRestart", "Switchover"];

const base: Question = { policies: [noPolicy], effects: restart, loosens: false, approving: "no", now };
const go = (by: "nothing" | "window" | "approval"): Decision => ({ kind: "go", by });
const window = { effects: ["RollingRestart", "Switchover"], opensAt: opens } as const;

/** What, question, answer. */
const rows: readonly (readonly [string, Partial<Question>, Decision])[] = [
  ["no policy", {}, go("nothing")],
  ["nothing that is named", { policies: [asks], effects: ["None", "Reload", "Exposure"] }, go("nothing")],
  ["no effect at all", { policies: [asks, waits], effects: [] }, go("nothing")],
  ["an effect that asks", { policies: [asks] }, { kind: "wait", approvalOf: ["RollingRestart"], needsApproval: true }],
  ["the same, approved", { policies: [asks], approving: "approved" }, go("approval")],
  [
    "an effect with a window that is shut",
    { policies: [waits] },
    { kind: "wait", approvalOf: [], needsApproval: false, window },
  ],
  ["the same while it is open", { policies: [waits], now: inWindow }, go("window")],
  [
    "the same, approved: a window is a window",
    { policies: [waits], approving: "approved" },
    { kind: "wait", approvalOf: [], needsApproval: false, window },
  ],
  ["the same, approved for now", { policies: [waits], approving: "now" }, go("approval")],
  [
    "an effect that asks, and has a window",
    { policies: [both] },
    { kind: "wait", approvalOf: ["Switchover"], needsApproval: true, window },
  ],
  [
    "the same, approved while the window is shut",
    { policies: [both], approving: "approved" },
    { kind: "wait", approvalOf: ["Switchover"], needsApproval: false, window },
  ],
  [
    "the same, not approved while it is open",
    { policies: [both], now: inWindow },
    { kind: "wait", approvalOf: ["Switchover"], needsApproval: true },
  ],
  ["the same, approved while it is open", { policies: [both], now: inWindow, approving: "approved" }, go("approval")],
  ["a window that is for something else", { policies: [onlyLoss] }, go("nothing")],
  [
    "what cannot be told",
    { policies: [onlyLoss], effects: ["CannotBeTold"] },
    { kind: "wait", approvalOf: [], needsApproval: false, window: { effects: ["DataLoss"], opensAt: opens } },
  ],
  [
    "what cannot be told, where something asks",
    { policies: [asks], effects: ["CannotBeTold"] },
    { kind: "wait", approvalOf: ["RollingRestart", "DataLoss"], needsApproval: true },
  ],
  ["what cannot be told, without a policy", { effects: ["CannotBeTold"] }, go("nothing")],
  [
    "two policies, of which the second asks",
    { policies: [noPolicy, asks] },
    { kind: "wait", approvalOf: ["RollingRestart"], needsApproval: true },
  ],
  [
    "a looser policy, without any effect",
    { policies: [asks], effects: [], loosens: true },
    { kind: "wait", approvalOf: [], needsApproval: true },
  ],
  [
    "a looser policy, approved",
    { policies: [asks], effects: [], loosens: true, approving: "approved" },
    go("approval"),
  ],
  ["an approval that nothing needs", { policies: [asks], effects: [], approving: "now" }, go("nothing")],
  [
    "a window of each policy",
    { policies: [waits, policy({ windows: [{ schedule: "0 3 * * SAT", duration: "1h" }] })] },
    { kind: "wait", approvalOf: [], needsApproval: false, window: { ...window, opensAt: undefined } },
  ],
  [
    "windows that overlap",
    { policies: [waits, policy({ windows: [{ schedule: "0 3 * * *", duration: "2h" }] })] },
    {
      kind: "wait",
      approvalOf: [],
      needsApproval: false,
      window: { ...window, opensAt: Date.parse("2026-11-29T03:00Z") },
    },
  ],
];
for (const [what, some, expected] of rows) {
  test(`whether it may be carried out: ${what}`, () => {
    assert.deepEqual(decide({ ...base, ...some }), expected);
  });
}

const days = [0, 1, 2, 3, 4];
const forRestarts = { effects: ["RollingRestart"], timeZone: "Europe/Berlin" };
const forSwitchovers = { effects: ["Switchover"], timeZone: "America/New_York" };
/** Windows that have no time in common, of two effects. */
const apart: Readonly<Record<string, readonly object[]>> = {
  "nights of two zones": days.flatMap((day) => [
    { schedule: `0 2 * * ${day}`, duration: "1h", ...forRestarts },
    { schedule: `0 4 * * ${day}`, duration: "1h", ...forSwitchovers },
  ]),
  "even and odd minutes": days.flatMap((day) => [
    { schedule: `*/2 * * * ${day}`, duration: "1m", ...forRestarts },
    { schedule: `1/2 * * * ${day}`, duration: "1m", ...forSwitchovers },
  ]),
  "long ones of many beginnings": days.flatMap((day) => [
    { schedule: `* * 27-31 ${day + 1} *`, duration: "99h59m", ...forRestarts },
    { schedule: `* * 7-11 ${day + 7} *`, duration: "99h59m", ...forSwitchovers },
  ]),
  "years apart": days.flatMap((day) => [
    { schedule: `${day} 1 29 2 *`, duration: "99h59m", ...forRestarts },
    { schedule: `${day} 0 1 7 *`, duration: "99h59m", ...forSwitchovers },
  ]),
  "a day that never comes": [
    { schedule: "0 2 30 2 *", duration: "1h", ...forRestarts },
    { schedule: "* * * * *", duration: "1m", ...forSwitchovers },
  ],
};
for (const [what, windows] of Object.entries(apart)) {
  test(`windows that have no time in common hold up nothing but the change: ${what}`, (t) => {
    const looks = t.mock.method(Intl.DateTimeFormat.prototype, "formatToParts").mock;
    // the one in force and the one that is asked for: equal, not the same
    const policies = [policy({ windows }), policy({ windows })];
    const decision = decide({ ...base, policies });
    assert.ok(decision.kind === "wait" && decision.window?.opensAt === undefined);
    assert.ok(looks.callCount() < 3000, `${looks.callCount()} looks at a clock`);
  });
}

test("a window a week costs next to nothing", (t) => {
  const looks = t.mock.method(Intl.DateTimeFormat.prototype, "formatToParts").mock;
  const weekly = policy({ windows: [{ ...sunday, timeZone: "Europe/Berlin" }] });
  decide({ ...base, policies: [weekly, policy(weekly)] });
  assert.ok(looks.callCount() < 20, `${looks.callCount()} looks at a clock`);
});

test("of what cannot be told, all effects count", () => {
  assert.deepEqual(namedOf(["None", "Reload"]), ["Reload"]);
  assert.ok(namedOf(["CannotBeTold"]).includes("DataLoss"));
});

const looser: readonly (readonly [string, ChangePolicy, ChangePolicy, boolean])[] = [
  ["taken away", asks, noPolicy, true],
  ["without one of its effects", asks, policy({ requireApproval: ["DataLoss"] }), true],
  ["with another effect", asks, policy({ requireApproval: ["Removal", "DataLoss", "RollingRestart"] }), false],
  ["the same", both, both, false],
  ["with its first window", asks, policy({ ...asks, windows: [sunday] }), false],
  ["with another window", both, policy({ ...both, windows: [{ ...sunday, duration: "3h" }] }), true],
  ["that asked for nothing", waits, noPolicy, false],
];
for (const [what, former, next, expected] of looser) {
  test(`whether a policy is looser: ${what}`, () => {
    assert.equal(isLooser(former, next), expected);
  });
}
