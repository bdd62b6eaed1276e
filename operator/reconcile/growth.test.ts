import assert from "node:assert/strict";
import test from "node:test";
import type { VolumeLevel, VolumeNote } from "../../contract/volume-note";
import { failure, remove } from "../../test/fakes/deleting";
import { checkpointOf } from "../../test/fakes/checkpoints";
import { databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import type { Outcome } from "../domain/outcome";
import { createController } from "./controller";
import { reconcile } from "./reconcile";

const gibibyte = 2 ** 30;
const noteOf = (level: VolumeLevel, gibibytes: number, some: Partial<VolumeNote> = {}): VolumeNote => ({
  ...{ level, size: gibibytes * gibibyte, used: (level / 100) * gibibytes * gibibyte, at: "2026-01-01T00:00:00Z" },
  ...some,
});

const turn = (cluster: FakeCluster, looksOnly = false): Promise<Outcome> =>
  reconcile(cluster.key, cluster.database, cluster.ports, {
    looksOnly,
    running: () => undefined,
    changed: () => undefined,
  });

const asked = (spec: Record<string, unknown> = {}): ReturnType<typeof databaseObject> =>
  databaseObject({ storageAutoGrow: { maxSize: "13Gi" }, ...spec });

const shows = (cluster: FakeCluster, ...volumes: readonly VolumeNote[]): void => {
  const members = volumes.map((volume, index) => memberOf(`shop-${index}`, { volume, ready: volume.level < 100 }));
  const workload = { uid: "w", generation: 1, wanted: members.length, seen: true, revision: "new" };
  cluster.observation = { workload, members, jobs: [] };
};

const sizes = ({ ups }: FakeCluster): (string | undefined)[] => ups.map(({ program }) => program.desired.spec.storage);

/** A Database of 10Gi that has run. */
async function running(spec?: Record<string, unknown>): Promise<FakeCluster> {
  const cluster = new FakeCluster(asked(spec));
  await turn(cluster);
  return cluster;
}

test("a volume that is full grows by a run, with no member ready, and once only", async () => {
  const cluster = await running();
  shows(cluster, noteOf(100, 10));
  assert.deepEqual(await turn(cluster, true), { kind: "due" });
  assert.equal(cluster.saves, 1, "a look writes nothing");
  await turn(cluster);
  assert.deepEqual(sizes(cluster), ["10Gi", "12Gi"]);
  assert.equal(cluster.record?.grown?.size, "12Gi");
  assert.equal(cluster.record.declared?.storage, "12Gi");
  await turn(cluster);
  await turn(cluster);
  assert.equal(cluster.ups.length, 2);
  const [event] = cluster.events.filter(({ reason }) => reason === "StorageGrown");
  assert.match(event?.message ?? "", /shop-0 is 100 % full .*: the data volumes grow to 12Gi$/);
});

test("it grows on to what is allowed, and no further", async () => {
  const cluster = await running();
  for (const volume of [noteOf(95, 10), noteOf(95, 12), noteOf(95, 13)]) {
    shows(cluster, volume);
    await turn(cluster);
  }
  assert.deepEqual(sizes(cluster), ["10Gi", "12Gi", "13Gi"]);
});

test("the size is on record before the run: one that fails, or is lost, is repeated with the same", async () => {
  const cluster = await running();
  shows(cluster, noteOf(80, 10));
  cluster.results = [
    {
      kind: "failed",
      problem: { message: "quota", resource: undefined },
      checkpoint: checkpointOf("StatefulSet shop"),
    },
  ];
  assert.equal((await turn(cluster)).kind, "failed");
  // meanwhile there is room again, as rows were removed
  shows(cluster, noteOf(0, 10));
  assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual(sizes(cluster), ["10Gi", "12Gi", "12Gi"]);
});

test("the size stays, whatever the spec says that is less, and a larger one wins", async () => {
  const cluster = await running();
  shows(cluster, noteOf(80, 10));
  await turn(cluster);
  shows(cluster, noteOf(0, 12));
  for (const spec of [
    { storage: "10Gi" },
    { storage: "11Gi", storageAutoGrow: undefined },
    { storageAutoGrow: { maxSize: "10Gi" } },
  ]) {
    cluster.object = asked(spec);
    assert.deepEqual(await turn(cluster), { kind: "settled" });
  }
  assert.deepEqual([...new Set(sizes(cluster))], ["10Gi", "12Gi"]);
  cluster.object = asked({ storage: "20Gi", storageAutoGrow: undefined });
  await turn(cluster);
  assert.equal(sizes(cluster).at(-1), "20Gi");
});

test("a class that lets no volume grow is asked no twice", async () => {
  const cluster = await running();
  cluster.volumes.grow = false;
  shows(cluster, noteOf(90, 10));
  for (let round = 0; round < 3; round += 1) assert.deepEqual(await turn(cluster), { kind: "settled" });
  assert.deepEqual([cluster.ups.length, cluster.record?.grown], [1, undefined]);
});

test("nothing grows while the Database is paused", async () => {
  const cluster = await running();
  cluster.object = asked({ paused: true });
  shows(cluster, noteOf(90, 10));
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
});

test("while a spec is refused, what was accepted grows", async () => {
  const cluster = await running();
  cluster.object = asked({ version: "99.1" });
  shows(cluster, noteOf(90, 10));
  assert.equal((await turn(cluster)).kind, "stalled");
  assert.deepEqual(sizes(cluster), ["10Gi", "12Gi"]);
});

test("Snapshot: volumes that have grown do not stand in the way of the last backup", async () => {
  const spec = { storageAutoGrow: { maxSize: "13Gi" }, deletionPolicy: "Snapshot", replicas: 2 };
  const cluster = await running(spec);
  shows(cluster, noteOf(90, 10));
  await turn(cluster);
  cluster.results = [failure];
  cluster.object = asked({ ...spec, replicas: 3 });
  assert.equal((await turn(cluster)).kind, "failed");
  remove(cluster, { ...spec, replicas: 3 });
  cluster.lastLook.finalBackup = "running";
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "TakingFinalBackup", JSON.stringify(outcome));
  assert.equal(sizes(cluster).at(-1), "12Gi");
});

for (const [what, spec] of [
  ["where growing is asked for", {}],
  ["where it is not any more", { storageAutoGrow: undefined }],
] as const)
  test(`volumes that are adopted without a record keep the size that they have grown to, ${what}`, async () => {
    const cluster = new FakeCluster(asked(spec));
    cluster.volumes.size = "12Gi";
    const claim = { uid: "uid of claim", applied: "", terminating: false, disposable: false };
    cluster.observed = new Map([["PersistentVolumeClaim data-shop-1", claim]]);
    await turn(cluster);
    cluster.observed = undefined;
    await turn(cluster);
    assert.deepEqual(sizes(cluster), ["12Gi"]);
    assert.equal(cluster.record?.grown?.size, "12Gi");
  });

test("the status says to which size the volumes have grown, and why; and where they cannot", async () => {
  const errors: unknown[] = [];
  const cluster = await running();
  const controller = createController(cluster.ports, {
    onError: (_key, error) => void errors.push(error),
    onOutcome: () => undefined,
  });
  cluster.volumes.grow = false;
  shows(cluster, noteOf(90, 10));
  await controller.work(cluster.key, "run");
  const reason = (): string | undefined =>
    cluster.object?.status?.conditions?.find(({ type }) => type === "StorageReady")?.reason;
  assert.deepEqual([reason(), cluster.object?.status?.storage], ["GrowthNotPossible", undefined]);
  cluster.volumes.grow = true;
  await controller.work(cluster.key, "run");
  assert.equal(reason(), "FillingUp");
  assert.deepEqual(cluster.object?.status?.storage, {
    size: "12Gi",
    reason: "the data volume of pod shop-0 is 90 % full (9.0 GiB of 10.0 GiB)",
  });
  shows(cluster, noteOf(0, 12));
  await controller.work(cluster.key, "run");
  assert.deepEqual([reason(), errors], ["StorageSufficient", []]);
});
