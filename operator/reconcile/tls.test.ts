// TLS of a Database over its life: what it begins with, and how members get from one mode to another.
import assert from "node:assert/strict";
import test from "node:test";
import { edit, template as membersTemplate, turn } from "../../test/fakes/asked-change";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { meeting, mustWait, under } from "../../test/fakes/released";
import { controllerOf, observe, templated } from "../../test/fakes/with-members";
import { tlsSecretName } from "../../components/naming";
import { peerVariables, type ServerTls } from "../../contract/tls";
import type { Desired } from "../domain/desired";
import { templateFor } from "./held";

const withMode = (mode: ServerTls | undefined, some: Record<string, unknown> = {}): ReturnType<typeof databaseObject> =>
  databaseObject({ ...some, ...(mode !== undefined && { tls: { mode } }) });
const declared = (cluster: FakeCluster): readonly unknown[] =>
  cluster.ups.map(({ program: { desired, certificates } }) => [desired.tls, certificates !== undefined]);

const certificate = `Secret ${tlsSecretName("shop")}`;
/** Of members that require TLS. */
const checkingMembers = {
  spec: {
    volumes: [{ name: "tls", secret: { secretName: tlsSecretName("shop") } }],
    containers: [{ name: "database", env: [{ name: peerVariables.mode, value: "verify-ca" }] }],
  },
};

test("a new Database begins with TLS alone, and says until when its certificate is good", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  const next = await work(cluster.key, "run");
  assert.deepEqual(declared(cluster), [["Require", true]]);
  assert.equal(cluster.record?.tls?.began, "Require");
  const { tls } = cluster.statuses.at(-1) ?? {};
  assert.deepEqual(tls, {
    ...{ mode: "Require", allMembers: true },
    ...{ certificateExpires: "2026-04-01T00:00:00.000Z", authorityExpires: "2036-01-01T00:00:00.000Z" },
  });
  assert.deepEqual(next, { kind: "again", afterMs: 86_400_000 }, "no timer counts to the renewal");
});

test("a member that shows an older certificate than was issued last counts, until it goes", async () => {
  const cluster = new FakeCluster();
  const { work } = controllerOf(cluster);
  await work(cluster.key, "run");
  const expires = async (...times: readonly (string | undefined)[]): Promise<unknown> => {
    observe(cluster, ...times.map(() => "now"));
    const members = cluster.observation.members.map((member, index) => {
      const until = times[index];
      return until === undefined
        ? member
        : { ...member, certificate: { until }, terminating: until.startsWith("2025") };
    });
    cluster.observation = { ...cluster.observation, members };
    await work(cluster.key, "run");
    return cluster.statuses.at(-1)?.tls?.certificateExpires;
  };
  const issued = "2026-04-01T00:00:00.000Z";
  assert.equal(await expires(issued, undefined), issued);
  assert.equal(await expires(issued, "2026-02-01T00:00:00.000Z"), "2026-02-01T00:00:00.000Z");
  assert.equal(await expires("2026-05-01T00:00:00.000Z", "2025-12-01T00:00:00.000Z"), issued);
});

test("a Database of an earlier operator stays as it is, until it says otherwise", async () => {
  const cluster = new FakeCluster(withMode("Off"));
  await turn(cluster);
  assert(cluster.record);
  cluster.record = { ...cluster.record, tls: undefined, digest: "of an earlier one" };
  cluster.object = withMode(undefined);
  await turn(cluster);
  assert.deepEqual(declared(cluster), [
    ["Off", false],
    ["Off", false],
  ]);
  assert.equal(cluster.certificates.asked, 0);
});

for (const [what, ours, mode] of [
  ["of one with TLS: its certificate is there", ["Secret shop-credentials", certificate], "Require"],
  ["of one without", ["Secret shop-credentials"], "Off"],
] as const) {
  test(`where the record is lost, the Secrets beside the Database tell what it began with: ${what}`, async () => {
    const cluster = new FakeCluster();
    cluster.ours = [...ours];
    await turn(cluster);
    assert.equal(cluster.ups.at(-1)?.program.desired.tls, mode);
  });
}

test("what is found out of an earlier operator's record is asked for once, though no run follows", async () => {
  const cluster = new FakeCluster(withMode("Off"));
  await turn(cluster);
  assert(cluster.record);
  cluster.record = { ...cluster.record, tls: undefined };
  await turn(cluster, { looksOnly: true });
  assert.deepEqual([cluster.ups.length, cluster.record.tls], [1, { began: "Off", declared: "Off", reached: "Off" }]);
});

test("a Database of an earlier operator that asks for Require meanwhile gets there by Prefer", async () => {
  const cluster = new FakeCluster(withMode("Off"));
  await turn(cluster);
  assert(cluster.record);
  cluster.record = { ...cluster.record, tls: undefined };
  cluster.object = withMode("Require");
  await turn(cluster);
  observe(cluster, "now", "now");
  await turn(cluster);
  await turn(cluster);
  assert.deepEqual(declared(cluster).slice(1), [
    ["Prefer", true],
    ["Require", true],
  ]);
});

test("so does one of which the record is lost, and that has no certificate", async () => {
  const cluster = new FakeCluster(withMode("Require"));
  cluster.ours = ["Secret shop-credentials"];
  await turn(cluster);
  assert.deepEqual(declared(cluster), [["Prefer", true]]);
});

test("a Database that was with an operator that knows no TLS, and comes back, gets it again, in steps", async () => {
  const cluster = new FakeCluster();
  cluster.results = [templated()];
  await turn(cluster);
  assert(cluster.record);
  // that one's run left members without it
  cluster.record = { ...cluster.record, tls: undefined };
  cluster.ours = ["Secret shop-credentials", certificate];
  await turn(cluster);
  assert.deepEqual(declared(cluster).at(-1), ["Prefer", true]);
  assert.equal(cluster.record.tls?.began, "Require");
});

test("where no run of that one took members' TLS away, they stay as they are", async () => {
  const cluster = new FakeCluster();
  cluster.results = [templated(checkingMembers)];
  await turn(cluster);
  assert(cluster.record);
  cluster.record = { ...cluster.record, tls: undefined };
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
  assert.deepEqual(declared(cluster), [["Require", true]]);
});

test("one whose image knows no TLS begins without it, and cannot ask for it", async () => {
  const cluster = new FakeCluster();
  cluster.catalogue = { postgresql: { "17.6": { image: "postgresql:17.6", limits: { tls: false } } } };
  await turn(cluster);
  assert.deepEqual(declared(cluster), [["Off", false]]);
  cluster.object = withMode("Prefer");
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "ImageLimited");
  assert.match(outcome.message, /spec\.tls\.mode: the image of postgresql 17\.6 knows no TLS/);
});

test("where another one's Secret has the name of one for certificates, it is said what else helps", async () => {
  const cluster = new FakeCluster();
  cluster.conflicts = [certificate];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "NameConflict");
  assert.match(outcome.message, /shop-server-tls; remove it .*; with spec\.tls\.mode: Off it needs no certificates$/);
});

test("other engines have none, and nothing is remembered of it", async () => {
  const cluster = new FakeCluster(databaseObject({ engine: "mysql", version: "9.7" }));
  cluster.catalogue = { mysql: { "9.7": { image: "mysql" } } };
  await turn(cluster);
  assert.deepEqual(declared(cluster), [[undefined, false]]);
  assert.equal(cluster.record?.tls, undefined);
});

test("from Off to Require all members get a certificate before any of them asks for one", async () => {
  const cluster = new FakeCluster(withMode("Off"));
  await turn(cluster);
  cluster.object = withMode("Require");
  observe(cluster, "before", "before");
  await turn(cluster);
  await turn(cluster);
  observe(cluster, "now", "before");
  await turn(cluster);
  assert.deepEqual(declared(cluster).slice(1), [["Prefer", true]]);
  observe(cluster, "now", "now");
  const outcome = await turn(cluster);
  assert.equal(outcome.kind === "waiting" && outcome.reason, "Restarting");
  await turn(cluster);
  assert.deepEqual(declared(cluster).slice(1), [
    ["Prefer", true],
    ["Require", true],
  ]);
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.equal(cluster.record?.tls?.reached, "Require");
  assert.ok(
    cluster.record.history.every(({ byPlatform }) => byPlatform === undefined),
    "the Database asked for all of it",
  );
});

test("once no member has a certificate, the Secret goes that would say of a lost record that they have", async () => {
  const cluster = new FakeCluster(withMode("Prefer"));
  await turn(cluster);
  cluster.object = withMode("Off");
  observe(cluster, "now", "before");
  await turn(cluster);
  assert.deepEqual([declared(cluster).at(-1), cluster.removed], [["Off", false], []]);
  observe(cluster, "now", "now");
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  assert.deepEqual(cluster.removed, []);
  await turn(cluster);
  assert.deepEqual(cluster.removed, [certificate]);
  await turn(cluster);
  assert.equal(cluster.removed.length, 1);
});

test("what was begun before another release waits comes to its end without that", async () => {
  const cluster = await meeting({ tls: { mode: "Off" } });
  edit(cluster, { tls: { mode: "Require" } });
  assert.equal((await turn(cluster)).kind, "settled");
  observe(cluster, "now", "now");
  for (const mode of ["Prefer", "Require", "Require"] as const) {
    mustWait(await under(cluster));
    assert.deepEqual(declared(cluster).at(-1), [mode, true]);
  }
  assert.deepEqual([cluster.ups.length, cluster.ups.at(-1)?.program.memberTemplate], [3, membersTemplate]);
  const { meanwhile, isKept } = mustWait(await under(cluster));
  assert.deepEqual([meanwhile, isKept], [undefined, true], "and then it rests");
});

test("while another release waits, members get another mode all the same, and nothing of the release", async () => {
  const cluster = new FakeCluster(withMode("Prefer"));
  cluster.results = [templated()];
  await turn(cluster);
  const { record } = cluster;
  const desired = cluster.ups.at(-1)?.program.desired;
  assert(record !== undefined && desired !== undefined);
  const at = {
    digest: ({ tls }: Desired): string => tls ?? "",
    memberTemplate: ({ tls }: Desired) =>
      Promise.resolve({ metadata: { labels: tls === "Require" ? { tls } : {} }, ofRelease: 2 }),
  };
  const kept = await templateFor(record, { ...desired, tls: "Require" }, at);
  assert.deepEqual(kept?.template, { metadata: { labels: { kept: "yes", tls: "Require" } } });
});

test("with everything of a Database goes what signed its certificates", async () => {
  const cluster = new FakeCluster();
  await turn(cluster);
  const deletionTimestamp = "2026-01-02T00:00:00Z";
  cluster.object = databaseObject({ deletionPolicy: "Delete" }, { deletionTimestamp, finalizers: cluster.finalizers });
  await turn(cluster);
  await turn(cluster);
  assert.equal(cluster.certificates.removed, 1);
});
