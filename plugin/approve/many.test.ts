import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { approvalKeys, approvalRefusals } from "../../contract/approvals";
import { fakeCluster, type FakeCluster, type Stored } from "../../test/fakes/plugin/cluster";
import { billing, orders } from "../../test/fakes/plugin/shop";
import { runPlugin, type Ended, type Given } from "../../test/fakes/plugin/world";
import { ApiFailure } from "../command/world";

const Status = z.looseObject({ pendingChange: z.looseObject({}) });
const status = Status.parse(billing["status"]);
const release = [{ path: "operator", after: "another release" }];

/** One of which a change waits. */
const waiting = (namespace: string, name: string, digest: string, some: object): Stored => ({
  ...billing,
  metadata: { ...billing.metadata, namespace, name },
  status: { ...status, pendingChange: { ...status.pendingChange, digest, changes: release, ...some } },
});
const objects: readonly Stored[] = [
  orders,
  waiting("shop", "carts", "a1a1a1a1a1a1a1", { effect: "RollingRestart" }),
  waiting("bank", "ledger", "b2b2b2b2b2b2b2", { effect: "Downtime" }),
  waiting("bank", "lost", "c3c3c3c3c3c3c3", { effect: "DataLoss" }),
  waiting("bank", "unclear", "d4d4d4d4d4d4d4", { effect: "CannotBeTold" }),
  waiting("bank", "edited", "e5e5e5e5e5e5e5", {
    effect: "Switchover",
    changes: [...release, { path: "spec.replicas", before: "3", after: "2" }],
  }),
  waiting("bank", "timed", "f6f6f6f6f6f6f6", { effect: "Downtime", waitsFor: ["Window"] }),
];

const Body = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) });

interface Run extends Ended {
  /** Digests that were approved. */
  readonly approved: readonly (string | undefined)[];
}

async function approve(flags: string, given: Given = {}, fake: Partial<FakeCluster> = {}): Promise<Run> {
  const approved: (string | undefined)[] = [];
  const patched: FakeCluster["patched"] = (body, query) => {
    fake.patched?.(body, query);
    if (query["dryRun"] === "All") return;
    const { annotations } = Body.parse(body).metadata;
    approved.push(annotations[approvalKeys.approve] ?? annotations[approvalKeys.now]);
  };
  const cluster = fakeCluster({ objects, ...fake, patched });
  return { ...(await runPlugin(`approve ${flags}`, { cluster, ...given })), approved: approved.sort() };
}

test("it shows all that wait for approval, the weightiest first, asks once, and leaves out what must be named", async () => {
  const { code, out, err, approved } = await approve("--all -A", { answer: "y" });
  assert.deepEqual(out.split("\n"), [
    "NAMESPACE   NAME      EFFECT           CHANGES                   PLAN           APPROVE",
    "bank        lost      DataLoss         operator                  c3c3c3c3c3c3   no: not without --effect=DataLoss",
    "bank        unclear   CannotBeTold     operator                  d4d4d4d4d4d4   no: not without --effect=CannotBeTold",
    "bank        ledger    Downtime         operator                  b2b2b2b2b2b2   yes",
    "bank        edited    Switchover       operator, spec.replicas   e5e5e5e5e5e5   yes",
    "shop        carts     RollingRestart   operator                  a1a1a1a1a1a1   yes",
    "",
    "5 wait for approval, 3 to be approved",
    "bank/ledger: the approval is on record",
    "bank/edited: the approval is on record",
    "shop/carts: the approval is on record",
    "Next  kubectl database-operator fleet -A",
    "",
  ]);
  assert.equal(err, "Approve these 3? [y/N] ");
  assert.deepEqual([code, approved], [0, ["a1a1a1a1a1a1a1", "b2b2b2b2b2b2b2", "e5e5e5e5e5e5e5"]]);
});

const choices: Readonly<Record<string, readonly string[]>> = {
  "--all --yes": ["a1a1a1a1a1a1a1"],
  "--all -A --release --yes": ["a1a1a1a1a1a1a1", "b2b2b2b2b2b2b2"],
  "--all -n bank --effect=DataLoss --effect=Switchover --yes": ["c3c3c3c3c3c3c3", "e5e5e5e5e5e5e5"],
  "--all -n bank --release --effect=Downtime --now --yes": ["b2b2b2b2b2b2b2", "f6f6f6f6f6f6f6"],
};
for (const [flags, expected] of Object.entries(choices)) {
  test(`approve ${flags} approves those, and no other ones`, async () => {
    const { code, approved } = await approve(flags);
    assert.deepEqual([code, approved], [0, expected]);
  });
}

test("an answer that is none, or no terminal, approves nothing", async () => {
  for (const [given, code, said] of [
    [{ answer: "" }, 1, /not approved; nothing was changed/],
    [{}, 2, /there is no terminal: nothing was changed/],
  ] as const) {
    const ended = await approve("--all -A", given);
    assert.match(ended.err, said);
    assert.deepEqual([ended.code, ended.approved], [code, []]);
  }
});

test("one whose change cannot be read here is named, and the others are approved", async () => {
  const odd = waiting("bank", "odd", "", {});
  const { code, out, err, approved } = await approve("--all -A --release --yes", {}, { objects: [...objects, odd] });
  assert.match(out, /^5 wait for approval, 2 to be approved$/m);
  assert.match(
    err,
    /^bank\/odd: not approved: a change waits, and this program cannot read what the operator says of it/m,
  );
  assert.deepEqual([code, approved], [1, ["a1a1a1a1a1a1a1", "b2b2b2b2b2b2b2"]]);
});

test("where nothing is to be approved it says so", async () => {
  const { code, out, err } = await approve("--all --yes", {}, { objects: [orders] });
  assert.deepEqual(
    [code, out, err],
    [1, "0 wait for approval, 0 to be approved\n", "nothing of it is to be approved\n"],
  );
});

const refusing = (message: string): Partial<FakeCluster> => ({
  patched: (body) => {
    if (JSON.stringify(body).includes("b2b2")) throw new ApiFailure(422, "Invalid", message);
  },
});

test("one that is refused is told so before the question, and does not keep the others from being approved", async () => {
  const asked = await approve("--all -A --release", { answer: "y" }, refusing(approvalRefusals.author));
  assert.match(asked.out, /ledger .* no: you asked for this change: another person must approve it\n/);
  assert.deepEqual([asked.code, asked.approved], [0, ["a1a1a1a1a1a1a1"]]);
  const moved = await approve("--all -A --release --yes", {}, refusing(approvalRefusals.moved));
  assert.match(moved.err, /^bank\/ledger: not approved: the plan has moved/);
  assert.deepEqual([moved.code, moved.approved], [1, ["a1a1a1a1a1a1a1"]]);
  const denied = await approve("--all -A --release --yes", {}, refusing(approvalRefusals.noRight));
  assert.deepEqual([denied.code, denied.approved], [2, ["a1a1a1a1a1a1a1"]]);
});

for (const flags of ["", "orders --release", "orders --all", "--all --plan=a1a1a1a1", "--all --effect=Restart", "-A"]) {
  test(`approve ${flags} is refused`, async () => {
    const { code, approved } = await approve(`${flags} --yes`);
    assert.deepEqual([code, approved], [2, []]);
  });
}
