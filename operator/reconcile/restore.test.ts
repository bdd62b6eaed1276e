// A Database that begins with the data of a backup.
import assert from "node:assert/strict";
import test from "node:test";
import { remove, turn } from "../../test/fakes/deleting";
import { databaseObject, FakeCluster } from "../../test/fakes/ports";
import { parseBackup } from "../api/backups/object";
import type { BackupStatus } from "../api/backups/status";

const spec = { restore: { backup: { name: "before-migration" } } };

const backup = parseBackup({
  metadata: { name: "before-migration", namespace: "team", uid: "uid of it", resourceVersion: "1", generation: 1 },
  spec: { database: "orders" },
  status: { phase: "Succeeded", label: "orders-20260101T020000Z", engine: "postgresql", version: "17.6" },
});

/** A new Database that asks for a restore. */
function asking(some: Record<string, unknown> = {}): FakeCluster {
  const cluster = new FakeCluster(databaseObject({ ...spec, ...some }));
  cluster.lastLook.hasData = false;
  cluster.backups = backup === undefined ? [] : [backup];
  return cluster;
}

/** A StatefulSet with so many members. */
const workloadOf = (wanted: number): FakeCluster["observation"]["workload"] => ({
  ...{ uid: "uid", generation: 1, seen: true, revision: "new" },
  wanted,
});

const copied = { backup: "before-migration", claim: "orders-backup", label: "orders-20260101T020000Z" };

const restoresOf = ({ ups }: FakeCluster): unknown[] => ups.map(({ program }) => program.desired.restore);

test("no member is there before the data are, and then all is as ever", async () => {
  const cluster = asking();
  const waiting = await turn(cluster);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "Restoring", JSON.stringify(waiting));
  assert.match(waiting.message, /Job shop-restore copies backup orders-20260101T020000Z/);
  cluster.lastLook.restore = "running";
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.deepEqual(restoresOf(cluster), [copied]);
  cluster.lastLook.restore = "succeeded";
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual(restoresOf(cluster), [copied, undefined]);
  assert.deepEqual(
    cluster.events.map(({ reason }) => reason),
    ["RestoreSucceeded"],
  );
});

test("it is copied once: a Job, backup or data of later do not matter any more", async () => {
  const cluster = asking();
  await turn(cluster);
  cluster.lastLook.restore = "succeeded";
  await turn(cluster);
  cluster.lastLook.restore = undefined;
  cluster.lastLook.hasData = true;
  cluster.backups = [];
  assert.equal((await turn(cluster)).kind, "settled");
  cluster.object = databaseObject({});
  assert.equal((await turn(cluster)).kind, "settled");
  cluster.object = databaseObject({ ...spec, replicas: 5 });
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual(restoresOf(cluster).slice(1).filter(Boolean), []);
});

test("a restore that has begun continues whatever fails, is lost or is removed meanwhile: no member starts empty", async () => {
  const cluster = asking();
  cluster.results = [
    { kind: "failed", problem: { message: "services is forbidden", resource: undefined }, checkpoint: "half" },
  ];
  assert.equal((await turn(cluster)).kind, "failed");
  cluster.backups = [];
  cluster.lastLook.hasData = true;
  cluster.object = databaseObject({});
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "Restoring", JSON.stringify(outcome));
  assert.deepEqual(restoresOf(cluster), [copied, copied]);
});

test("a run that is lost with its operator has left the note, and nothing else is needed to go on", async () => {
  const cluster = asking();
  const killed: FakeCluster["ports"] = {
    ...cluster.ports,
    stacks: { ...cluster.ports.stacks, up: () => Promise.reject(new Error("the operator was killed")) },
  };
  await assert.rejects(turn(cluster, killed), /was killed/);
  cluster.backups = [];
  cluster.lastLook.hasData = true;
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.deepEqual(restoresOf(cluster), [copied]);
});

test("a spec that is refused meanwhile brings no members up", async () => {
  const cluster = asking();
  await turn(cluster);
  cluster.object = databaseObject({ ...spec, version: "16.1" });
  assert.equal((await turn(cluster)).kind, "stalled");
  assert.deepEqual(restoresOf(cluster), [copied]);
});

test("a copy that failed is reported, with the ways out, and nothing is started", async () => {
  const cluster = asking();
  await turn(cluster);
  cluster.lastLook.restore = "failed";
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "RestoreFailed", JSON.stringify(outcome));
  assert.match(outcome.message, /nothing of the copy is used.*delete the Job/);
  assert.deepEqual(restoresOf(cluster), [copied]);
});

test("where the copy's volume is deleted, no empty one takes its place, however many others there are", async () => {
  const claim = "PersistentVolumeClaim data-shop-0";
  const cluster = asking({ replicas: 3 });
  await turn(cluster);
  cluster.lastLook.restore = "succeeded";
  cluster.observed = new Map([[claim, { uid: "uid", applied: "", disposable: false, terminating: true }]]);
  const waiting = await turn(cluster);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "Restoring", JSON.stringify(waiting));
  cluster.observed = new Map();
  cluster.inspection = {
    drift: [{ child: claim, urn: "urn", kind: "deleted", fields: [], by: undefined }],
    ...{ conflicts: [], terminating: [] },
  };
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "VolumesLost", JSON.stringify(outcome));
  assert.deepEqual(restoresOf(cluster), [copied]);
});

test("data that are there are not replaced", async () => {
  const cluster = asking();
  cluster.lastLook.hasData = true;
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "RestoreRefused", JSON.stringify(outcome));
  assert.match(outcome.message, /data-shop-\*.*first/);
  assert.equal(cluster.ups.length, 0);
});

test("what members of the name agreed on before is not forgotten silently: by it they would not take the copy for theirs", async () => {
  const cluster = asking();
  cluster.lastLook.consensus = ["shop-leader", "shop-sync"];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "RestoreRefused", JSON.stringify(outcome));
  assert.match(outcome.message, /ConfigMap shop-leader, shop-sync of an earlier Database shop .* delete them/);
  assert.equal(cluster.ups.length, 0);
  cluster.lastLook.consensus = [];
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.deepEqual(restoresOf(cluster), [copied]);
});

test("where the record is lost, members that there are keep their data", async () => {
  const cluster = asking();
  cluster.lastLook.hasData = true;
  cluster.observation = { ...cluster.observation, workload: workloadOf(3) };
  assert.equal((await turn(cluster)).kind, "settled");
  assert.deepEqual(restoresOf(cluster), [undefined]);
});

test("a volume of backups that is gone is reported before anything is created", async () => {
  const cluster = asking();
  cluster.hasBackupVolume = false;
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "RestoreRefused", JSON.stringify(outcome));
  assert.match(outcome.message, /orders-backup/);
  assert.equal(cluster.ups.length, 0);
});

test("a volume that the spec names is waited for, and then the newest backup on it is copied", async () => {
  const cluster = asking();
  cluster.object = databaseObject({ ...spec, restore: { volume: { claim: { name: "copied" } } } });
  cluster.hasBackupVolume = false;
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "Restoring", JSON.stringify(outcome));
  assert.match(outcome.message, /there is no PersistentVolumeClaim copied: until it is there, the restore waits/);
  assert.equal(cluster.ups.length, 0);
  cluster.hasBackupVolume = true;
  const copying = await turn(cluster);
  assert.ok(copying.kind === "waiting", JSON.stringify(copying));
  assert.match(copying.message, /Job shop-restore copies the newest backup on volume copied/);
  // the record has it: what becomes of the claim later is the Job's matter
  cluster.hasBackupVolume = false;
  await turn(cluster);
  cluster.lastLook.restore = "succeeded";
  assert.equal((await turn(cluster)).kind, "settled");
  const [restore, ...later] = restoresOf(cluster);
  assert.deepEqual([restore, later.at(-1)], [{ claim: "copied" }, undefined]);
});

for (const [policy, keep] of [
  ["Retain", "backups"],
  ["Snapshot", "backups"],
  ["Delete", "nothing"],
] as const) {
  test(`${policy}: of one that is deleted before it has its data, no data volume is left, and no last backup is taken`, async () => {
    const cluster = asking();
    await turn(cluster);
    remove(cluster, { ...spec, deletionPolicy: policy });
    cluster.lastLook.hasData = true;
    assert.deepEqual(await turn(cluster), { kind: "gone" });
    assert.deepEqual(cluster.swept, [keep]);
    assert.equal(cluster.ups.length, 1);
  });
}

test("Delete: of one that is deleted before it has its data, the backups under its own name stay: it has no others", async () => {
  const cluster = asking({ restore: { from: { name: "shop" } } });
  cluster.backups = cluster.backups.map((one) => ({ ...one, spec: { ...one.spec, database: "shop" } }));
  await turn(cluster);
  remove(cluster, { restore: { from: { name: "shop" } }, deletionPolicy: "Delete" });
  const killed: FakeCluster["ports"] = {
    ...cluster.ports,
    databases: { ...cluster.ports.databases, removeFinalizer: () => Promise.reject(new Error("it was killed")) },
  };
  await assert.rejects(turn(cluster, killed), /was killed/);
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.deepEqual([cluster.swept, cluster.unrecorded], [["backups", "backups"], []]);
  assert.equal(cluster.record, undefined);
});

test("Retain: of one that has its data they are kept", async () => {
  const cluster = asking();
  await turn(cluster);
  cluster.lastLook.restore = "succeeded";
  await turn(cluster);
  remove(cluster, { ...spec, deletionPolicy: "Retain" });
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.deepEqual(cluster.swept, ["all data"]);
});

const inStorage = {
  ...{ bucket: "backups", prefix: "prod/team/orders", endpoint: "https://s3.example.com", credentials: "s3" },
};

/** A new Database that asks for what object storage has of Database `orders`. */
function askingStorage(restore: Record<string, unknown>): FakeCluster {
  const cluster = asking({ restore });
  const status: BackupStatus = {
    ...{ label: "20260101-020000F", location: "s3://backups/prod/team/orders", cluster: "77" },
    ...{ completedAt: "2026-01-01T02:00:40Z", recoverableFrom: "2026-01-01T02:00:10Z" },
  };
  cluster.backups = cluster.backups.map((one) => ({ ...one, status: { ...one.status, ...status } }));
  cluster.backupStorage = inStorage;
  return cluster;
}

test("what object storage has is noted with its place, so that nothing of the other Database is needed any more", async () => {
  const cluster = askingStorage({ from: { name: "orders" }, pointInTime: "2026-01-01T08:00:00Z" });
  const waiting = await turn(cluster);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "Restoring", JSON.stringify(waiting));
  assert.match(waiting.message, /backup 20260101-020000F .* up to 2026-01-01T08:00:00Z/);
  cluster.backups = [];
  cluster.backupStorage = undefined;
  assert.equal((await turn(cluster)).kind, "waiting");
  const wanted = { cluster: "77", label: "20260101-020000F", until: "2026-01-01T08:00:00Z" };
  const noted = { backup: "before-migration", database: "orders", stored: { storage: inStorage, ...wanted } };
  assert.deepEqual(restoresOf(cluster), [noted, noted].slice(0, cluster.ups.length));
  cluster.lastLook.restore = "succeeded";
  assert.equal((await turn(cluster)).kind, "settled");
  assert.equal(restoresOf(cluster).at(-1), undefined);
});

test("a moment before the first backup, and a place that is not known, are refused before anything is created", async () => {
  const early = askingStorage({ from: { name: "orders" }, pointInTime: "2026-01-01T01:00:00Z" });
  const elsewhere = askingStorage({ from: { name: "orders" } });
  elsewhere.backupStorage = undefined;
  for (const cluster of [early, elsewhere]) {
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "stalled" && outcome.reason === "RestoreRefused", JSON.stringify(outcome));
    assert.equal(cluster.ups.length, 0);
  }
});

test("a bucket is all that is needed where it is named", async () => {
  const { credentials: name, ...place } = inStorage;
  const cluster = asking({ restore: { s3: { ...place, credentials: { name } } } });
  cluster.backups = [];
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.deepEqual(restoresOf(cluster), [{ stored: { storage: { ...inStorage, pathStyle: false }, until: "last" } }]);
});

test("a Secret of the storage that lacks a key is waited for, before anything is created", async () => {
  const cluster = askingStorage({ from: { name: "orders" } });
  cluster.storageSecrets.set("s3", new Set(["accessKeyId"]));
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "Restoring", JSON.stringify(outcome));
  assert.match(outcome.message, /^Secret s3 has no key secretAccessKey yet: until it has, the restore waits/);
  assert.equal(cluster.ups.length, 0);
  cluster.storageSecrets.set("s3", new Set(["accessKeyId", "secretAccessKey"]));
  await turn(cluster);
  assert.equal(cluster.ups.length, 1);
});
