import assert from "node:assert/strict";
import test from "node:test";
import { engineOf } from "./engines/available";
import { sizedParametersOf } from "./engines/postgresql/sizes";
import { settingsOf } from "./settings";
import { engineNames, type EngineName } from "../contract/engines";
import type { Resources } from "./args";

const wishes = { namespace: "default", engine: "postgresql", version: "17.11", image: "image:1" } as const;

test("a field that is not given has its documented default", () => {
  const settings = settingsOf("db", wishes);
  assert.equal(settings.replicas, 3);
  assert.equal(settings.storage, "10Gi");
  assert.equal(settings.claimTemplateStorage, "10Gi");
  assert.deepEqual(settings.backup, {
    ...{ enabled: true, schedule: "0 2 * * *", retention: 7, size: "10Gi", kept: [] },
    ...{ fullEvery: 7, everySeconds: 60 },
  });
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

test("backups have the storage class of the data, unless one is given for them", () => {
  const data = { ...wishes, storageClass: "fast" };
  assert.equal(settingsOf("db", data).backup.storageClass, "fast");
  assert.equal(settingsOf("db", { ...data, backup: { storageClass: "slow" } }).backup.storageClass, "slow");
});

const reserved = (engine: EngineName, resources?: Resources): Resources | undefined =>
  engineOf(engine).memberPod(settingsOf("db", { ...wishes, engine, resources })).containers[0]?.resources;

for (const engine of engineNames) {
  test(`a member of ${engine} whose memory is given keeps the CPU request of the floor, unless CPU is given too`, () => {
    const limits = { memory: "4Gi" };
    assert.deepEqual(reserved(engine, { limits }), { limits, requests: { cpu: "250m" } });
    const requests = { memory: "1Gi" };
    assert.deepEqual(reserved(engine, { requests, limits }), { limits, requests: { cpu: "250m", memory: "1Gi" } });
    for (const given of [
      { limits: { ...limits, cpu: "100m" } },
      { limits, requests: { cpu: "0" } },
      {},
      { limits: { cpu: "1" } },
    ]) {
      assert.deepEqual(reserved(engine, given), given);
    }
  });
}

test("what depends on processors uses only the CPUs that were given", () => {
  const settings = settingsOf("db", { ...wishes, resources: { limits: { memory: "4Gi" } } });
  assert.equal(sizedParametersOf(settings)["max_parallel_workers"], undefined);
});
