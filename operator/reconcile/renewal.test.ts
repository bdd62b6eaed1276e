// What is due of certificates is renewed, whatever else there is about a Database.
import assert from "node:assert/strict";
import test from "node:test";
import { turn } from "../../test/fakes/asked-change";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { controllerOf, membersTemplate, observe, templated } from "../../test/fakes/with-members";

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

test("a paused Database is renewed all the same: members keep their template, and what was edited stays", async () => {
  const cluster = new FakeCluster();
  cluster.results = [templated(), templated()];
  await turn(cluster);
  cluster.object = databaseObject({ paused: true, replicas: 5 });
  observe(cluster, "before", "before", "before");
  cluster.inspection = {
    drift: [{ child: "StatefulSet shop", urn: "urn", kind: "edited", fields: ["spec"], by: "kubectl" }],
    ...{ conflicts: [], terminating: [] },
  };
  assert.equal((await turn(cluster)).kind, "stalled");
  assert.equal(cluster.ups.length, 1);
  const before = cluster.record;
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  const outcome = await turn(cluster);
  assert.deepEqual([outcome.kind, outcome.kind === "stalled" && outcome.reason], ["stalled", "Paused"]);
  assert.equal(cluster.ups.length, 2);
  const { program } = cluster.ups.at(-1) ?? {};
  assert.deepEqual([program?.desired.spec.replicas, program?.memberTemplate], [3, membersTemplate]);
  assert.deepEqual(cluster.evicted, []);
  assert.deepEqual([cluster.record?.digest, cluster.record?.history], [before?.digest, before?.history]);
});

test("a renewal of a paused Database that fails is tried again, and nothing is read back that people do meanwhile", async () => {
  const cluster = new FakeCluster();
  cluster.results = [
    templated(),
    { kind: "failed", problem: { message: "quota", resource: undefined }, checkpoint: undefined },
    templated(),
  ];
  await turn(cluster);
  cluster.object = databaseObject({ paused: true });
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  renew(cluster);
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.meanwhile?.kind === "failed");
  assert.equal((await turn(cluster)).kind, "stalled");
  assert.deepEqual(
    cluster.ups.slice(1).map(({ refresh, program }) => [refresh, program.memberTemplate]),
    [
      [false, membersTemplate],
      [false, membersTemplate],
    ],
  );
});

test("so is one that stalls for another reason than what is asked for", async () => {
  const cluster = new FakeCluster();
  cluster.results = [templated(), templated()];
  await turn(cluster);
  cluster.object = databaseObject({ config: { max_connections: "200" } });
  cluster.conflicts = ["CronJob shop-backup"];
  const before = await turn(cluster);
  assert.deepEqual([before.kind === "stalled" && before.reason, cluster.ups.length], ["NameConflict", 1]);
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  renew(cluster);
  const outcome = await turn(cluster);
  assert.equal(outcome.kind === "stalled" && outcome.reason, "NameConflict");
  const { program } = cluster.ups[1] ?? {};
  assert.deepEqual([program?.desired.config, program?.memberTemplate], [{}, membersTemplate]);
  assert.equal(cluster.record?.tls?.issued?.certificateUntil, "2026-06-01T00:00:00.000Z");
});

test("a paused Database whose last run failed is left as it is", async () => {
  const cluster = new FakeCluster();
  cluster.results = [templated()];
  await turn(cluster);
  assert(cluster.record);
  cluster.record = { ...cluster.record, digest: undefined };
  cluster.object = databaseObject({ paused: true });
  cluster.now = new Date("2026-03-02T00:00:00.000Z");
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
});
