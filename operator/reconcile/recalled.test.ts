// A record that was lost, or deleted, lets nothing through that would wait: what runs is known from the cluster.
import assert from "node:assert/strict";
import test from "node:test";
import { annotate, approval, asked, asks, edit, template, turn, waits } from "../../test/fakes/asked-change";
import type { FakeCluster } from "../../test/fakes/ports";
import { readsOf } from "../../test/fakes/previewing";
import { approves, meeting, mustWait, under } from "../../test/fakes/released";
import { tlsSecretName } from "../../components/naming";
import { peerVariables } from "../../contract/tls";
import { noPolicy } from "../api/change-policy";
import { DatabaseSpec } from "../api/spec";
import type { Desired } from "../domain/desired";
import type { Recalled } from "../domain/recalled";
import { prepareApply } from "../preview/prepare";

const desiredAt = (cluster: FakeCluster, index: number): Desired =>
  cluster.ups[index]?.program.desired ?? assert.fail(`there is no run ${index}`);

interface Left {
  /** To where volumes have grown. Default: nowhere. */
  readonly storage?: string;
  /** Of the members. */
  readonly template?: Recalled["template"];
}

/** Of what was carried out last, the DatabaseRevision and the StatefulSet are left. */
function lose(cluster: FakeCluster, { storage, template: members = template }: Left = {}): FakeCluster {
  const [last] = cluster.record?.history ?? [];
  const spec = DatabaseSpec.parse(last?.told?.template);
  assert.ok(last?.told?.image !== undefined);
  cluster.foresight.recalled = {
    revision: last,
    spec: { ...spec, storage: storage ?? spec.storage },
    ...{ image: last.told.image, release: last.told.release, template: members },
  };
  cluster.record = undefined;
  return cluster;
}

test("a change that asks waits all the same, and what ran is adopted meanwhile", async () => {
  const cluster = lose(await asked(asks));
  const { pending, isKept } = await waits(cluster);
  assert.deepEqual(
    pending?.shown?.changes.map(({ path }) => path),
    ["spec.config.max_connections"],
  );
  assert.equal(isKept, true);
  assert.deepEqual([cluster.ups.length, desiredAt(cluster, 1).config], [2, {}]);
  assert.equal(cluster.record?.history[0]?.revision, 2, "numbers continue");
  annotate(cluster, approval("plan-1"));
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual(desiredAt(cluster, 2).config, { max_connections: "200" });
});

test("who takes the policy away with the record still has to be let", async () => {
  const cluster = lose(await asked(asks));
  edit(cluster, { config: { max_connections: "200" }, changePolicy: {} });
  await waits(cluster);
  assert.deepEqual(desiredAt(cluster, 1).config, {});
});

test("what ran is adopted without a question, with volumes that have grown, and so is all where nothing holds back", async () => {
  const same = lose(await asked(asks, {}), { storage: "20Gi" });
  assert.equal((await turn(same)).kind, "settled");
  const free = lose(await asked({}));
  assert.equal((await turn(free)).kind, "settled");
  assert.deepEqual(desiredAt(free, 1).config, { max_connections: "200" });
  const unknown = lose(await asked(asks));
  unknown.foresight.recalled = undefined;
  assert.equal((await turn(unknown)).kind, "settled");
  assert.deepEqual(
    [same, free, unknown].map(({ ups, foresight }) => [ups.length, foresight.previews]),
    [
      [2, 0],
      [2, 0],
      [2, 0],
    ],
  );
});

test("a Database of which nothing was made yet asks for nothing", async () => {
  const cluster = lose(await asked(asks));
  assert.ok(cluster.object !== undefined);
  cluster.object.metadata.finalizers = [];
  assert.equal((await turn(cluster)).kind, "settled");
});

test("a release of the operator waits, and members keep the template that they have", async () => {
  const cluster = lose(await meeting());
  mustWait(await under(cluster));
  const [, adoption] = cluster.ups;
  assert.deepEqual(
    [cluster.ups.length, adoption?.program.memberTemplate, adoption?.checkpoint],
    [2, template, undefined],
  );
  assert.deepEqual([cluster.record?.release, cluster.record?.formedBy], ["release-1", "release-2"]);
  mustWait(await under(cluster));
  assert.equal(cluster.ups.length, 2, "nothing is left to adopt");
  annotate(cluster, approval("plan-1"));
  assert.equal((await under(cluster)).kind, "settled");
  assert.deepEqual([cluster.ups[2]?.program.memberTemplate, cluster.record?.release], [undefined, "release-2"]);
});

const checking = [{ name: "database", env: [{ name: peerVariables.mode, value: "verify-ca" }] }];
for (const [what, spec, mode] of [
  ["with TLS", { volumes: [{ secret: { secretName: tlsSecretName("shop") } }], containers: checking }, "Require"],
  ["without TLS", {}, "Off"],
] as const) {
  test(`members ${what} stay so, where the Database says nothing of it`, async () => {
    const cluster = lose(await meeting(), { template: { ...template, spec } });
    mustWait(await under(cluster));
    assert.equal(desiredAt(cluster, 1).tls, mode);
    assert.deepEqual(cluster.ups[1]?.program.memberTemplate, { ...template, spec });
    const { began, declared } = cluster.record?.tls ?? {};
    assert.deepEqual([began, declared], [mode, mode]);
  });
}

test("an edit that waits for nothing is carried out beside that release", async () => {
  const cluster = lose(await meeting({}, approves));
  cluster.foresight.template = () => template;
  edit(cluster, { config: { max_connections: "200" } });
  mustWait(await under(cluster));
  assert.deepEqual(desiredAt(cluster, 1).config, { max_connections: "200" });
  assert.deepEqual(cluster.ups[1]?.program.memberTemplate, template);
});

test("a run that fails leaves the change waiting", async () => {
  const cluster = lose(await asked(asks));
  cluster.results = [{ kind: "failed", checkpoint: undefined, problem: { message: "no", resource: undefined } }];
  await waits(cluster);
  await waits(cluster);
  assert.deepEqual(
    cluster.ups.slice(1).map(({ program }) => program.desired.config),
    [{}, {}],
  );
});

test("a turn that only looks leaves it alone", async () => {
  const cluster = lose(await asked(asks));
  assert.equal((await turn(cluster, { looksOnly: true })).kind, "due");
  assert.deepEqual([cluster.record, cluster.ups.length], [undefined, 1]);
});

test("a preview says by which policies it would wait", async () => {
  const cluster = lose(await asked(asks));
  const policies = { policy: noPolicy, releases: noPolicy };
  const prepared = await prepareApply(cluster.object, readsOf(cluster), { refresh: false, policies });
  assert.ok(prepared.kind === "change");
  assert.deepEqual(prepared.policies?.[0].requireApproval, ["RollingRestart", "DataLoss"]);
});
