import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { approvalKeys, approvalRefusals } from "../../contract/approvals";
import { fakeCluster, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { billing, orders, plan } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended, type Given } from "../../test/fakes/plugin/world";
import { ApiFailure } from "../command/world";

const approve = (flags: string, fake: Partial<FakeCluster> = {}, given: Given = {}): Promise<Ended> =>
  runPlugin(`approve billing -n finance ${flags}`, {
    cluster: fakeCluster({ objects: [billing], turns: [passed], ...fake }),
    ...given,
  });

const Status = z.looseObject({ pendingChange: z.looseObject({}) });
const status = Status.parse(billing["status"]);

/** `billing` with another change that waits; none: it has been carried out. */
const after = (pendingChange: object | undefined, more: object = {}): Stored => ({
  ...billing,
  ...more,
  status: { ...status, pendingChange: pendingChange && { ...status.pendingChange, ...pendingChange } },
});
const modified = (object: Stored): { type: string; object: Stored } => ({ type: "MODIFIED", object });
const passed = modified(after(undefined));
const judged = (state: string, by?: string): object => ({ approval: { state, message: `why ${state}`, by } });

interface Patched {
  readonly body: unknown;
  readonly isTrial: boolean;
}

/** Notes what is written, and whether only as a trial. */
function notes(): { readonly seen: Patched[]; readonly patched: NonNullable<FakeCluster["patched"]> } {
  const seen: Patched[] = [];
  return { seen, patched: (body, { dryRun }) => void seen.push({ body, isTrial: dryRun === "All" }) };
}
const annotated = (key: string): unknown => ({
  metadata: { annotations: { [key]: plan, [approvalKeys.by]: "jane" } },
});

test("it shows what waits, asks, and approves that plan, by its whole digest, in the person's name", async () => {
  const { seen, patched } = notes();
  const { code, out, err } = await approve("", { patched }, { answer: "y" });
  assert.match(
    out,
    /^finance\/billing {3}a change waits for approval, and then for a window, which opens 2026-11-29 01:00 UTC\n/,
  );
  assert.match(out, /\n {4}spec\.config\.max_connections {2}100 → 150\n {2}SWITCHOVER: .*\n {2}RESTARTS: /);
  assert.match(
    out,
    /\n {2}plan 7f3c9a51d0e2, asked for 2 h ago by john@example\.com, to be approved before 2026-12-27 12:50 UTC\n/,
  );
  assert.match(
    out,
    /approved: the change is being carried out\nNext {2}kubectl database-operator wait billing -n finance\n$/,
  );
  assert.equal(err, "Approve it? [y/N] ");
  assert.deepEqual(seen, [
    { body: annotated(approvalKeys.approve), isTrial: true },
    { body: annotated(approvalKeys.approve), isTrial: false },
  ]);
  assert.equal(code, 0);
});

for (const answer of ["", "n", "yesterday"]) {
  test(`an answer of "${answer}" is no approval`, async () => {
    const { seen, patched } = notes();
    const { code, err } = await approve("", { patched }, { answer });
    assert.match(err, /finance\/billing: not approved; nothing was changed\n$/);
    assert.deepEqual([code, seen.filter(({ isTrial }) => !isTrial)], [1, []]);
  });
}

test("without a terminal it does nothing, unless --yes is written", async () => {
  const { seen, patched } = notes();
  const { code, err } = await approve("", { patched });
  assert.match(
    err,
    /^error: approve asks first, and there is no terminal: nothing was changed\n {2}for scripts: --yes/,
  );
  assert.deepEqual([code, seen.filter(({ isTrial }) => !isTrial)], [2, []]);
  assert.equal((await approve("--yes", { patched })).code, 0);
  assert.deepEqual(seen.at(-1), { body: annotated(approvalKeys.approve), isTrial: false });
});

test("with --now windows do not matter", async () => {
  const { seen, patched } = notes();
  const { err } = await approve("--now", { patched }, { answer: "yes" });
  assert.match(err, /in any window or none/);
  assert.deepEqual(seen.at(-1), { body: annotated(approvalKeys.now), isTrial: false });
});

test("a plan that is named must be the one that waits", async () => {
  const { seen, patched } = notes();
  assert.equal((await approve("--yes --plan=7F3C9A", { patched })).code, 0);
  assert.equal((await approve(`--yes --plan=${plan}`, { patched })).code, 0);
  assert.equal(seen.length, 2);
  const other = await approve("--yes --plan=51d0e2", { patched });
  assert.match(other.err, /^finance\/billing: the plan 51d0e2 does not wait: it has moved, .* Now 7f3c9a51d0e2 waits/);
  assert.deepEqual([other.code, seen.length], [1, 2]);
  for (const wrong of ["7f3c9", "orders", ""]) {
    const { code, err } = await approve(`--yes --plan=${wrong}`, { patched });
    assert.match(err, /^error: --plan is .*: write a plan's digest/);
    assert.deepEqual([code, seen.length], [2, 2]);
  }
});

const objects: Readonly<Record<string, readonly [object: Stored, code: number, said: RegExp, flags?: string]>> = {
  "nothing waits": [after(undefined), 1, /no change waits: there is nothing to approve/],
  "the operator has not looked": [
    after({}, { metadata: { ...billing.metadata, generation: 5 } }),
    1,
    /has not looked at the last change yet, so there is no plan of it/,
  ],
  "it is being deleted": [
    after({}, { metadata: { ...billing.metadata, deletionTimestamp: "2026-11-27T14:00:00Z" } }),
    1,
    /it is being deleted/,
  ],
  "it waits for a window alone": [
    after({ waitsFor: ["Window"] }),
    1,
    /needs no approval: it waits for a window, which opens .* --now/,
  ],
  "it is approved already": [
    after({ waitsFor: ["Window"], ...judged("Accepted", "maria") }),
    0,
    /approved already: it waits for a window/,
  ],
};
for (const [what, [object, expected, said]] of Object.entries(objects)) {
  test(`where ${what} nothing is written, and that is said`, async () => {
    const { seen, patched } = notes();
    const { code, out, err } = await approve("--yes", { patched, objects: [object] });
    assert.match(out + err, said);
    assert.deepEqual([code, seen], [expected, []]);
  });
}

test("a window that is waited for alone is opened by --now", async () => {
  const { seen, patched } = notes();
  const { code } = await approve("--yes --now", { patched, objects: [after({ waitsFor: ["Window"] })] });
  assert.deepEqual([code, seen], [0, [{ body: annotated(approvalKeys.now), isTrial: false }]]);
});

const denied = (text: string): string =>
  `databases.example.com "billing" is forbidden: ValidatingAdmissionPolicy 'database-operator-approvals' with binding 'database-operator-approvals' denied request: ${text}`;
const role = /kubectl create rolebinding approvers --clusterrole=database-operator-approve --user=jane -n finance\n/;
const refusals: Readonly<Record<string, readonly [status: number, message: string, code: number, said: RegExp]>> = {
  "who may not approve": [
    403,
    denied(`${approvalRefusals.noRight} databases.example.com, which jane does not have here`),
    2,
    new RegExp(
      `^error: you \\(jane\\) may not approve databases.example.com billing in namespace finance\n.*\n.*${role.source}`,
    ),
  ],
  "who may not patch": [
    403,
    'databases.example.com "billing" is forbidden: User "jane" cannot patch resource "databases" in API group "example.com" in the namespace "finance"',
    2,
    new RegExp(
      `^error: you \\(jane\\) may not patch databases.example.com billing in namespace finance\n.*\n.*${role.source}`,
    ),
  ],
  "its author": [
    403,
    denied(`jane ${approvalRefusals.author}`),
    2,
    /^error: you asked for this change: another person must approve it\n$/,
  ],
  "a plan that moved": [
    422,
    denied(`database.example.com/approve ${approvalRefusals.moved}51d0e2: look at it again, as it may have moved`),
    1,
    /not approved: the plan has moved since it was shown/,
  ],
  "a plan that is gone": [
    422,
    denied(`${approvalRefusals.none}: remove the annotation`),
    1,
    /no change waits any more/,
  ],
  "anything else": [403, denied("frozen until Monday"), 2, /^error: the API server refuses it: frozen until Monday\n$/],
  "a Database that is gone": [
    404,
    'databases.example.com "billing" not found',
    2,
    /^error: there is no Database "billing"/,
  ],
};
for (const [what, [code, message, expected, said]] of Object.entries(refusals)) {
  test(`that the API server refuses ${what} is said plainly, before a question`, async () => {
    const patched = (): never => {
      throw new ApiFailure(code, code === 404 ? "NotFound" : "Forbidden", message);
    };
    for (const given of [{ answer: "y" }, {}]) {
      const ended = await approve("answer" in given ? "" : "--yes", { patched }, given);
      assert.match(ended.err, said);
      assert.equal(ended.code, expected);
    }
  });
}

const verdicts: Readonly<Record<string, readonly [turn: object, code: number, said: RegExp]>> = {
  "it waits for a window": [
    modified(after({ waitsFor: ["Window"], ...judged("Accepted", "jane") })),
    0,
    /approved: it waits for a window, which opens/,
  ],
  "who approved is its author": [
    modified(after(judged("Author", "jane"))),
    1,
    /the approval does not count: why Author/,
  ],
  "approvals are not judged": [modified(after(judged("NoRight"))), 1, /the approval does not count: why NoRight/],
  "the plan moved": [
    modified(after({ digest: "51d0e2b6a4c8" })),
    1,
    /the plan has moved meanwhile, so the approval does not count: now 51d0e2b6a4c8 waits/,
  ],
  "it was deleted": [{ type: "DELETED", object: billing }, 1, /it was deleted meanwhile/],
};
for (const [what, [turn, expected, said]] of Object.entries(verdicts)) {
  test(`what the operator makes of it is said: ${what}`, async () => {
    const turns = [modified(billing), { type: "MODIFIED", object: {}, ...turn }];
    const { code, out, err } = await approve("--yes", { turns });
    assert.match(out + err, said);
    assert.equal(code, expected);
  });
}

test("while no operator answers it is on record, and what was judged before is not taken for an answer", async () => {
  const away = await approve("--yes --timeout=0", { turns: [] });
  assert.match(
    away.out,
    /on record; the operator has said nothing of it within 0: it counts as soon as one looks at it/,
  );
  assert.equal(away.code, 0);
  for (const approval of [judged("Stale", "jane"), judged("Author", "john")])
    assert.equal((await approve("--yes --timeout=0", { turns: [], objects: [after(approval)] })).code, 0);
  const again = await approve("--yes --timeout=0", { turns: [], objects: [after(judged("Author", "jane"))] });
  assert.match(again.err, /the approval still does not count: why Author/);
  assert.equal(again.code, 1);
});

test("what an operator says that is newer does not hide that a change waits", async () => {
  const newer = after({
    effect: "Haunting",
    waitsFor: ["Approval", "Moonrise"],
    consequences: [{ effect: "Haunting" }],
  });
  const { out } = await approve("--yes", { objects: [newer] });
  assert.match(out, /a change waits for approval, and then for Moonrise\n(.*\n)* {2}CANNOT BE TOLD: \n/);
});

test("one that does not exist, or is mistyped, is an error", async () => {
  const { code, err } = await runPlugin("approve biling -n finance --yes", {
    cluster: fakeCluster({ objects: [billing, orders] }),
  });
  assert.match(err, /there is no Database "biling" in namespace finance\n {2}did you mean billing\?/);
  assert.equal(code, 2);
});
