// Data volumes that fill up are said, and grow where that is asked for and helps. Members of simulated nodes say what a test has them say.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { z } from "zod";
import { volumeAnnotation, type VolumeNote } from "../../contract/volume-note";
import { database, messageOf, readDatabase, untilBackedUp, untilCondition, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { runPreview } from "../harness/preview";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { untilRecorded } from "../harness/revisions";

let platform: PlatformCluster;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const gibibyte = 2 ** 30;
const growing = { replicas: 2, storage: "1Gi", storageAutoGrow: { maxSize: "3Gi" } };

async function converged(name: string, spec: Record<string, unknown> = growing): Promise<readonly [string, string]> {
  const namespace = await makeNamespace(platform.kubectl, name);
  notQuiet(namespace);
  const place = [namespace, "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, spec));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(1));
  return place;
}

/** Of a pod's annotation the audit log shows no more than that the pod was written, which is no reason for a run. */
const notQuiet = (namespace: string): void => {
  platform.witness.disregard(namespace, "what a member says of its volume is why its operator runs", ["quiet"]);
};

/** Has a member say this of a volume of so many gibibytes. */
async function says(
  namespace: string,
  pod: string,
  gibibytes: number,
  some: Pick<VolumeNote, "level"> & Partial<VolumeNote>,
): Promise<void> {
  const size = gibibytes * gibibyte;
  const note: VolumeNote = { size, used: (some.level / 100) * size, at: new Date().toISOString(), ...some };
  await platform.kubectl(
    "annotate",
    "pod",
    pod,
    "-n",
    namespace,
    "--overwrite",
    `${volumeAnnotation}=${JSON.stringify(note)}`,
  );
}

const Claim = z.object({ spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }) });
const sizeOf = async (namespace: string, claim: string): Promise<string> =>
  Claim.parse(await platform.kubectl.find("pvc", claim, namespace)).spec.resources.requests.storage;

const Grown = z.object({
  status: z.object({ storage: z.object({ size: z.string(), reason: z.string() }).optional() }),
});
const grownTo = async (namespace: string): Promise<string | undefined> =>
  Grown.parse(await platform.kubectl.find("database", "shop", namespace)).status.storage?.size;

const untilSized = (namespace: string, ordinal: number, size: string): Promise<void> =>
  eventually(async () => {
    assert.equal(await sizeOf(namespace, `data-shop-${ordinal}`), size);
  }, minutes(1));

test("volumes grow where one is full of data; the size stays when the spec is applied again, and a new member has it", async () => {
  const [namespace, name] = await converged("grows");
  await says(namespace, "shop-1", 1, { level: 80 });
  for (const ordinal of [0, 1]) await untilSized(namespace, ordinal, "2Gi");
  const place = [namespace, name] as const;
  const wanted = { type: "StorageReady", status: "False", reason: "FillingUp" };
  const view = await untilCondition(platform.kubectl, place, wanted);
  assert.match(messageOf(view, "StorageReady"), /pod shop-1 is 80 % full .*; it grows to 2Gi/);
  await eventually(async () => {
    assert.equal(await grownTo(namespace), "2Gi");
  });
  for (const pod of ["shop-0", "shop-1"]) await says(namespace, pod, 2, { level: 0 });
  await untilCondition(platform.kubectl, place, { type: "StorageReady", status: "True" });
  const runs = runsIn(operator, `${namespace}/shop`);
  const preview = await runPreview(platform.environment, database("shop", namespace, growing));
  assert.match(preview.output, /the data volumes have grown to 2Gi by themselves/);
  assert.doesNotMatch(preview.output, /PersistentVolumeClaim/);
  await platform.kubectl.apply(database("shop", namespace, growing));
  await platform.kubectl("annotate", "database", "shop", "-n", namespace, "look=again");
  await consistently(async () => {
    assert.equal(runsIn(operator, `${namespace}/shop`), runs);
    assert.equal(await sizeOf(namespace, "data-shop-0"), "2Gi");
  }, 3_000);
  // nor when growing is switched off again; and a new member gets a volume of that size
  await platform.kubectl.apply(database("shop", namespace, { replicas: 3, storage: "1Gi" }));
  await untilSized(namespace, 2, "2Gi");
  await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(await sizeOf(namespace, "data-shop-0"), "2Gi");
  assert.equal(await sizeOf(namespace, "shop-backup"), "2Gi");
});

test("with the operator's records lost, what has grown stays so", async () => {
  const [namespace, name] = await converged("lost");
  await says(namespace, "shop-0", 1, { level: 95 });
  await untilSized(namespace, 0, "2Gi");
  await says(namespace, "shop-0", 2, { level: 0 });
  await untilReady(platform.kubectl, [namespace, name], minutes(1));
  const { spec: last } = await untilRecorded(platform.kubectl, [namespace, name], minutes(1));
  await operator.stop();
  await platform.kubectl("delete", "secrets", "-n", "database-operator-system", "-l", "database.example.com/record");
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await eventually(async () => {
    const { status } = await readDatabase(platform.kubectl, "shop", namespace);
    assert.equal(status.lastChange?.revision, last.revision + 1);
  }, minutes(2));
  await untilReady(platform.kubectl, [namespace, name], minutes(2));
  assert.equal(await sizeOf(namespace, "data-shop-0"), "2Gi");
  assert.equal(await grownTo(namespace), "2Gi");
});

test("WAL that a replication slot holds grows nothing: the condition names the slot, and what to do", async () => {
  const [namespace, name] = await converged("slot");
  const cause = { kind: "slot", name: "reports", bytes: gibibyte / 2, walStatus: "extended", active: false } as const;
  const runs = runsIn(operator, `${namespace}/shop`);
  await says(namespace, "shop-0", 1, { level: 100, cause });
  const view = await untilCondition(platform.kubectl, [namespace, name], {
    type: "StorageReady",
    status: "False",
    reason: "Full",
  });
  assert.match(
    messageOf(view, "StorageReady"),
    /replication slot reports holds .*pg_drop_replication_slot\('reports'\)/,
  );
  assert.equal(runsIn(operator, `${namespace}/shop`), runs);
  assert.equal(await sizeOf(namespace, "data-shop-0"), "1Gi");
});

test("it grows to what is allowed, which may not be less than is asked for", async () => {
  const [namespace, name] = await converged("limit", { ...growing, storageAutoGrow: { maxSize: "2Gi" } });
  await says(namespace, "shop-0", 1, { level: 95 });
  await untilSized(namespace, 0, "2Gi");
  await says(namespace, "shop-0", 2, { level: 95 });
  await untilCondition(platform.kubectl, [namespace, name], {
    type: "StorageReady",
    status: "False",
    reason: "MaxSizeReached",
  });
  await assert.rejects(
    platform.kubectl.apply(database("shop", namespace, { ...growing, storage: "4Gi" })),
    /spec\.storageAutoGrow.*must be at least spec\.storage/,
  );
});

test("a StorageClass that lets no volume grow is said, and no run tries", async () => {
  await platform.kubectl.apply({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "rigid" },
    provisioner: "example.com/loop",
    allowVolumeExpansion: false,
  });
  const namespace = await makeNamespace(platform.kubectl, "rigid");
  await platform.kubectl.apply(
    database("shop", namespace, { ...growing, storageClass: "rigid", backup: { enabled: false } }),
  );
  await eventually(async () => {
    assert.ok((await platform.kubectl.names("pods", namespace)).some((pod) => pod.endsWith("shop-0")));
  }, minutes(1));
  await says(namespace, "shop-0", 1, { level: 90 });
  const wanted = { type: "StorageReady", status: "False", reason: "GrowthNotPossible" };
  const view = await untilCondition(platform.kubectl, [namespace, "shop"], wanted, minutes(1));
  assert.match(messageOf(view, "StorageReady"), /StorageClass rigid does not let volumes grow/);
  const runs = runsIn(operator, `${namespace}/shop`);
  await says(namespace, "shop-0", 1, { level: 95 });
  await consistently(async () => {
    assert.equal(runsIn(operator, `${namespace}/shop`), runs);
    assert.equal(await sizeOf(namespace, "data-shop-0"), "1Gi");
  }, 3_000);
});
