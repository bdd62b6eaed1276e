// What the operator promises, against a real API server, the real Pulumi CLI and provider; nodes are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { labelsOf } from "../../components/naming";
import { database, readDatabase, untilBackedUp, untilCondition, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { runAgain } from "../harness/second-run";

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

const namespaceFor = (name: string): Promise<string> => makeNamespace(platform.kubectl, name);
const runsOf = (key: string): number => runsIn(operator, key);
const secretData = (namespace: string, name: string): Promise<Record<string, string>> =>
  readSecret(platform.kubectl, name, namespace);

test("kubectl apply of a Database makes all its children, and it becomes Ready", async () => {
  const namespace = await namespaceFor("creates");
  await platform.kubectl.apply(database("shop", namespace));
  const view = await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  assert.equal(view.status.phase, "Running");
  assert.equal(view.status.readyReplicas, 3);
  assert.equal(view.status.primary, "shop-0");
  assert.equal(view.status.lastChange?.revision, 1);
  const expected: Record<string, string[]> = {
    statefulset: ["shop"],
    service: ["shop", "shop-any", "shop-headless", "shop-ro"],
    secret: ["shop-ca", "shop-credentials", "shop-server-tls", "shop-system"],
    pvc: ["data-shop-0", "data-shop-1", "data-shop-2", "shop-backup"],
    job: ["shop-backup-first", "shop-init"],
    cronjob: ["shop-backup", "shop-verify"],
    poddisruptionbudget: ["shop"],
    networkpolicy: ["shop"],
    role: ["shop"],
    rolebinding: ["shop"],
  };
  for (const [kind, names] of Object.entries(expected)) {
    assert.deepEqual(await platform.kubectl.names(kind, namespace), names, kind);
  }
  const credentials = await secretData(namespace, "shop-credentials");
  assert.deepEqual(Object.keys(credentials).sort(), ["database", "host", "password", "port", "uri", "username"]);
});

test("a converged Database is left alone: no run, no write", async () => {
  const namespace = await namespaceFor("quiet");
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1 }));
  const place = [namespace, "shop"] as const;
  await untilReady(platform.kubectl, place, minutes(2));
  // the first backup may end later
  const view = await untilBackedUp(platform.kubectl, place, minutes(1));
  const runs = runsOf(`${namespace}/shop`);
  // a touch that asks for nothing
  await platform.kubectl("label", "database", "shop", "-n", namespace, "team=a");
  const touched = await readDatabase(platform.kubectl, "shop", namespace);
  await consistently(async () => {
    const now = await readDatabase(platform.kubectl, "shop", namespace);
    assert.equal(now.metadata.resourceVersion, touched.metadata.resourceVersion);
  }, 3000);
  assert.equal(runsOf(`${namespace}/shop`), runs);
  assert.equal(view.metadata.generation, touched.metadata.generation);
});

test("what an interrupted run left behind is removed where nothing asks for it, except data", async () => {
  const namespace = await namespaceFor("left-behind");
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1 }));
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  const metadata = { name: "shop", namespace, labels: labelsOf("shop", "postgresql") };
  const claim = {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { ...metadata, name: "data-shop-4" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await platform.kubectl.apply(claim);
  // as a run for two members would have created it
  await platform.kubectl.apply({ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: {} });
  await eventually(async () => {
    assert.deepEqual(await platform.kubectl.names("poddisruptionbudget", namespace), []);
  }, minutes(1));
  const claims = await platform.kubectl.names("pvc", namespace);
  assert.ok(claims.includes("data-shop-4"), claims.join());
  await platform.kubectl("delete", "pvc", "data-shop-4", "-n", namespace);
});

// After a look at the cluster: bypassed-input.test.ts; with real members: test/e2e.
test("a second run of an unchanged Database with three members changes nothing", async () => {
  const namespace = await namespaceFor("again");
  await platform.kubectl.apply(database("shop", namespace, { config: { work_mem: "8MB" } }));
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  const again = await runAgain(platform, operator, [namespace, "shop"], "plain");
  operator = again.operator;
  assert.match(again.summary, /^\d+ unchanged$/);
});

test("edits of replicas and config and kubectl scale are applied", async () => {
  const namespace = await namespaceFor("changes");
  const place = [namespace, "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1 }));
  await untilReady(platform.kubectl, place, minutes(2));
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2, config: { work_mem: "8MB" } }));
  await untilReady(platform.kubectl, place, minutes(2));
  const config = JSON.stringify(await platform.kubectl.find("configmap", "shop-config", namespace));
  assert.match(config, /work_mem/);
  await platform.kubectl("scale", "database", "shop", "-n", namespace, "--replicas=3");
  const view = await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(view.spec.replicas, 3);
  assert.equal(view.status.readyReplicas, 3);
  assert.ok((view.status.lastChange?.revision ?? 0) >= 3);
});

test("a change of the ConfigMap named by configFrom reaches the Databases that name it", async () => {
  const namespace = await namespaceFor("sources");
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1, configFrom: { name: "tuning" } }));
  const place = [namespace, "shop"] as const;
  const waiting = await untilCondition(platform.kubectl, place, {
    type: "Stalled",
    status: "True",
    reason: "ConfigSourceMissing",
  });
  assert.match(JSON.stringify(waiting.status.conditions), /ConfigMap tuning/);
  await platform.kubectl("create", "configmap", "tuning", "-n", namespace, "--from-literal=work_mem=16MB");
  await untilReady(platform.kubectl, place, minutes(2));
  await platform.kubectl("patch", "configmap", "tuning", "-n", namespace, "-p", '{"data":{"work_mem":"32MB"}}');
  await eventually(async () => {
    const config = JSON.stringify(await platform.kubectl.find("configmap", "shop-config", namespace));
    assert.match(config, /32MB/);
  }, minutes(1));
});

for (const [reason, spec, message] of [
  ["VersionUnavailable", { version: "14.5" }, /17\.7, 17\.6/],
  ["ParameterReserved", { config: { listen_addresses: "'*'" } }, /listen_addresses/],
] as const) {
  test(`${reason}: the Database is stalled with a message that says what to write, and heals when corrected`, async () => {
    const namespace = await namespaceFor(reason.toLowerCase());
    const place = [namespace, "shop"] as const;
    await platform.kubectl.apply(database("shop", namespace, { replicas: 1, ...spec }));
    const view = await untilCondition(platform.kubectl, place, { type: "Stalled", status: "True", reason });
    assert.match(view.status.conditions.find(({ type }) => type === "Stalled")?.message ?? "", message);
    assert.equal(view.status.phase, "Failed");
    assert.deepEqual(view.metadata.finalizers, []);
    assert.deepEqual(await platform.kubectl.names("statefulset", namespace), []);
    await platform.kubectl.apply(database("shop", namespace, { replicas: 1, config: {} }));
    await untilReady(platform.kubectl, place, minutes(2));
  });
}

test("a foreign object under a child's name is reported and left unchanged", async () => {
  const namespace = await namespaceFor("conflict");
  await platform.kubectl("create", "service", "clusterip", "shop", "-n", namespace, "--tcp=80:80");
  const foreign = await platform.kubectl.find("service", "shop", namespace);
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1 }));
  const wanted = { type: "Stalled", status: "True", reason: "NameConflict" };
  const view = await untilCondition(platform.kubectl, [namespace, "shop"], wanted);
  assert.match(JSON.stringify(view.status.conditions), /Service shop/);
  assert.deepEqual(await platform.kubectl.find("service", "shop", namespace), foreign);
});

test("of two Databases of one file that would have a Service in common, one has it, and the other says so", async (t) => {
  const { kubectl } = platform;
  for (const pair of [
    ["shop", "shop-ro"],
    ["shop-headless", "shop"],
  ] as const) {
    await t.test(pair.join(", then "), async () => {
      const namespace = await namespaceFor(`twins-${pair.indexOf("shop")}`);
      const items = pair.map((name) => database(name, namespace, { replicas: 1, deletionPolicy: "Delete" }));
      await kubectl.apply({ apiVersion: "v1", kind: "List", items });
      const held = { type: "Stalled", status: "True", reason: "NameConflict" };
      const waits = await Promise.any(
        pair.map(async (name) => {
          await untilCondition(kubectl, [namespace, name], held);
          return name;
        }),
      );
      const [runs = ""] = pair.filter((name) => name !== waits);
      await untilReady(kubectl, [namespace, runs], minutes(1));
      await untilBackedUp(kubectl, [namespace, runs], minutes(1));
      assert.equal(await kubectl.find("statefulset", waits, namespace), undefined);
      assert.equal(runsOf(`${namespace}/${waits}`), 0);
      assert.equal(runsOf(`${namespace}/${runs}`), 1, "no client fights");
    });
  }
});

test("a Database deleted at once after it was applied goes without a trace", async () => {
  const namespace = await namespaceFor("hasty");
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1, deletionPolicy: "Delete" }));
  await platform.kubectl("delete", "database", "shop", "-n", namespace, "--timeout=60s");
  await untilGone(platform.kubectl, [namespace, "shop"]);
  await eventually(async () => {
    assert.deepEqual(await platform.kubectl.names("statefulset,service,pvc,secret,pod", namespace), []);
  });
});

test("a ServiceMonitor is created as soon as the cluster knows the kind, and removed when monitoring is off", async () => {
  const namespace = await namespaceFor("monitors");
  const place = [namespace, "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1 }));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilCondition(platform.kubectl, place, {
    type: "MonitoringReady",
    status: "False",
    reason: "ServiceMonitorCRDMissing",
  });
  await platform.kubectl.apply({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "servicemonitors.monitoring.coreos.com" },
    spec: {
      group: "monitoring.coreos.com",
      scope: "Namespaced",
      names: { kind: "ServiceMonitor", plural: "servicemonitors", singular: "servicemonitor" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  await untilCondition(platform.kubectl, place, { type: "MonitoringReady", status: "True" }, minutes(2));
  const monitor = await platform.kubectl.find("servicemonitor", "shop", namespace);
  assert.equal(
    z.object({ metadata: z.object({ labels: z.looseObject({ release: z.string() }) }) }).parse(monitor).metadata.labels
      .release,
    "kps",
  );
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1, monitoring: { enabled: false } }));
  await untilReady(platform.kubectl, place, minutes(2));
  assert.equal(await platform.kubectl.find("servicemonitor", "shop", namespace), undefined);
});

test("members that lost their controller go with their Database", async () => {
  const namespace = await namespaceFor("left-alone");
  const place = [namespace, "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2, backup: { enabled: false } }));
  await untilReady(platform.kubectl, place, minutes(2));
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2, backup: { enabled: false }, paused: true }));
  await untilCondition(platform.kubectl, place, { type: "Stalled", status: "False", reason: "Paused" });
  await platform.kubectl("delete", "statefulset", "shop", "-n", namespace, "--cascade=orphan");
  await eventually(async () => {
    const Pod = z.object({ metadata: z.object({ ownerReferences: z.array(z.unknown()).default([]) }) });
    assert.deepEqual(Pod.parse(await platform.kubectl.find("pod", "shop-0", namespace)).metadata.ownerReferences, []);
  });
  await platform.kubectl("delete", "database", "shop", "-n", namespace);
  await untilGone(platform.kubectl, place, minutes(1));
  assert.deepEqual(
    (await platform.kubectl.names("pod", namespace)).filter((name) => /^shop-\d$/.test(name)),
    [],
  );
});

test("probes and metrics answer", async () => {
  assert.equal(await operator.probe("/healthz"), 200);
  assert.equal(await operator.probe("/readyz"), 200);
  const text = await operator.metrics();
  assert.match(text, /controller_runtime_reconcile_total\{controller="database",result="success"\} \d+/);
  assert.match(text, /database_operator_stack_run_seconds_count\{operation="up",result="succeeded"\} \d+/);
});
