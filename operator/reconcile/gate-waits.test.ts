// How long a change waits, by which policy, and what happens meanwhile.
import assert from "node:assert/strict";
import test from "node:test";
import {
  annotate,
  approval,
  asked,
  asks,
  both,
  drifts,
  edit,
  night,
  plan,
  quiet,
  released,
  restart,
  template,
  turn,
  turnOf,
  waits,
  wednesday,
  windowed,
} from "../../test/fakes/asked-change";
import { databaseObject } from "../../test/fakes/ports";
import { approvalDays, approvalKeys } from "../../contract/approvals";
import { reconcile } from "./reconcile";

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

const later = new Date(wednesday.getTime() + approvalDays * 86_400_000 + 60_000);

test("a plan that was not approved in time gets another number", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  const plans = cluster.record?.plans ?? 0;
  cluster.now = later;
  cluster.foresight.found = plan("plan-2", restart);
  annotate(cluster, approval("plan-1"));
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  const { digest, approval: seen, since } = (await waits(cluster)).pending?.shown ?? {};
  assert.deepEqual([digest, seen?.state], ["plan-2", "Expired"]);
  assert.equal(cluster.record?.plans, plans + 1);
  assert.equal(since, "2026-01-07T12:00:00Z", "it is asked for as long as before");
  await waits(cluster, { looksOnly: true });
});

test("a plan that was approved in time does not get too old while it waits for a window", async () => {
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
  cluster.foresight.found = plan("plan-2");
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  const { message } = await waits(cluster);
  assert.match(message, /it makes the change policy looser/);
  annotate(cluster, approval("plan-2"));
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { changePolicy: {}, config: { max_connections: "200" } });
  assert.equal((await turn(cluster)).kind, "settled");
});

test("a stricter policy is in force at once, also for the edit that takes it away again", async () => {
  const cluster = await asked({}, asks);
  cluster.foresight.found = plan("plan-1");
  assert.equal((await turn(cluster)).kind, "settled");
  edit(cluster, { config: { max_connections: "200" } });
  cluster.foresight.found = plan("plan-2", restart);
  await waits(cluster);
});

test("what cannot be previewed is not carried out, and is looked at again", async () => {
  const cluster = await asked(asks);
  cluster.foresight.found = { kind: "failed", message: "Pulumi did not finish in time" };
  const { pending, message } = await waits(cluster);
  assert.deepEqual(pending, { reason: "PreviewFailed", afterMs: 30_000 });
  assert.match(message, /did not finish in time/);
  assert.equal(cluster.ups.length, 1);
});

test("a preview that throws stops no repair: what ran is kept up, and it is tried again", async () => {
  const cluster = await asked(asks);
  await waits(cluster);
  edit(cluster, { ...asks, config: { max_connections: "300" } });
  drifts(cluster);
  const late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  const ports = { ...cluster.ports, foresee: () => Promise.reject(late) };
  const outcome = await reconcile(cluster.key, cluster.database, ports, turnOf);
  assert.ok(outcome.kind === "stalled", JSON.stringify(outcome));
  assert.deepEqual(outcome.pending, { reason: "PreviewFailed", afterMs: 30_000 });
  assert.match(outcome.message, /aborted due to timeout/);
  assert.deepEqual(cluster.ups.length, 2, "what drifted is repaired");
});

test("what a preview refuses is refused as always", async () => {
  const cluster = await asked(asks);
  cluster.foresight.found = { kind: "stalled", reason: "UpgradeUnsupported", message: "write 17.6" };
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "UpgradeUnsupported");
});

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
  assert.deepEqual(cluster.ups[2].program.desired.config, {});
});

test("while a change waits, volumes may grow as the present spec says", async () => {
  const cluster = await asked(asks, { replicas: 5, storageAutoGrow: { maxSize: "50Gi" } });
  cluster.keptBackups = ["shop-20260101T000000Z"];
  await waits(cluster);
  assert.deepEqual(cluster.ups[1]?.program.desired.spec.storageAutoGrow, { maxSize: "50Gi" });
  assert.equal(cluster.ups[1].program.desired.spec.replicas, 3);
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
  assert.equal(cluster.foresight.previews, 0);
});

test("another Database of the name, as after a restore of the cluster, asks for nothing", async () => {
  const cluster = await asked(asks);
  cluster.object = databaseObject({ ...asks, config: { max_connections: "200" } }, { uid: "uid-2" });
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.foresight.previews, 0);
});

test("a release of the operator that restarts members waits, too, and has no author", async () => {
  const cluster = await asked(asks, {});
  cluster.foresight.settings.mayAuthorApprove = false;
  const ports = released(cluster);
  const next = (): ReturnType<typeof reconcile> => reconcile(cluster.key, cluster.database, ports, turnOf);
  const outcome = await next();
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  assert.deepEqual(outcome.pending?.shown?.changes, [{ path: "operator", after: "another release" }]);
  assert.deepEqual(outcome.pending.shown.requestedBy, []);
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

test("while a release waits, backups that must be spared are, and members keep their template", async () => {
  const cluster = await asked(asks, {});
  const ports = released(cluster);
  const next = (): ReturnType<typeof reconcile> => reconcile(cluster.key, cluster.database, ports, turnOf);
  await next();
  cluster.keptBackups = ["shop-20260101T000000Z"];
  await next();
  assert.deepEqual([cluster.ups.length, cluster.ups[1]?.program.memberTemplate], [2, template]);
  assert.equal((await next()).kind, "stalled");
  assert.equal(cluster.ups.length, 2);
});

test("while a release waits, a volume that has grown is declared so, and a last backup is taken before a deletion", async () => {
  const cluster = await asked({ ...asks, deletionPolicy: "Snapshot" }, {});
  const ports = released(cluster);
  const next = (): ReturnType<typeof reconcile> => reconcile(cluster.key, cluster.database, ports, turnOf);
  await next();
  assert.ok(cluster.record !== undefined && cluster.object !== undefined);
  cluster.record = { ...cluster.record, grown: { size: "12Gi", at: "2026-01-07T12:00:00Z", reason: "full" } };
  await next();
  const [, grown] = cluster.ups;
  assert.deepEqual([grown?.program.desired.spec.storage, grown?.program.memberTemplate], ["12Gi", template]);
  cluster.object.metadata = { ...cluster.object.metadata, deletionTimestamp: "2026-01-07T12:00:00Z" };
  await next();
  assert.notEqual(cluster.ups[2]?.program.desired.finalBackup, undefined);
});

test("a release that restarts no member is carried out at once", async () => {
  const cluster = await asked(asks, {});
  cluster.foresight.found = plan("plan-1", quiet);
  assert.equal((await reconcile(cluster.key, cluster.database, released(cluster), turnOf)).kind, "settled");
  assert.equal(cluster.ups.length, 2);
});

test("a policy that comes with an edit holds a release of the same turn as well", async () => {
  const cluster = await asked({}, asks);
  const ports = released(cluster);
  cluster.foresight.found = plan("plan-1", restart);
  const outcome = await reconcile(cluster.key, cluster.database, ports, turnOf);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ChangePending", JSON.stringify(outcome));
  assert.equal(cluster.ups.length, 1, "no run of the new release");
  drifts(cluster);
  await reconcile(cluster.key, cluster.database, ports, turnOf);
  assert.deepEqual([cluster.ups.length, cluster.ups[1]?.program.memberTemplate], [2, template]);
});
