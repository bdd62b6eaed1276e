// A preview of a major upgrade against what the reconcile does then: the same refusals, and the same declaration.
import assert from "node:assert/strict";
import test from "node:test";
import { turn } from "../../test/fakes/deleting";
import { databaseObject, type FakeCluster } from "../../test/fakes/ports";
import { readsOf } from "../../test/fakes/previewing";
import { declared, down, from, job, said, to, upgrading } from "../../test/fakes/upgrading";
import { finalizer } from "../api/lifecycle";
import type { Upgrade } from "../domain/upgrade";
import { prepareApply, prepareDeletion, type Prepared } from "./prepare";

const previewOf = (cluster: FakeCluster, object: unknown): Promise<Prepared> =>
  prepareApply(object, readsOf(cluster), { refresh: false });

/** Before an upgrade begins. */
async function before(): Promise<FakeCluster> {
  const cluster = await upgrading();
  assert.ok(cluster.record);
  cluster.record = { ...cluster.record, upgrade: undefined };
  return cluster;
}

const states: readonly (readonly [
  what: string,
  Partial<Upgrade> | undefined,
  spec: Record<string, unknown>,
  notes: RegExp,
])[] = [
  ["it begins", undefined, {}, /^a major upgrade from 15\.20 to 17\.12, in several runs/],
  ["more members while it is rehearsed", {}, { replicas: 5 }, /in progress: the upgrade .* is rehearsed/],
  ["its backup is taken", { phase: "BackingUp" }, {}, /in progress: a last backup/],
  ["members stop", { phase: "Stopping" }, {}, /in progress: the members stop/],
  ["files are converted", { phase: "Converting", ...down }, {}, /in progress: the files/],
  ["members start", { phase: "Starting", ...down, files: "to" }, {}, /in progress: members start/],
  [
    "it is taken back",
    { phase: "AwaitingConfirmation", files: "to", keeps: true },
    { version: from },
    /back to 15\.20: clients/,
  ],
  [
    "it is taken back where the catalogue has the former version no more",
    { phase: "Starting", ...down, files: "to" },
    { version: from, lost: true },
    /back to 15\.20: clients/,
  ],
];

for (const [what, upgrade, { lost, ...spec }, notes] of states) {
  test(`what a preview declares is what the next run declares: ${what}`, async () => {
    const cluster = upgrade === undefined ? await before() : await upgrading(upgrade);
    if (lost === true) cluster.catalogue = { postgresql: { [to]: { image: "server:17" } } };
    const object = databaseObject({ version: to, replicas: 3, ...spec }, { generation: 2 });
    const prepared = await previewOf(cluster, object);
    assert.ok(prepared.kind === "change", JSON.stringify(prepared));
    assert.match(prepared.notes.join("\n"), notes);
    assert.deepEqual([cluster.saves, cluster.events.length], [1, 0]);
    cluster.object = object;
    await turn(cluster);
    assert.deepEqual(
      prepared.request.program?.desired,
      cluster.ups.at(-1)?.program.desired,
      JSON.stringify(declared(cluster)),
    );
  });
}

const refusals: readonly (readonly [what: string, Partial<Upgrade> | undefined, spec: Record<string, unknown>])[] = [
  ["no backups to rehearse with", undefined, { backup: { enabled: false } }],
  ["a parameter that the former version does not take", undefined, { config: { audit: "on" } }],
  ["no image leads there", undefined, { version: "18.1" }],
  ["down", undefined, { version: "14.1" }],
  ["a third version, and more members with it", { phase: "BackingUp" }, { version: "18.1", replicas: 5 }],
  ["backups off while it is rehearsed", {}, { backup: { enabled: false } }],
  ["a parameter that the former version does not take, meanwhile", {}, { config: { audit: "on" } }],
  ["forward before the way back is confirmed", { phase: "AwaitingConfirmation", heading: "from", keeps: true }, {}],
  ["back once it is confirmed", { phase: "Removing", files: "to", keeps: true }, { version: from }],
];

for (const [what, upgrade, spec] of refusals) {
  test(`what a preview refuses is what the reconcile refuses, in the same words, and nothing of it is applied: ${what}`, async () => {
    const cluster = upgrade === undefined ? await before() : await upgrading(upgrade);
    const [versions] = [cluster.catalogue.postgresql ?? {}];
    const libraries = ["audit"];
    const target = { image: "server:17", upgrade: { image: "upgrade:17", from }, libraries };
    cluster.catalogue = {
      postgresql: { ...versions, [to]: target, "18.1": { image: "server:18" }, "14.1": { image: "server:14" } },
    };
    const object = databaseObject({ version: to, replicas: 3, ...spec }, { generation: 2 });
    const prepared = await previewOf(cluster, object);
    assert.ok(prepared.kind === "stalled", JSON.stringify(prepared));
    cluster.object = object;
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled", JSON.stringify(outcome));
    assert.deepEqual([prepared.reason, prepared.message], [outcome.reason, outcome.message]);
    for (const { program } of cluster.ups) {
      const { replicas, backup } = program.desired.spec;
      assert.deepEqual([replicas, backup.enabled, program.desired.config], [3, true, {}]);
    }
  });
}

test("a rehearsal that failed is told with its Job's words", async () => {
  const cluster = await upgrading();
  cluster.upgradeLook.job = job("failed", { upgrade: "Failed", message: "no room" });
  const prepared = await previewOf(cluster, cluster.object);
  assert.ok(prepared.kind === "change");
  assert.match(prepared.notes.join("\n"), /waits for a person: Job shop-upgrade cannot.*no room/);
  const outcome = await turn(cluster);
  assert.equal(said(outcome, cluster), "stalled UpgradeFailed Rehearsing");
});

test("a deletion with a last backup tells that the upgrade comes first where no member serves, and only there", async () => {
  const notesOf = async (phase: Partial<Upgrade>, deletionPolicy: string): Promise<string> => {
    const cluster = await upgrading(phase, { deletionPolicy });
    const prepared = await prepareDeletion(cluster.object, readsOf(cluster), { refresh: false });
    return prepared.notes.join("\n");
  };
  const converting = { phase: "Converting", ...down } as const;
  assert.match(await notesOf(converting, "Snapshot"), /first the major upgrade goes the rest of its way/);
  assert.doesNotMatch(await notesOf(converting, "Retain"), /major upgrade/);
  assert.doesNotMatch(await notesOf({ phase: "Gathering" }, "Snapshot"), /major upgrade/);
});

test("a record that was lost is told as the reconcile resumes it", async () => {
  const cluster = await upgrading({ phase: "Converting", ...down });
  cluster.declaredUpgrade = cluster.record?.upgrade;
  cluster.record = undefined;
  const object = databaseObject({ version: to, replicas: 3 }, { generation: 2, finalizers: [finalizer] });
  const prepared = await previewOf(cluster, object);
  assert.ok(prepared.kind === "change", JSON.stringify(prepared));
  assert.match(prepared.notes.join("\n"), /in progress: the files/);
  cluster.object = object;
  await turn(cluster);
  await turn(cluster);
  assert.deepEqual(prepared.request.program?.desired, cluster.ups.at(-1)?.program.desired);
});
