import assert from "node:assert/strict";
import test from "node:test";
import { Claim, formatIn, PLAIN_STORAGE_CLASS, PROVISIONER, STORAGE_CLASS, tasksFor, Volume } from "./objects";

const GIBIBYTE = 2 ** 30;

function claim(storage: string, change: { spec?: object; status?: object; metadata?: object } = {}): Claim {
  return Claim.parse({
    metadata: {
      name: "data",
      namespace: "default",
      uid: "1",
      annotations: { "volume.kubernetes.io/storage-provisioner": PROVISIONER },
      ...change.metadata,
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...change.spec },
    status: { phase: "Pending", ...change.status },
  });
}

function bound(storage: string, capacity: string): Claim {
  return claim(storage, { spec: { volumeName: "pvc-1" }, status: { phase: "Bound", capacity: { storage: capacity } } });
}

function volume(storage: string, phase = "Bound", provisioner = PROVISIONER): Volume {
  return Volume.parse({
    metadata: { name: "pvc-1", annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
    spec: { capacity: { storage }, persistentVolumeReclaimPolicy: "Delete" },
    status: { phase },
  });
}

test("a claim that waits for this provisioner gets a volume of its size", () => {
  const wanted = claim("2Gi");
  assert.deepEqual(tasksFor([wanted], []), [
    { kind: "provision", claim: wanted, volume: "pvc-1", bytes: 2 * GIBIBYTE },
  ]);
});

test("a claim smaller than the least volume gets that", () => {
  const [task] = tasksFor([claim("1Mi")], []);
  assert.equal(task?.kind === "provision" && task.bytes, 300 * 2 ** 20);
});

test("claims of other provisioners, on their way out, or with a volume already made get none", () => {
  const others = claim("1Gi", { metadata: { annotations: {} } });
  const leaving = {
    ...claim("1Gi"),
    metadata: { ...claim("1Gi").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  assert.deepEqual(tasksFor([others, leaving], []), []);
  assert.deepEqual(tasksFor([claim("1Gi")], [volume("1Gi", "Available")]), []);
});

test("a bound claim that asks for more grows until both volume and claim say so", () => {
  const kinds = (claims: Claim[], volumes: Volume[]): string[] => tasksFor(claims, volumes).map(({ kind }) => kind);
  assert.deepEqual(kinds([bound("1Gi", "1Gi")], [volume("1Gi")]), []);
  assert.deepEqual(kinds([bound("2Gi", "1Gi")], [volume("1Gi")]), ["expand"]);
  assert.deepEqual(kinds([bound("2Gi", "1Gi")], [volume("2Gi")]), ["expand"], "the claim does not show it yet");
  assert.deepEqual(kinds([bound("2Gi", "2Gi")], [volume("2Gi")]), []);
  assert.deepEqual(kinds([bound("2Gi", "1Gi")], [volume("1Gi", "Bound", "somebody/else")]), []);
});

test("a released volume of this provisioner is removed, another's is not", () => {
  assert.deepEqual(tasksFor([], [volume("1Gi", "Released")]), [{ kind: "remove", volume: "pvc-1" }]);
  assert.deepEqual(tasksFor([], [volume("1Gi", "Released", "somebody/else")]), []);
});

test("files share blocks, unless the class of their volume says otherwise", () => {
  const classes = [STORAGE_CLASS, PLAIN_STORAGE_CLASS, { ...PLAIN_STORAGE_CLASS, parameters: { other: "false" } }];
  assert.deepEqual(
    classes.map((one) => formatIn(one).sharesBlocks),
    [true, false, true],
  );
});
