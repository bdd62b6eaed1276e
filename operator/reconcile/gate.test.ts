// A change waits by what it does; what ran before is maintained meanwhile.
import assert from "node:assert/strict";
import test from "node:test";
import { observedFrom } from "../../test/fakes/observed";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { changes, databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import { approvalDays, approvalKeys } from "../../contract/approvals";
import { ChangePolicy } from "../api/change-policy";
import type { Drift } from "../domain/children";
import type { ForeseenEffect } from "../domain/foreseen";
import type { Stalled } from "../domain/outcome";
import type { StackResult } from "../domain/runner";
import type { Turn } from "./turn";
import { reconcile } from "./reconcile";

const turnOf: Turn = { running: () => undefined, changed: () => undefined };
const turn = (cluster: FakeCluster, more: object = {}): ReturnType<typeof reconcile> =>
  reconcile(cluster.key, cluster.database, cluster.ports, { ...turnOf, ...more });
const template = { metadata: {}, spec: { containers: [] } };
const state = checkpointOf("StatefulSet shop", "Service shop")
  .replaceAll("kubernetes:v1:StatefulSet", "kubernetes:apps/v1:StatefulSet")
  .replace('"outputs":', `"inputs":${JSON.stringify({ spec: { template } })},"outputs":`);
const through = (): StackResult => ({
  ...{ kind: "succeeded", changes: changes({ updated: 1 }), checkpoint: state, workload: undefined },
});
const failing = (): StackResult => ({
  ...{ kind: "failed", checkpoint: state, problem: { message: "the webhook says no", resource: undefined } },
});

const restart: ForeseenEffect = { effect: "RollingRestart", members: ["shop-0"], message: "all members restart" };
const quiet: ForeseenEffect = { effect: "None", members: [], message: "no member restarts" };
const asks = { changePolicy: { requireApproval: ["RollingRestart", "DataLoss"] } };
const sunday = { schedule: "0 2 * * SUN", duration: "2h" };
const windowed = { changePolicy: { windows: [sunday] } };
const both = { changePolicy: { requireApproval: ["RollingRestart"], windows: [sunday] } };
const wednesday = new Date("2026-01-07T12:00:00Z");
const night = new Date("2026-01-11T03:00:00Z");

/** A plan with this digest. */
const plan = (digest: string, ...effects: readonly ForeseenEffect[]): FakeCluster["foreseen"] => ({
  ...{ kind: "plan", digest, effects, primary: undefined },
});

/** Writes the spec, as a person does. */
function edit(cluster: FakeCluster, spec: Record<string, unknown>): void {
  const generation = (cluster.object?.metadata.generation ?? 0) + 1;
  const annotations = cluster.object?.metadata["annotations"] ?? {};
  const finalizers = cluster.finalizers;
  cluster.object = databaseObject(spec, { generation, annotations, finalizers });
}

function annotate(cluster: FakeCluster, annotations: Readonly<Record<string, string>>): void {
  assert.ok(cluster.object !== undefined);
  cluster.object.metadata = { ...cluster.object.metadata, annotations };
}

const approval = (digest: string, by = "maria", key: string = approvalKeys.approve): Record<string, string> => ({
  [key]: digest,
  [approvalKeys.by]: by,
});

/** A Database that has come through, and then is asked for something that restarts members. */
async function asked(policy: object, spec: object = { config: { max_connections: "200" } }): Promise<FakeCluster> {
  const cluster = new FakeCluster(databaseObject({ ...policy }));
  cluster.now = wednesday;
  cluster.results = Array.from({ length: 9 }, through);
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.previews], [1, 0], "a creation asks for nothing");
  cluster.foreseen = plan("plan-1", restart);
  edit(cluster, { ...policy, ...spec });
  return cluster;
}

async function waits(cluster: FakeCluster, more: object = {}): Promise<Stalled> {
  const outcome = await turn(cluster, more);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  return outcome;
}

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
  assert.deepEqual([cluster.previews, cluster.saves], [1, saves]);
});

test("what does nothing that is named is carried out at once", async () => {
  const cluster = await asked(asks);
  cluster.foreseen = plan("plan-1", quiet);
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.ups.length, 2);
});

test("without any policy nothing is previewed", async () => {
  const cluster = await asked({});
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.previews], [2, 0]);
});

test("the platform's policy holds where a Database has none of its own", async () => {
  const cluster = await asked({});
  cluster.changes.policy = ChangePolicy.parse(asks.changePolicy);
  await waits(cluster);
  const free = await asked({ changePolicy: {} });
  free.changes.policy = ChangePolicy.parse(asks.changePolicy);
  assert.equal((await turn(free)).kind, "settled");
});

test("an approval lets the plan through that it names, after another look at it", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  annotate(cluster, approval("plan-1"));
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups.length, cluster.previews], [2, 2]);
  assert.equal(cluster.ups[1]?.program.desired.config["max_connections"], "200");
  assert.equal(cluster.record?.pending, undefined);
});

test("a plan that has moved is not carried out by the approval of the former one", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  annotate(cluster, approval("plan-1"));
  cluster.foreseen = plan("plan-2", restart);
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
  cluster.foreseen = { ...plan("plan-2", restart), primary: "shop-1" } as FakeCluster["foreseen"];
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
    ({ changes: set }) => (set.areApprovalsJudged = false),
  ],
  [
    "by an author who may not",
    { ...approval("plan-1", "john"), [approvalKeys.changedBy]: "2 john" },
    "Author",
    ({ changes: set }) => (set.mayAuthorApprove = false),
  ],
  ["of an author who is not known", approval("plan-1"), "Author", ({ changes: set }) => (set.mayAuthorApprove = false)],
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
  cluster.changes.mayAuthorApprove = false;
  annotate(cluster, { [approvalKeys.changedBy]: "2 john" });
  assert.equal((await waits(cluster)).pending?.shown?.requestedBy, "john");
  annotate(cluster, { ...approval("plan-1", "maria"), [approvalKeys.changedBy]: "2 john" });
  assert.equal((await turn(cluster)).kind, "settled");
});

test("of two edits in a row both authors count, and the second one voids the approval of the first", async () => {
  const cluster = await asked(asks);
  cluster.changes.mayAuthorApprove = false;
  annotate(cluster, { [approvalKeys.changedBy]: "2 john" });
  await waits(cluster);
  edit(cluster, { ...asks, config: { max_connections: "300" } });
  cluster.foreseen = plan("plan-2", restart);
  const of = (by: string, digest: string): Record<string, string> => ({
    ...approval(digest, by),
    [approvalKeys.changedBy]: "3 ann",
  });
  for (const [by, digest, expected] of [
    ["maria", "plan-1", "Stale"],
    ["john", "plan-2", "Author"],
    ["ann", "plan-2", "Author"],
  ] as const) {
    annotate(cluster, of(by, digest));
    assert.equal((await waits(cluster)).pending?.shown?.approval?.state, expected, by);
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
  const previews = cluster.previews;
  assert.equal((await turn(cluster)).kind, "failed");
  edit(cluster, { ...asks });
  assert.equal((await turn(cluster)).kind, "settled", "back to what came through last");
  assert.deepEqual([cluster.ups.length, cluster.previews], [4, previews]);
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

test("a window lets it through while it is open, and says when it opens", async () => {
  const cluster = await asked(windowed);
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.reason, pending?.shown?.waitsFor], ["AwaitingWindow", ["Window"]]);
  assert.equal(pending?.shown?.windowOpensAt, "2026-01-11T02:00:00Z");
  assert.equal(pending.afterMs, 3_600_000);
  cluster.now = new Date("2026-01-11T01:59:00Z");
  assert.equal((await waits(cluster)).pending?.afterMs, 60_000, "no watch reports that");
  cluster.now = night;
  assert.equal((await turn(cluster)).kind, "settled");
});

test("an approval that comes while the window is shut waits for it, and one for now does not", async () => {
  const cluster = await asked(both);
  await waits(cluster);
  annotate(cluster, approval("plan-1"));
  const { pending } = await waits(cluster);
  assert.deepEqual(
    [pending?.reason, pending?.shown?.waitsFor, pending?.shown?.approval?.state],
    ["AwaitingWindow", ["Window"], "Accepted"],
  );
  cluster.now = night;
  assert.equal((await turn(cluster)).kind, "settled");
  const urgent = await asked(both);
  annotate(urgent, approval("plan-1", "maria", approvalKeys.now));
  assert.equal((await turn(urgent)).kind, "settled");
});

test("an approval that is taken back before the window opens is none", async () => {
  const cluster = await asked(both);
  annotate(cluster, approval("plan-1"));
  await waits(cluster);
  annotate(cluster, {});
  cluster.now = night;
  assert.equal((await waits(cluster)).pending?.reason, "AwaitingApproval");
});

test("a plan that was not approved in time gets another number, and one that was does not", async () => {
  const later = new Date(wednesday.getTime() + approvalDays * 86_400_000 + 60_000);
  const cluster = await asked(asks);
  await waits(cluster);
  const plans = cluster.record?.plans ?? 0;
  cluster.now = later;
  cluster.foreseen = plan("plan-2", restart);
  annotate(cluster, approval("plan-1"));
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  const { pending } = await waits(cluster);
  assert.deepEqual([pending?.shown?.digest, pending?.shown?.approval?.state], ["plan-2", "Expired"]);
  assert.equal(cluster.record?.plans, plans + 1);
  assert.equal(pending?.shown?.since, "2026-01-07T12:00:00Z", "it is asked for as long as before");
  await waits(cluster, { looksOnly: true });
  const approved = await asked(both);
  annotate(approved, approval("plan-1"));
  await waits(approved);
  approved.now = later;
  assert.equal((await waits(approved, { looksOnly: true })).pending?.shown?.approval?.state, "Accepted");
});

test("a policy is not taken away together with what it forbids, nor by itself", async () => {
  const cluster = await asked(asks, { changePolicy: {}, config: { max_connections: "200" } });
  await waits(cluster);
  edit(cluster, { changePolicy: {} });
  cluster.foreseen = plan("plan-2");
  const { message } = await waits(cluster);
  assert.match(message, /it makes the change policy looser/);
  annotate(cluster, approval("plan-2"));
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { changePolicy: {}, config: { max_connections: "200" } });
  assert.equal((await turn(cluster)).kind, "settled");
});

test("a stricter policy is in force at once, also for the edit that takes it away again", async () => {
  const cluster = await asked({}, asks);
  cluster.foreseen = plan("plan-1");
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { config: { max_connections: "200" } });
  cluster.foreseen = plan("plan-2", restart);
  await waits(cluster);
});

test("what cannot be previewed is not carried out, and is looked at again", async () => {
  const cluster = await asked(asks);
  cluster.foreseen = { kind: "failed", message: "Pulumi did not finish in time" };
  const { pending, message } = await waits(cluster);
  assert.deepEqual(pending, { reason: "PreviewFailed", afterMs: 30_000 });
  assert.match(message, /did not finish in time/);
  assert.equal(cluster.ups.length, 1);
});

test("what a preview refuses is refused as always", async () => {
  const cluster = await asked(asks);
  cluster.foreseen = { kind: "stalled", reason: "UpgradeUnsupported", message: "write 17.6" };
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "UpgradeUnsupported");
});

const edited: Drift = {
  ...{ child: "Service shop", kind: "edited", fields: ["spec.ports"], by: "kubectl-edit" },
  urn: "urn:pulumi:team.shop::databases::kubernetes:v1:Service::shop",
};

function drifts(cluster: FakeCluster): void {
  const observed = observedFrom(state);
  observed.set("Service shop", { uid: "uid of Service shop", applied: "other", terminating: false, disposable: false });
  cluster.observed = observed;
  cluster.inspection = { drift: [edited], conflicts: [], terminating: [] };
}

test("while a change waits, what ran is repaired, and backups are spared", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  drifts(cluster);
  await waits(cluster);
  assert.deepEqual(cluster.ups[1]?.program.desired, cluster.ups[0]?.program.desired);
  assert.equal(cluster.ups.length, 2);
  cluster.observed = undefined;
  cluster.keptBackups = ["shop-20260101T000000Z"];
  await waits(cluster);
  assert.deepEqual(cluster.ups[2]?.program.desired.keptBackups, ["shop-20260101T000000Z"]);
  assert.equal(cluster.ups[2]?.program.desired.config["max_connections"], undefined);
});

test("a deletion does not wait for what waits", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  assert.ok(cluster.object !== undefined);
  cluster.object.metadata = { ...cluster.object.metadata, deletionTimestamp: "2026-01-07T12:00:00Z" };
  await turn(cluster);
  assert.equal(cluster.destroys.length, 1);
});

test("a pause comes before a question", async () => {
  const cluster = await asked(asks, { paused: true, config: { max_connections: "200" } });
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "Paused");
  assert.equal(cluster.previews, 0);
});

test("another Database of the name, as after a restore of the cluster, asks for nothing", async () => {
  const cluster = await asked(asks);
  cluster.object = databaseObject({ ...asks, config: { max_connections: "200" } }, { uid: "uid-2" });
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.previews, 0);
});

/** From now on another release of the operator has its turns. */
const released = (cluster: FakeCluster): FakeCluster["ports"] => ({
  ...cluster.ports,
  release: "release-2",
  digest: (desired) => `release-2 ${cluster.ports.digest(desired)}`,
});

test("a release of the operator that restarts members waits, too, and has no author", async () => {
  const cluster = await asked(asks, {});
  cluster.changes.mayAuthorApprove = false;
  const ports = released(cluster);
  const next = (): ReturnType<typeof reconcile> => reconcile(cluster.key, cluster.database, ports, turnOf);
  const outcome = await next();
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  assert.deepEqual(outcome.pending?.shown?.changes, [{ path: "operator", after: "another release" }]);
  assert.equal(cluster.ups.length, 1, "no run of the new release");
  drifts(cluster);
  assert.equal((await next()).kind, "stalled");
  assert.equal(cluster.ups.length, 2, "what drifted is repaired");
  assert.deepEqual(cluster.ups[1]?.program.memberTemplate, template, "members keep theirs");
  cluster.observed = undefined;
  assert.equal((await next()).kind, "stalled", "and the release still waits");
  assert.equal(cluster.ups.length, 2);
  annotate(cluster, approval("plan-1"));
  assert.equal((await next()).kind, "settled");
  assert.equal(cluster.ups[2]?.program.memberTemplate, undefined);
  assert.equal(cluster.record?.release, "release-2");
});

test("a release that restarts no member is carried out at once", async () => {
  const cluster = await asked(asks, {});
  cluster.foreseen = plan("plan-1", quiet);
  assert.equal((await reconcile(cluster.key, cluster.database, released(cluster), turnOf)).kind, "settled");
  assert.equal(cluster.ups.length, 2);
});
