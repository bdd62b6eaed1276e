// A change waits by what it does, and passes by an approval of its plan.
import assert from "node:assert/strict";
import test from "node:test";
import {
  annotate,
  approval,
  asked,
  asks,
  edit,
  failing,
  plan,
  quiet,
  restart,
  through,
  turn,
  waits,
} from "../../test/fakes/asked-change";
import { memberOf, type FakeCluster } from "../../test/fakes/ports";
import { approvalKeys } from "../../contract/approvals";
import { ChangePolicy } from "../api/change-policy";

test("a change that asks waits, and the children stay as they are", async () => {
  const cluster = await asked(asks);
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due", "a look does not preview");
  const { pending, message } = await waits(cluster);
  assert.equal(cluster.ups.length, 1);
  assert.equal(pending?.reason, "AwaitingApproval");
  const { digest, waitsFor, changes: fields, consequences, effect, since, approveBefore } = pending.shown ?? {};
  assert.deepEqual(
    { digest, waitsFor, effect },
    { digest: "plan-1", waitsFor: ["Approval"], effect: "RollingRestart" },
  );
  assert.match(JSON.stringify(fields), /max_connections.*200/);
  assert.deepEqual(consequences, [restart]);
  assert.deepEqual([since, approveBefore], ["2026-01-07T12:00:00Z", "2026-02-06T12:00:00Z"]);
  assert.match(message, /kubectl annotate db shop -n team database.example.com\/approve=plan-1 --overwrite/);
});

test("looks at a change that waits cost no preview, and a successor knows it too", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  const saves = cluster.saves;
  await waits(cluster, { looksOnly: true });
  await waits(cluster);
  assert.deepEqual([cluster.foresight.previews, cluster.saves], [1, saves]);
});

test("what does nothing that is named is carried out at once", async () => {
  const cluster = await asked(asks);
  cluster.foresight.found = plan("plan-1", quiet);
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.ups.length, 2);
});

test("without any policy nothing is previewed", async () => {
  const cluster = await asked({});
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.foresight.previews], [2, 0]);
});

test("the platform's policy holds where a Database has none of its own", async () => {
  const cluster = await asked({});
  cluster.foresight.settings.policy = ChangePolicy.parse(asks.changePolicy);
  await waits(cluster);
  const free = await asked({ changePolicy: {} });
  free.foresight.settings.policy = ChangePolicy.parse(asks.changePolicy);
  assert.equal((await turn(free)).kind, "settled");
});

test("an approval lets the plan through that it names, after another look at it", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  annotate(cluster, approval("plan-1"));
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.foresight.previews], [2, 2]);
  assert.equal(cluster.ups[1]?.program.desired.config["max_connections"], "200");
  assert.equal(cluster.record?.pending, undefined);
});

test("a plan that has moved is not carried out by the approval of the former one", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  annotate(cluster, approval("plan-1"));
  cluster.foresight.found = plan("plan-2", restart);
  const { pending, message } = await waits(cluster);
  assert.equal(cluster.ups.length, 1);
  assert.equal(pending?.reason, "ApprovalVoid");
  assert.deepEqual([pending.shown?.digest, pending.shown?.approval?.state], ["plan-2", "Stale"]);
  assert.match(message, /the plan has moved since it was approved/);
  annotate(cluster, approval("plan-2"));
  assert.equal((await turn(cluster)).kind, "settled");
});

test("a failover while it waits makes another plan", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  cluster.observation = { ...cluster.observation, members: [memberOf("shop-1", { role: "primary" })] };
  cluster.foresight.found = { kind: "plan", digest: "plan-2", effects: [restart], primary: "shop-1" };
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  assert.equal((await waits(cluster)).pending?.shown?.digest, "plan-2");
  await waits(cluster, { looksOnly: true });
});

const voids: readonly (readonly [string, Record<string, string>, string, (cluster: FakeCluster) => void])[] = [
  ["of no plan", approval("typo"), "Unknown", () => undefined],
  ["without a name", { [approvalKeys.approve]: "plan-1" }, "NoRight", () => undefined],
  [
    "that the API server did not judge",
    approval("plan-1"),
    "NoRight",
    ({ foresight: { settings: set } }) => (set.areApprovalsJudged = false),
  ],
  [
    "by an author who may not",
    { ...approval("plan-1", "john"), [approvalKeys.changedBy]: "uid-1 2 john" },
    "Author",
    ({ foresight: { settings: set } }) => (set.mayAuthorApprove = false),
  ],
  [
    "of an author who is not known",
    approval("plan-1"),
    "Author",
    ({ foresight: { settings: set } }) => (set.mayAuthorApprove = false),
  ],
];
for (const [what, annotations, expected, prepare] of voids) {
  test(`an approval ${what} changes nothing, and the status says why`, async () => {
    const cluster = await asked(asks);
    prepare(cluster);
    annotate(cluster, annotations);
    const { pending } = await waits(cluster);
    assert.deepEqual([pending?.reason, pending?.shown?.approval?.state], ["ApprovalVoid", expected]);
    assert.equal(cluster.ups.length, 1);
  });
}

test("another person than the author may approve, and both are shown", async () => {
  const cluster = await asked(asks);
  cluster.foresight.settings.mayAuthorApprove = false;
  annotate(cluster, { [approvalKeys.changedBy]: "uid-1 2 john" });
  assert.deepEqual((await waits(cluster)).pending?.shown?.requestedBy, ["john"]);
  annotate(cluster, { ...approval("plan-1", "maria"), [approvalKeys.changedBy]: "uid-1 2 john" });
  assert.equal((await turn(cluster)).kind, "settled");
});

test("of two edits in a row both authors count, and the second one voids the approval of the first", async () => {
  const cluster = await asked(asks);
  cluster.foresight.settings.mayAuthorApprove = false;
  annotate(cluster, { [approvalKeys.changedBy]: "uid-1 2 john" });
  await waits(cluster);
  edit(cluster, { ...asks, config: { max_connections: "300" } });
  cluster.foresight.found = plan("plan-2", restart);
  const of = (by: string, digest: string): Record<string, string> => ({
    ...approval(digest, by),
    [approvalKeys.changedBy]: "uid-1 3 ann",
  });
  for (const [by, digest, expected] of [
    ["maria", "plan-1", "Stale"],
    ["john", "plan-2", "Author"],
    ["ann", "plan-2", "Author"],
  ] as const) {
    annotate(cluster, of(by, digest));
    const shown = (await waits(cluster)).pending?.shown;
    assert.deepEqual([shown?.approval?.state, shown?.requestedBy], [expected, ["john", "ann"]], by);
  }
  annotate(cluster, of("maria", "plan-2"));
  assert.equal((await turn(cluster)).kind, "settled");
});

test("edited back to what runs, nothing waits, and the approval fits nothing that comes later", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  const plans = cluster.record?.plans ?? 0;
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.record?.pending, cluster.record?.plans], [1, undefined, plans + 1]);
});

test("an approval is used up by its change: the same one does not pass by it again", async () => {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { ...asks });
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.reason, pending?.shown?.approval], ["AwaitingApproval", undefined]);
});

test("an approved change that fails is tried again without a question, and may be taken back without one", async () => {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  cluster.results = [failing(), failing(), through()];
  assert.equal((await turn(cluster)).kind, "failed");
  const previews = cluster.foresight.previews;
  assert.equal((await turn(cluster)).kind, "failed");
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "settled", "back to what came through last");
  assert.deepEqual([cluster.ups.length, cluster.foresight.previews], [4, previews]);
  edit(cluster, { ...asks, config: { max_connections: "200" } });
  await waits(cluster);
});

test("what has come through is not gone back from without a question", async () => {
  const cluster = await asked(asks);
  annotate(cluster, approval("plan-1"));
  await turn(cluster);
  assert.equal(cluster.record?.agreed?.former, undefined);
  edit(cluster, { ...asks });
  await waits(cluster);
});

test("what moved while it was previewed is neither carried out nor noted: it is looked at again at once", async () => {
  const cluster = await asked(asks);
  cluster.foresight.found = { kind: "plan", digest: "plan-1", wish: "another", effects: [], primary: undefined };
  const outcome = await turn(cluster);
  assert.deepEqual([outcome.kind, outcome.kind === "waiting" && outcome.afterMs], ["waiting", 1000]);
  assert.deepEqual([cluster.ups.length, cluster.record?.pending], [1, undefined]);
});
