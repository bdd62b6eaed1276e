// What is due of certificates is renewed, whatever else there is about a Database.
import assert from "node:assert/strict";
import test from "node:test";
import { turn, turnOf } from "../../test/fakes/asked-change";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { controllerOf, observe, templated } from "../../test/fakes/with-members";
import type { StackResult } from "../domain/runner";
import { reconcile } from "./reconcile";

/** From now on members are to have another certificate. */
function renew({ certificates }: FakeCluster): void {
  const { pem, issuance, ...more } = certificates.issued;
  certificates.issued = {
    ...more,
    fingerprints: ["of what is renewed", "of the authority"],
    pem: { ...pem, certificate: "renewed" },
    issuance: { ...issuance, due: "2026-05-01T00:00:00.000Z", certificateUntil: "2026-06-01T00:00:00.000Z" },
  };
}

test("what is due is renewed by a run that is no change of the Database, and that restarts nothing", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  await work(cluster.key, "run");
  const { history } = cluster.record ?? {};
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  renew(cluster);
  assert.deepEqual(await work(cluster.key, "look"), { kind: "run" });
  await work(cluster.key, "run");
  assert.equal(cluster.ups.at(-1)?.program.certificates?.certificate, "renewed");
  assert.deepEqual(cluster.record?.history, history);
  assert.equal(cluster.statuses.at(-1)?.tls?.certificateExpires, "2026-06-01T00:00:00.000Z");
  assert.deepEqual(
    cluster.events.map(({ reason }) => reason).filter((reason) => reason === "CertificatesRenewed"),
    ["CertificatesRenewed"],
  );
  await work(cluster.key, "run");
  assert.equal(cluster.ups.length, 2);
});

test("a renewal that fails is tried again as any run is", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.now = new Date("2026-03-03T00:00:00.000Z");
  const { issued } = cluster.record?.tls ?? {};
  renew(cluster);
  cluster.results = [{ kind: "failed", problem: { message: "quota", resource: undefined }, checkpoint: undefined }];
  assert.equal((await turn(cluster)).kind, "failed");
  assert.deepEqual(cluster.record?.tls?.issued, issued, "an alert tells of what members have");
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(cluster.ups.length, 3);
});

test("one that fails after members have what was renewed counts, and is not due again", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  cluster.now = new Date("2026-03-03T00:00:00.000Z");
  renew(cluster);
  cluster.certificates.isThere = true;
  cluster.results = [{ kind: "failed", problem: { message: "quota", resource: undefined }, checkpoint: undefined }];
  assert.equal((await turn(cluster)).kind, "failed");
  assert.equal(cluster.record?.tls?.issued?.certificateUntil, "2026-06-01T00:00:00.000Z");
  assert.equal(cluster.record.tls.published?.["of what is renewed"], "2026-03-03T00:00:00.000Z");
});

test("what was issued counts as published from the first run on that succeeded", async () => {
  const cluster = new FakeCluster();
  const { fingerprints } = cluster.certificates.issued;
  const problem = { message: "quota", resource: undefined };
  cluster.results = [{ kind: "failed", problem, checkpoint: undefined }];
  await turn(cluster);
  assert.equal(cluster.record?.tls?.published, undefined);
  const days = ["2026-01-03T00:00:00.000Z", "2026-01-04T00:00:00.000Z"] as const;
  for (const [index, day] of days.entries()) {
    cluster.now = new Date(day);
    cluster.object = databaseObject({ replicas: index + 1 });
    await turn(cluster);
  }
  const published = Object.fromEntries(fingerprints.map((one) => [one, days[0]]));
  assert.deepEqual([cluster.record?.tls?.published, cluster.certificates.published], [published, published]);
});

const secrets = ["Secret shop-server-tls", "Secret shop-ca"];
const failing: StackResult = {
  ...{ kind: "failed", problem: { message: "quota", resource: undefined }, checkpoint: undefined },
};
const renewedUntil = "2026-06-01T00:00:00.000Z";

/** One whose certificates are due, after some time. */
async function ofDue(spec: Record<string, unknown>): Promise<FakeCluster> {
  const cluster = new FakeCluster();
  cluster.results = [templated()];
  await turn(cluster);
  cluster.object = databaseObject(spec);
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  cluster.ours = secrets;
  renew(cluster);
  return cluster;
}

test("a paused Database is renewed all the same, without a run: nothing but the two Secrets is touched", async () => {
  const cluster = await ofDue({ paused: true, replicas: 5 });
  observe(cluster, "before", "before", "before");
  cluster.inspection = {
    drift: [{ child: "StatefulSet shop", urn: "urn", kind: "edited", fields: ["spec"], by: "kubectl" }],
    ...{ conflicts: [], terminating: [] },
  };
  const before = cluster.record;
  const outcome = await turn(cluster);
  assert.deepEqual([outcome.kind, outcome.kind === "stalled" && outcome.reason], ["stalled", "Paused"]);
  assert.deepEqual(
    cluster.certificates.alone.map((pem) => pem.certificate),
    ["renewed"],
  );
  assert.deepEqual([cluster.ups.length, cluster.evicted], [1, []]);
  assert.equal(cluster.record?.tls?.issued?.certificateUntil, renewedUntil);
  assert.equal(cluster.record.tls.published?.["of what is renewed"], "2026-03-02T00:00:00.000Z");
  assert.deepEqual([cluster.record.digest, cluster.record.history], [before?.digest, before?.history]);
  await turn(cluster);
  assert.equal(cluster.certificates.alone.length, 1);
});

test("it is told as an event, and takes a turn that may write", async () => {
  const cluster = await ofDue({ paused: true });
  const { work } = controllerOf(cluster);
  assert.deepEqual(await work(cluster.key, "look"), { kind: "run" });
  assert.equal(cluster.certificates.alone.length, 0);
  await work(cluster.key, "run");
  assert.ok(cluster.events.some(({ reason }) => reason === "CertificatesRenewed"));
  assert.equal(cluster.statuses.at(-1)?.tls?.certificateExpires, renewedUntil);
});

test("so is a paused one whose last run failed, and what people do meanwhile is left alone", async () => {
  const cluster = await ofDue({ config: { work_mem: "8MB" } });
  cluster.now = new Date("2026-02-01T00:00:00.000Z");
  cluster.results = [failing];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  cluster.object = databaseObject({ paused: true });
  assert.equal((await turn(cluster)).kind, "stalled");
  assert.deepEqual([cluster.certificates.alone.length, cluster.ups.length], [1, 2]);
  assert.equal(cluster.record?.tls?.issued?.certificateUntil, renewedUntil);
});

test("so is one that stalls for another reason than what is asked for", async () => {
  const cluster = await ofDue({ config: { max_connections: "200" } });
  cluster.conflicts = ["CronJob shop-backup"];
  const outcome = await turn(cluster);
  assert.equal(outcome.kind === "stalled" && outcome.reason, "NameConflict");
  assert.deepEqual([cluster.certificates.alone.length, cluster.ups.length], [1, 1]);
  assert.equal(cluster.record?.tls?.issued?.certificateUntil, renewedUntil);
});

test("and one whose runs fail before they come to its certificates", async () => {
  const cluster = await ofDue({ config: { work_mem: "8MB" } });
  cluster.results = [failing, failing];
  assert.equal((await turn(cluster)).kind, "failed");
  assert.equal(cluster.certificates.alone.length, 1);
  assert.equal(cluster.record?.tls?.issued?.certificateUntil, renewedUntil);
  await turn(cluster);
  assert.equal(cluster.certificates.alone.length, 1, "once");
});

test("so is one that cannot have what it asks for, after a run that failed: nothing is left to be kept up", async () => {
  const cluster = await ofDue({ config: { work_mem: "8MB" } });
  cluster.now = new Date("2026-02-01T00:00:00.000Z");
  cluster.results = [failing];
  await turn(cluster);
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  cluster.object = databaseObject({ version: "9.9" });
  const outcome = await turn(cluster);
  assert.equal(outcome.kind === "stalled" && outcome.reason, "VersionUnavailable");
  assert.deepEqual([cluster.certificates.alone.length, cluster.ups.length], [1, 2]);
});

test("an operator that stops leaves it to its successor", async () => {
  const cluster = await ofDue({ paused: true });
  const stopping = { ...cluster.ports, signal: AbortSignal.abort() };
  assert.equal((await reconcile(cluster.key, cluster.database, stopping, turnOf)).kind, "stalled");
  assert.deepEqual(cluster.certificates.alone, []);
});

test("where a Secret is gone, or another one's, nothing is written, and it is said", async () => {
  const cluster = await ofDue({ paused: true });
  cluster.ours = secrets.slice(1);
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.meanwhile?.kind === "failed");
  assert.match(outcome.meanwhile.message, /there is no Secret shop-server-tls$/);
  cluster.object = databaseObject({ config: { work_mem: "8MB" } });
  cluster.results = [failing];
  await turn(cluster);
  assert.deepEqual(cluster.certificates.alone, []);
  assert.notEqual(cluster.record?.tls?.issued?.certificateUntil, renewedUntil);
});
