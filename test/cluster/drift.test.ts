// What another client changes or deletes of a Database's children is noticed and restored; what is its own stays.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { declaredChildren, eventMessages, isVolume, uidOf, type Child } from "../drift/children";
import { editsOf, valueAt, type Edit } from "../drift/edits";
import { database, readDatabase, untilBackedUp, untilCondition, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { untilObject } from "../harness/until";
import { proves } from "../judges/reliability/case";
import { drift } from "../judges/reliability/cases/drift";

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

/** A converged Database in a namespace of its own. */
async function converged(name: string, spec: Record<string, unknown> = {}): Promise<string> {
  const namespace = await makeNamespace(platform.kubectl, name);
  await platform.kubectl.apply(database("shop", namespace, spec));
  await settled(namespace);
  return namespace;
}

/** Ready, with nothing in progress: the first backup too. */
async function settled(namespace: string): Promise<void> {
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
}

const childrenOf = (namespace: string): Promise<Child[]> => declaredChildren(platform.kubectl, namespace);
const events = (namespace: string, reason: string): Promise<string> =>
  eventMessages(platform.kubectl, namespace, reason);
const patchSpec = (namespace: string, spec: Record<string, unknown>): Promise<string> =>
  platform.kubectl("patch", "database", "shop", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec }));
const runsOf = (namespace: string): number => runsIn(operator, `${namespace}/shop`);

proves(drift.childDeleted, async (t) => {
  const namespace = await converged("deleted");
  for (const { kind, name, object } of (await childrenOf(namespace)).filter((child) => !isVolume(child))) {
    await t.test(`${kind} ${name}`, async () => {
      const runs = runsOf(namespace);
      await platform.kubectl("delete", kind, name, "-n", namespace, "--wait=false");
      // reported once the run is over
      await eventually(async () => {
        assert.match(await events(namespace, "DriftCorrected"), new RegExp(`${kind} ${name} was deleted`));
      });
      assert.notEqual(uidOf(await platform.kubectl.find(kind, name, namespace)), uidOf(object));
      await settled(namespace);
      assert.equal(runsOf(namespace), runs + 1);
    });
  }
});

proves(drift.allDeleted, async () => {
  const namespace = await converged("all-deleted");
  const before = await readSecret(platform.kubectl, "shop-credentials", namespace);
  const children = (await childrenOf(namespace)).filter((child) => !isVolume(child));
  await Promise.all(children.map(({ kind, name }) => platform.kubectl("delete", kind, name, "-n", namespace)));
  await eventually(async () => {
    const now = new Set((await childrenOf(namespace)).map(({ kind, name }) => `${kind} ${name}`));
    for (const { kind, name } of children) assert.ok(now.has(`${kind} ${name}`), `${kind} ${name}`);
  }, minutes(1));
  await settled(namespace);
  assert.deepEqual(await readSecret(platform.kubectl, "shop-credentials", namespace), before);
});

proves(drift.fieldEdited, async (t) => {
  const namespace = await converged("edited");
  let edited = 0;
  for (const child of (await childrenOf(namespace)).filter((child) => !isVolume(child))) {
    await t.test(`${child.kind} ${child.name}`, async () => {
      const edits = await editable(child, namespace);
      edited += edits.length;
      for (const some of await together(edits, child, namespace)) {
        const before = await platform.kubectl.find(child.kind, child.name, namespace);
        await patch(child, namespace, some);
        await eventually(async () => {
          const now = await platform.kubectl.find(child.kind, child.name, namespace);
          assert.equal(uidOf(now), uidOf(before));
          for (const { path } of some) assert.deepEqual(valueAt(now, path), valueAt(before, path), path);
        });
        await settled(namespace);
      }
      const told = new RegExp(`${child.kind} ${child.name} was edited by somebody: `);
      await eventually(async () => {
        assert.match(await events(namespace, "DriftCorrected"), told);
      });
    });
  }
  t.diagnostic(`${edited} fields were edited and reverted`);
  assert.ok(edited > 100, `only ${edited} fields could be edited`);
});

const patch = (child: Child, namespace: string, edits: readonly Edit[]): Promise<string> =>
  platform.kubectl(
    "patch",
    child.kind,
    child.name,
    "-n",
    namespace,
    "--type=json",
    "--field-manager=somebody",
    "-p",
    JSON.stringify(edits),
  );

const accepted = ({ kind, name }: Child, namespace: string, edits: readonly Edit[]): Promise<boolean> =>
  platform.kubectl.wouldAccept({ kind, name, namespace }, edits, "somebody");

/** The edits that the API server lets through one by one. */
async function editable(child: Child, namespace: string): Promise<Edit[]> {
  const edits = editsOf(child.object, "database-operator");
  const verdicts = await Promise.all(edits.map((edit) => accepted(child, namespace, [edit])));
  return edits.filter((_, index) => verdicts[index]);
}

/** All at once where the API server takes that, else halves of them. */
async function together(edits: readonly Edit[], child: Child, namespace: string): Promise<(readonly Edit[])[]> {
  if (edits.length < 2 || (await accepted(child, namespace, edits))) return edits.length === 0 ? [] : [edits];
  const half = Math.ceil(edits.length / 2);
  const parts = [edits.slice(0, half), edits.slice(half)];
  return (await Promise.all(parts.map((part) => together(part, child, namespace)))).flat();
}

proves(drift.foreignFields, async () => {
  const namespace = await converged("foreign");
  const children = await childrenOf(namespace);
  const runs = runsOf(namespace);
  for (const { kind, name } of children) {
    await platform.kubectl("label", kind, name, "-n", namespace, "team=a");
    await platform.kubectl("annotate", kind, name, "-n", namespace, "note=keep");
  }
  await consistently(() => {
    assert.equal(runsOf(namespace), runs);
  }, 2000);
  await platform.kubectl("label", "--overwrite", "service", "shop", "-n", namespace, "app.kubernetes.io/name=other");
  await eventually(() => {
    assert.equal(runsOf(namespace), runs + 1);
  });
  for (const { kind, name } of children) {
    const text = JSON.stringify(await platform.kubectl.find(kind, name, namespace));
    assert.match(text, /"team":"a"/, `${kind} ${name}`);
    assert.match(text, /"note":"keep"/, `${kind} ${name}`);
  }
});

const replicasOf = async (namespace: string): Promise<unknown> =>
  valueAt(await platform.kubectl.find("statefulset", "shop", namespace), "/spec/replicas");
const scaleStatefulSet = (namespace: string, replicas: number): Promise<string> =>
  platform.kubectl("scale", "statefulset", "shop", "-n", namespace, `--replicas=${replicas}`);

async function untilReplicas(namespace: string, replicas: number): Promise<void> {
  const has = (object: unknown): void => {
    assert.equal(valueAt(object, "/spec/replicas"), replicas);
  };
  await untilObject(platform.kubectl, { kind: "statefulset", name: "shop", namespace }, has, minutes(1));
}

proves(drift.editedAndReverted, async () => {
  const namespace = await converged("reverted");
  await operator.stop();
  await scaleStatefulSet(namespace, 5);
  await scaleStatefulSet(namespace, 3);
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await eventually(() => {
    assert.equal(runsOf(namespace), 1);
  });
  await scaleStatefulSet(namespace, 5);
  await untilReplicas(namespace, 3);
});

proves(drift.scaled, async () => {
  const namespace = await converged("scaled");
  const claims = await platform.kubectl.names("pvc", namespace);
  await scaleStatefulSet(namespace, 1);
  await untilReplicas(namespace, 3);
  assert.deepEqual(await platform.kubectl.names("pvc", namespace), claims);
  await platform.kubectl("scale", "database", "shop", "-n", namespace, "--replicas=2");
  await settled(namespace);
  assert.equal(await replicasOf(namespace), 2);
  assert.equal((await readDatabase(platform.kubectl, "shop", namespace)).status.readyReplicas, 2);
});

proves(drift.fight, async () => {
  const namespace = await converged("fought");
  const place = [namespace, "shop"] as const;
  const controller = { insists: true };
  const insisting = (async () => {
    while (controller.insists) {
      await scaleStatefulSet(namespace, 2);
      await eventually(async () => {
        assert.ok(!controller.insists || (await replicasOf(namespace)) === 3);
      }, minutes(2));
    }
  })();
  const repeated = { type: "Reconciling", status: "True", reason: "DriftRepeated" };
  const view = await untilCondition(platform.kubectl, place, repeated, minutes(2));
  assert.match(JSON.stringify(view.status.conditions), /StatefulSet shop was edited by kubectl: spec.replicas/);
  const runs = runsOf(namespace);
  const isTold = (object: unknown): void => {
    assert.match(JSON.stringify(object), /8MB/);
  };
  await patchSpec(namespace, { config: { work_mem: "8MB" } });
  await untilObject(platform.kubectl, { kind: "configmap", name: "shop-config", namespace }, isTold);
  assert.ok(runsOf(namespace) <= runs + 2);
  controller.insists = false;
  await insisting;
  await settled(namespace);
});

proves(drift.conflictLater, async () => {
  const namespace = await converged("conflicts-later");
  const place = [namespace, "shop"] as const;
  await operator.stop();
  await platform.kubectl("delete", "service", "shop-ro", "-n", namespace);
  await platform.kubectl("create", "service", "clusterip", "shop-ro", "-n", namespace, "--tcp=80:80");
  const foreign = await platform.kubectl.find("service", "shop-ro", namespace);
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const view = await untilCondition(platform.kubectl, place, {
    type: "Stalled",
    status: "True",
    reason: "NameConflict",
  });
  assert.match(JSON.stringify(view.status.conditions), /Service shop-ro/);
  assert.deepEqual(await platform.kubectl.find("service", "shop-ro", namespace), foreign);
  assert.equal(runsOf(namespace), 0);
  await platform.kubectl("delete", "service", "shop-ro", "-n", namespace);
  // no watch shows that it has gone: the operator looks every 15 s
  await eventually(
    async () => {
      assert.notEqual(uidOf(await platform.kubectl.find("service", "shop-ro", namespace)), uidOf(foreign));
    },
    { withinMs: 60_000 },
  );
  await settled(namespace);
});

const grow = (namespace: string, claim: string, size: string): Promise<string> =>
  platform.kubectl(
    "patch",
    "pvc",
    claim,
    "-n",
    namespace,
    "-p",
    JSON.stringify({ spec: { resources: { requests: { storage: size } } } }),
  );

proves(drift.volumeGrown, async () => {
  const namespace = await converged("grown");
  await grow(namespace, "data-shop-1", "20Gi");
  const wanted = { type: "Stalled", status: "True", reason: "VolumeGrown" };
  const view = await untilCondition(platform.kubectl, [namespace, "shop"], wanted);
  assert.match(JSON.stringify(view.status.conditions), /write spec\.storage: 20Gi/);
  await patchSpec(namespace, { storage: "20Gi" });
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(1));
  for (const ordinal of [0, 1, 2]) {
    const claim = await platform.kubectl.find("pvc", `data-shop-${ordinal}`, namespace);
    assert.equal(valueAt(claim, "/spec/resources/requests/storage"), "20Gi");
  }
});

proves(drift.volumeDeleted, async () => {
  const namespace = await converged("volume-deleted");
  const before = uidOf(await platform.kubectl.find("pvc", "data-shop-1", namespace));
  await platform.kubectl("delete", "pvc", "data-shop-1", "-n", namespace, "--wait=false");
  await platform.kubectl("delete", "pod", "shop-1", "-n", namespace, "--wait=false");
  await eventually(async () => {
    assert.notEqual(uidOf(await platform.kubectl.find("pvc", "data-shop-1", namespace)), before);
    assert.match(await events(namespace, "DriftCorrected"), /PersistentVolumeClaim data-shop-1/);
  }, minutes(1));
  await settled(namespace);
});

proves(drift.volumesDeleted, async () => {
  const namespace = await converged("volumes-deleted", { replicas: 1 });
  await operator.stop();
  // no member is primary as long as the pod does not say so
  await platform.kubectl("delete", "pvc", "data-shop-0", "-n", namespace, "--wait=false");
  await platform.kubectl("delete", "statefulset", "shop", "-n", namespace, "--cascade=foreground");
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const wanted = { type: "Stalled", status: "True", reason: "VolumesLost" };
  const view = await untilCondition(platform.kubectl, [namespace, "shop"], wanted, minutes(1));
  assert.match(JSON.stringify(view.status.conditions), /data-shop-0/);
  assert.deepEqual(await platform.kubectl.names("statefulset,pvc", namespace), ["shop-backup"]);
});

proves(drift.paused, async () => {
  const namespace = await converged("drift-paused");
  const pause = (paused: boolean): Promise<string> => patchSpec(namespace, { paused });
  await pause(true);
  await untilCondition(platform.kubectl, [namespace, "shop"], { type: "Stalled", status: "False", reason: "Paused" });
  await scaleStatefulSet(namespace, 4);
  await consistently(async () => {
    assert.equal(await replicasOf(namespace), 4);
  }, 3000);
  await pause(false);
  await untilReplicas(namespace, 3);
});
