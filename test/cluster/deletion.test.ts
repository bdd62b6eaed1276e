// How a Database ends by each policy, against a real API server, CLI and provider; nodes are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import {
  accessName,
  configMapName,
  credentialsSecretName,
  dataClaimName,
  headlessServiceName,
  systemSecretName,
} from "../../components/naming";
import { layoutOf } from "../../tools/cluster/layout";
import { openProcesses } from "../../tools/cluster/processes";
import { eventMessages } from "../drift/children";
import { readDatabase, untilCondition, untilGone, untilReady } from "../harness/database";
import { Deletions, type Place } from "../harness/deletions";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { withoutRoom } from "../harness/nodes";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { sendSignal } from "../harness/signal";
import { proves } from "../judges/reliability/case";
import { deletion } from "../judges/reliability/cases/deletion";

let platform: PlatformCluster;
let operator: OperatorProcess;
let databases: Deletions;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  databases = new Deletions(platform.kubectl);
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);

const policies = ["Retain", "Snapshot", "Delete"] as const;
const cascades = ["background", "foreground", "orphan"] as const;

proves(deletion.cascades, async (t) => {
  const namespace = await makeNamespace(platform.kubectl, "cascades");
  const all = policies.flatMap((policy) =>
    cascades.map((cascade) => ({
      policy,
      cascade,
      place: [namespace, `${policy.toLowerCase()}-${cascade}`] as const,
    })),
  );
  for (const { policy, place } of all) await databases.apply(place, { deletionPolicy: policy });
  for (const { place } of all) await untilReady(platform.kubectl, place, minutes(4));
  for (const { place, cascade } of all) await databases.remove(place, `--cascade=${cascade}`);
  for (const { policy, cascade, place } of all) {
    await t.test(`${policy}, ${cascade}`, async () => {
      await databases.untilLeft(place, policy);
      assert.equal(await databases.wasBackedUp(place), policy === "Snapshot");
    });
  }
});

proves(deletion.policyChanged, async (t) => {
  for (const [from, to, cascade] of [
    ["Retain", "Delete", "background"],
    ["Delete", "Retain", "background"],
    ["Retain", "Snapshot", "foreground"],
  ] as const) {
    await t.test(`${from} to ${to}, ${cascade}`, async () => {
      const place = await databases.ready(`changed-to-${to.toLowerCase()}`, { deletionPolicy: from });
      await databases.patch(place, { deletionPolicy: to });
      await databases.remove(place, `--cascade=${cascade}`);
      await databases.untilLeft(place, to);
      assert.equal(await databases.wasBackedUp(place), to === "Snapshot");
    });
  }
});

proves(deletion.policyTakenBack, async () => {
  const place = await databases.ready("taken-back", { deletionPolicy: "Delete" });
  await databases.hold("statefulset", place, ["example.org/hold"]);
  await databases.remove(place);
  await databases.untilSaid(place, "Reconciling", /^Deleting: .*StatefulSet shop \(held by example\.org\/hold\)/);
  await databases.patch(place, { deletionPolicy: "Retain" });
  await databases.hold("statefulset", place, []);
  await databases.untilLeft(place, "Retain");
});

const claimUids = ([namespace]: Place): Promise<string> =>
  kubectl(
    ...["get", "pvc", "data-shop-0", "data-shop-1", "shop-backup", "-n", namespace],
    ...["-o", "jsonpath={.items[*].metadata.uid}"],
  );
const passwordOf = async ([namespace]: Place): Promise<string | undefined> =>
  (await readSecret(platform.kubectl, "shop-credentials", namespace))["password"];

for (const [which, policy, isSame] of [
  [deletion.retainedAgain, "Retain", true],
  [deletion.deletedAgain, "Delete", false],
] as const) {
  proves(which, async () => {
    const spec = { deletionPolicy: policy, replicas: 2 };
    const place = await databases.ready(`again-${policy.toLowerCase()}`, spec);
    const before = [await claimUids(place), await passwordOf(place)];
    await kubectl("delete", "database", "shop", "-n", place[0], "--timeout=60s");
    await databases.apply(place, spec);
    await untilReady(platform.kubectl, place, minutes(2));
    const after = [await claimUids(place), await passwordOf(place)];
    assert.deepEqual(
      before.map((value, index) => value === after[index]),
      [isSame, isSame],
    );
  });
}

const jobState = (namespace: string): Promise<unknown> => platform.kubectl.find("job", "shop-backup-final", namespace);

/** While `act` runs the deletion of a Database under Snapshot waits, because no node takes the pod of the last backup. */
async function awaitingBackup(namespace: string, act: (place: Place) => Promise<void>): Promise<Place> {
  const place = await databases.ready(namespace, { deletionPolicy: "Snapshot" });
  await withoutRoom(platform.kubectl, async () => {
    await databases.remove(place);
    await databases.untilSaid(place, "Reconciling", /^TakingFinalBackup: Job shop-backup-final .*Retain or Delete/);
    await act(place);
  });
  return place;
}

/** Makes the Job of the last backup fail, in the way in which the Job controller says it. */
async function failJob(namespace: string): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const conditions = ["FailureTarget", "Failed"].map((type) => ({
    ...{ type, status: "True", reason: "BackoffLimitExceeded", lastTransitionTime },
  }));
  const status = { active: 0, ready: 0, failed: 1, conditions };
  const change = JSON.stringify({ status });
  await kubectl(
    "patch",
    "job",
    "shop-backup-final",
    "-n",
    namespace,
    "--subresource=status",
    "--type=merge",
    "-p",
    change,
  );
}

proves(deletion.backupHangs, async () => {
  const place = await awaitingBackup("hangs", (hanging) =>
    consistently(() => databases.assertUntouched(hanging), 3000),
  );
  await databases.untilLeft(place, "Snapshot");
  assert.ok(await databases.wasBackedUp(place));
});

proves(deletion.backupFails, async () => {
  const place = await awaitingBackup("fails", async (failing) => {
    await failJob(failing[0]);
    await databases.untilSaid(
      failing,
      "Stalled",
      /^FinalBackupFailed: Job shop-backup-final failed.*delete the Job.*Retain or Delete/,
    );
    assert.equal((await readDatabase(platform.kubectl, "shop", failing[0])).status.phase, "Deleting");
    await consistently(() => databases.assertUntouched(failing), 3000);
  });
  await kubectl("delete", "job", "shop-backup-final", "-n", place[0]);
  await databases.untilLeft(place, "Snapshot");
  assert.ok(await databases.wasBackedUp(place));
});

proves(deletion.backupGivenUp, async () => {
  await awaitingBackup("given-up", async (place) => {
    await failJob(place[0]);
    await databases.untilSaid(place, "Stalled", /^FinalBackupFailed/);
    await databases.patch(place, { deletionPolicy: "Retain" });
    await databases.untilLeft(place, "Retain");
    assert.ok(!(await databases.wasBackedUp(place)));
  });
});

proves(deletion.nothingToSave, async () => {
  const place = await databases.place("unused");
  await withoutRoom(platform.kubectl, async () => {
    await databases.apply(place, { deletionPolicy: "Snapshot" });
    await untilCondition(platform.kubectl, place, { type: "Ready", status: "False", reason: "WaitingForPrimary" });
    await databases.remove(place);
    await untilGone(platform.kubectl, place, minutes(1));
    assert.equal(await jobState(place[0]), undefined);
    assert.ok(!(await databases.wasBackedUp(place)));
  });
});

test("a namespace that is recreated under the same name gets no password of the previous one's Databases", async () => {
  const place = await databases.place("handed-on");
  const [namespace] = place;
  const passwords = async (): Promise<string[]> => {
    await databases.apply(place, { deletionPolicy: "Retain", replicas: 1 });
    await untilReady(platform.kubectl, place, minutes(2));
    const names = [credentialsSecretName(place[1]), systemSecretName(place[1])];
    const [app, system] = await Promise.all(names.map((name) => readSecret(platform.kubectl, name, namespace)));
    return [app?.["password"] ?? "", ...Object.values(system ?? {})];
  };
  const before = await passwords();
  assert.equal(new Set(before).size, 5);
  await databases.remove(place);
  await untilGone(platform.kubectl, place, minutes(1));
  await kubectl("delete", "namespace", namespace, "--timeout=60s");
  await makeNamespace(platform.kubectl, namespace);
  const after = await passwords();
  assert.deepEqual(
    after.filter((password) => before.includes(password)),
    [],
  );
});

test("a member that stops slowly keeps its rights, its Service and its passwords until it is gone", async () => {
  const place = await databases.ready("slow", { deletionPolicy: "Retain" });
  const [namespace, name] = place;
  await whileNodesStandStill(async () => {
    await databases.remove(place);
    await databases.untilSaid(place, "Reconciling", /^Deleting: .*Pod shop-0/);
    for (const [kind, child] of [
      ["service", headlessServiceName(name)],
      ["secret", systemSecretName(name)],
      ["configmap", configMapName(name)],
      ["serviceaccount", accessName(name)],
      ["role", accessName(name)],
      ["rolebinding", accessName(name)],
    ] as const)
      assert.notEqual(await platform.kubectl.find(kind, child, namespace), undefined, `${kind} ${child} is gone`);
  });
  await databases.untilLeft(place, "Retain");
});

/** Pods that must end stay meanwhile. */
async function whileNodesStandStill(act: () => Promise<void>): Promise<void> {
  const nodes = openProcesses(layoutOf(platform.cluster.directory)).pid("kwok");
  assert.ok(nodes !== undefined);
  sendSignal(nodes, "SIGSTOP");
  try {
    await act();
  } finally {
    sendSignal(nodes, "SIGCONT");
  }
}

test("a claim and a pod that only have the labels of children are left alone, and an event names them", async () => {
  const place = await databases.ready("labelled", { deletionPolicy: "Delete" });
  const [namespace, name] = place;
  const found = await platform.kubectl.find("pvc", dataClaimName(name, 0), namespace);
  const { labels } = z.object({ metadata: z.object({ labels: z.unknown() }) }).parse(found).metadata;
  await platform.kubectl.apply({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "copy-of-data", namespace, labels },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
  });
  await platform.kubectl.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "copier", namespace, labels },
    spec: { containers: [{ name: "copier", image: "copier" }] },
  });
  await databases.remove(place);
  await untilGone(platform.kubectl, place, minutes(1));
  assert.deepEqual(await platform.kubectl.names("pvc,pod", namespace), ["copier", "copy-of-data"]);
  await eventually(async () => {
    const told = await eventMessages(platform.kubectl, namespace, "Deleting");
    assert.match(told, /left unchanged, .*: Pod copier, PersistentVolumeClaim copy-of-data/);
  });
  await kubectl("delete", "pod/copier", "pvc/copy-of-data", "-n", namespace, "--timeout=60s");
});

proves(deletion.snapshotWithoutBackups, async () => {
  const place = await databases.place("refused");
  const message = /spec\.deletionPolicy: .*needs backup\.enabled: true; switch backups on, or write Retain or Delete/;
  await assert.rejects(databases.apply(place, { deletionPolicy: "Snapshot", backup: { enabled: false } }), message);
  await databases.apply(place, { deletionPolicy: "Snapshot" });
  await assert.rejects(databases.patch(place, { backup: { enabled: false } }), message);
  await databases.remove(place);
});

proves(deletion.namespaceDeleted, async () => {
  const namespace = await makeNamespace(platform.kubectl, "ends");
  const places = policies.map((policy) => [namespace, policy.toLowerCase()] as const);
  for (const [index, place] of places.entries()) await databases.apply(place, { deletionPolicy: policies[index] });
  for (const place of places) await untilReady(platform.kubectl, place, minutes(2));
  const hasty = [namespace, "hasty"] as const;
  await databases.apply(hasty);
  await kubectl("delete", "namespace", namespace, "--timeout=60s");
  for (const place of [...places, hasty]) {
    await eventually(async () => {
      assert.deepEqual(await databases.operatorSecrets(place), []);
    });
  }
  assert.ok(
    operator.log.some((line) => JSON.stringify(line).includes("no last backup could be taken")),
    "the log does not say that there is no last backup",
  );
});
