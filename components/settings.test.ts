import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "./settings";

const wishes = { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1" } as const;

test("what is not given has its documented default", () => {
  const settings = settingsOf("db", wishes);
  assert.equal(settings.replicas, 3);
  assert.equal(settings.storage, "10Gi");
  assert.equal(settings.claimTemplateStorage, "10Gi");
  assert.deepEqual(settings.backup, { enabled: true, schedule: "0 2 * * *", retention: 7, size: "10Gi" });
  assert.deepEqual(settings.monitoring, { enabled: true, labels: { release: "kps" }, serviceMonitor: false });
  assert.equal(settings.synchronousCommit, false);
});

test("the backup volume is as large as a data volume unless its size is given", () => {
  assert.equal(settingsOf("db", { ...wishes, storage: "50Gi" }).backup.size, "50Gi");
  assert.equal(settingsOf("db", { ...wishes, storage: "50Gi", backup: { size: "9Gi" } }).backup.size, "9Gi");
});

test("a field that is given as undefined has its default", () => {
  const settings = settingsOf("db", {
    ...wishes,
    replicas: undefined,
    backup: { retention: undefined, size: undefined },
  });
  assert.equal(settings.replicas, 3);
  assert.equal(settings.backup.retention, 7);
  assert.equal(settings.backup.size, "10Gi");
});

test("equal arguments give equal settings", () => {
  assert.deepEqual(settingsOf("db", wishes), settingsOf("db", { ...wishes }));
});

test("backups lie in the class of the data, unless a class is given for them", () => {
  const data = { ...wishes, storageClass: "fast" };
  assert.equal(settingsOf("db", data).backup.storageClass, "fast");
  assert.equal(settingsOf("db", { ...data, backup: { storageClass: "slow" } }).backup.storageClass, "slow");
});
