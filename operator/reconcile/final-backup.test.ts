// The last backup of a Database that is deleted under the policy Snapshot.
import assert from "node:assert/strict";
import test from "node:test";
import { deleted, failure, remove, turn } from "../../test/fakes/deleting";
import { databaseObject, FakeCluster, memberOf } from "../../test/fakes/ports";
import { finalizer } from "../api/lifecycle";
import type { StackResult } from "../domain/runner";

const snapshot = { deletionPolicy: "Snapshot" };

test("Snapshot: nothing is destroyed before the last backup has succeeded, and then backups and credentials stay", async () => {
  const cluster = await deleted(snapshot);
  cluster.lastLook.finalBackup = "running";
  const waiting = await turn(cluster);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "TakingFinalBackup", JSON.stringify(waiting));
  assert.match(waiting.message, /Job shop-backup-final.*Retain or Delete/);
  assert.equal(cluster.ups.at(-1)?.program.desired.finalBackup, "uid-1/2");
  assert.equal(cluster.destroys.length, 0);
  cluster.lastLook.finalBackup = "succeeded";
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.ups.length, 2);
  assert.equal(cluster.destroys.length, 1);
  assert.deepEqual(cluster.swept, ["backups"]);
  assert.equal(cluster.passwordsOfRecord, "secret");
  assert.deepEqual(cluster.finalizers, []);
});

test("Snapshot: a drill that runs is ended, as it may have the backup volume on its node", async () => {
  const cluster = await deleted(snapshot);
  cluster.lastLook.finalBackup = "running";
  const job = { database: "shop", namespace: "team", createdAt: "2026-01-01T00:00:00Z", finishedAt: undefined };
  const jobs = [
    { ...job, name: "shop-verify-1", component: "verification", state: "running" },
    { ...job, name: "shop-verify-0", component: "verification", state: "succeeded" },
    { ...job, name: "shop-backup-1", component: "backup", state: "running" },
  ] as const;
  cluster.observation = { ...cluster.observation, jobs };
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.deepEqual(cluster.endedDrills, ["shop-verify-1"]);
});

test("Snapshot: nothing is destroyed before the last backup is recorded, since with its Job goes what is known of it", async () => {
  const cluster = await deleted(snapshot);
  cluster.lastLook.finalBackup = "succeeded";
  cluster.isBackupTold = false;
  const waiting = await turn(cluster);
  assert.ok(waiting.kind === "waiting" && waiting.reason === "TakingFinalBackup", JSON.stringify(waiting));
  assert.match(waiting.message, /before its DatabaseBackup says so/);
  assert.equal(cluster.destroys.length, 0);
  cluster.isBackupTold = true;
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.deepEqual(cluster.unrecorded, [], "the records of the backups stay with them");
});

test("Snapshot: a last backup that failed is reported, with the ways out, and an edit asks for another one", async () => {
  const cluster = await deleted(snapshot);
  cluster.lastLook.finalBackup = "failed";
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "stalled" && outcome.reason === "FinalBackupFailed");
  assert.match(outcome.message, /nothing was destroyed.*delete the Job.*Retain or Delete/);
  remove(cluster, { ...snapshot, backup: { destination: { volume: { size: "20Gi" } } } }, 3);
  cluster.lastLook.finalBackup = "running";
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.equal(cluster.ups.at(-1)?.program.desired.finalBackup, "uid-1/3");
  assert.equal(cluster.destroys.length, 0);
});

test("Snapshot: why the last backup fails is reported, while it is retried and once it failed for good", async () => {
  const cluster = await deleted(snapshot);
  await turn(cluster);
  const trouble = "No space left on device";
  const jobs = [
    {
      ...{
        name: "shop-backup-final",
        namespace: "team",
        database: "shop",
        component: "backup",
        state: "running" as const,
      },
      ...{ createdAt: "2026-01-01T09:00:00Z", finishedAt: undefined, trouble },
    },
  ];
  cluster.observation = { ...cluster.observation, jobs };
  for (const state of ["running", "failed"] as const) {
    cluster.lastLook.finalBackup = state;
    const outcome = await turn(cluster);
    assert.ok("message" in outcome);
    assert.match(outcome.message ?? "", /^Job shop-backup-final .*No space left on device.*Retain or Delete/);
  }
});

for (const [policy, keep] of [
  ["Retain", "all data"],
  ["Delete", "nothing"],
] as const) {
  test(`Snapshot: changed to ${policy} while the last backup is awaited, the Database goes without`, async () => {
    const cluster = await deleted(snapshot);
    cluster.lastLook.finalBackup = "failed";
    await turn(cluster);
    remove(cluster, { deletionPolicy: policy }, 3);
    assert.deepEqual(await turn(cluster), { kind: "gone" });
    assert.deepEqual(cluster.swept, [keep]);
  });
}

test("Snapshot: the last backup is taken once, however often the destroy fails after it", async () => {
  const cluster = await deleted(snapshot);
  cluster.lastLook.finalBackup = "succeeded";
  cluster.results = [succeeded, ...Array<StackResult>(3).fill(failure)];
  for (let attempt = 0; attempt < 3; attempt++) {
    const outcome = await turn(cluster);
    assert.ok(outcome.kind === "failed" && outcome.reason === "DestroyFailed");
    // the destroy took the Job with it
    cluster.lastLook.finalBackup = undefined;
  }
  assert.equal(cluster.record?.checkpoint?.text(), "half");
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.ups.length, 2);
  assert.equal(cluster.destroys.length, 4);
});

const succeeded: StackResult = {
  kind: "succeeded",
  changes: { created: 1, updated: 1, deleted: 0, replaced: 0, unchanged: 20 },
  checkpoint: "state",
  workload: undefined,
};

for (const [what, spec, reason, message] of [
  ["a spec that no longer parses", { ...snapshot, storage: "5GB" }, "SpecInvalid", /spec\.storage/],
  [
    "backups switched off past admission",
    { ...snapshot, backup: { enabled: false } },
    "SpecInvalid",
    /backup\.enabled: true/,
  ],
  ["a version that the catalogue lacks", { ...snapshot, version: "17.9" }, "VersionUnavailable", /available: 17\.6/],
  ["a version that goes down", { ...snapshot, version: "17.5" }, "UpgradeUnsupported", /write 17\.6/],
] as const) {
  test(`Snapshot: with ${what} the last backup is taken by what was accepted before`, async () => {
    const cluster = await deleted(snapshot);
    remove(cluster, spec);
    cluster.lastLook.finalBackup = "running";
    assert.equal((await turn(cluster)).kind, "waiting");
    const { desired } = cluster.ups.at(-1)?.program ?? {};
    assert.deepEqual([desired?.finalBackup, desired?.spec.version], ["uid-1/2", "17.6"]);
    assert.equal(desired?.spec.deletionPolicy, "Snapshot");
    assert.equal(cluster.destroys.length, 0);
  });

  for (const [why, before, change] of [
    ["an earlier operator wrote the record", snapshot, { accepted: undefined }],
    ["it was accepted without backups", { backup: { enabled: false } }, {}],
  ] as const) {
    test(`Snapshot: ${what} keeps everything where ${why}, and the message says what to write`, async () => {
      const cluster = new FakeCluster(databaseObject(before));
      await turn(cluster);
      cluster.record = cluster.record && { ...cluster.record, ...change };
      remove(cluster, spec);
      const outcome = await turn(cluster);
      assert.ok(outcome.kind === "stalled" && outcome.reason === reason, JSON.stringify(outcome));
      assert.match(outcome.message, message);
      assert.match(outcome.message, /Retain or Delete/);
      assert.equal(cluster.destroys.length, 0);
      assert.deepEqual(cluster.finalizers, [finalizer]);
    });
  }
}

test("Snapshot: the last backup does not wait for members to be restarted, and restarts none", async () => {
  const cluster = await deleted(snapshot);
  cluster.observation = {
    workload: { uid: "w", generation: 1, wanted: 2, seen: true, revision: "new" },
    members: ["shop-0", "shop-1"].map((name) => memberOf(name, { revision: "old" })),
    jobs: [],
  };
  cluster.results = [{ ...succeeded, workload: { uid: "w", generation: 1 } }];
  cluster.lastLook.finalBackup = "running";
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "waiting" && outcome.reason === "TakingFinalBackup", JSON.stringify(outcome));
  cluster.lastLook.finalBackup = "succeeded";
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.deepEqual(cluster.evicted, []);
});

test("Snapshot: a last backup whose Job Pulumi cannot make is tried again, and nothing is destroyed", async () => {
  const cluster = await deleted(snapshot);
  cluster.results = [failure];
  const outcome = await turn(cluster);
  assert.ok(outcome.kind === "failed" && outcome.reason === "RunFailed");
  assert.match(outcome.message, /Retain or Delete.*services is forbidden/);
  assert.equal(cluster.destroys.length, 0);
  assert.equal((await turn(cluster)).kind, "waiting");
});

test("Snapshot: a Database without a data volume that was ever used has nothing to save", async () => {
  const cluster = await deleted(snapshot);
  cluster.lastLook.hasData = false;
  assert.deepEqual(await turn(cluster), { kind: "gone" });
  assert.equal(cluster.ups.length, 1);
  assert.deepEqual(cluster.swept, ["backups"]);
});

test("Snapshot: with its state lost, the last backup is taken all the same", async () => {
  const cluster = await deleted(snapshot);
  cluster.record = undefined;
  cluster.lastLook.finalBackup = "running";
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.equal(cluster.destroys.length, 0);
});

test("Snapshot: a backup of an earlier Database of the same name does not count", async () => {
  const cluster = await deleted(snapshot);
  assert.ok(cluster.record !== undefined);
  cluster.record = { ...cluster.record, finalBackup: "uid-0" };
  cluster.lastLook.finalBackup = "running";
  assert.equal((await turn(cluster)).kind, "waiting");
  assert.equal(cluster.destroys.length, 0);
});
