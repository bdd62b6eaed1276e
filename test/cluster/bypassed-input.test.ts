// Bad input behind the first door: admission is bypassed, and the operator stalls, touches nothing, and heals.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { z } from "zod";
import { KubeConfig } from "@kubernetes/client-node";
import { accessOf } from "../../operator/kube/access";
import { KubeClient } from "../../operator/kube/client";
import { openApi, type KubernetesApi } from "../../tools/cluster/api";
import { DatabaseView, database, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { databasesOf, objectOf } from "../input/admission";
import { complete, withValue, type Entry } from "../input/entry";
import { openDoor, writeSpec } from "../input/open-door";
import { hostileStrings, isOneLine } from "../input/strings";
import { table } from "../input/table";
import { proves } from "../judges/reliability/case";
import { input } from "../judges/reliability/cases/input";
import { runAgain } from "../harness/second-run";

const image = "docker.io/library/database-operator-postgresql:17.6";
const catalogue = {
  postgresql: Object.fromEntries(["16.9", "17.5", "17.6", "18.1"].map((version) => [version, { image }])),
};

let platform: PlatformCluster;
let operator: OperatorProcess;
let api: KubernetesApi;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  api = await openApi(platform.cluster.kubeconfig);
});
after(async () => {
  api.close();
  await operator.stop();
  await platform.stop();
});

/** Changes the definition, and returns once that has ended the watches of Databases: the witness continues after what it saw last. */
async function changing<T>(act: () => Promise<T>): Promise<T> {
  const config = new KubeConfig();
  config.loadFromFile(platform.cluster.kubeconfig);
  const client = new KubeClient(accessOf(config), "test");
  const watch = client.watch("/apis/example.com/v1/databases?watch=true", { signal: AbortSignal.timeout(60_000) });
  await watch.next();
  const result = await act();
  while ((await watch.next()).done !== true);
  await client.close();
  return result;
}

type Place = readonly [namespace: string, name: string];

async function namespaceFor(name: string): Promise<string> {
  const namespace = await makeNamespace(platform.kubectl, name);
  const tuning = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning", namespace }, data: { jit: "off" } };
  await platform.kubectl.apply(tuning);
  return namespace;
}

const conditionOf = (view: DatabaseView, type: string): string => {
  const found = view.status.conditions.find((condition) => condition.type === type);
  return found?.observedGeneration === view.metadata.generation ? `${found.status} ${found.reason}` : "not yet";
};

async function read([namespace, name]: Place): Promise<DatabaseView> {
  const found = z.looseObject({}).parse(await api.request("GET", `${databasesOf(namespace)}/${name}`));
  // the spec may be anything here
  return DatabaseView.parse({ ...found, spec: { replicas: 0 } });
}

/** Waits until the conditions of the present generation are these, and returns the message of Stalled. */
async function untilConditions(place: Place, wanted: Readonly<Record<string, string>>): Promise<string> {
  return eventually(
    async () => {
      const view = await read(place);
      const found = Object.fromEntries(Object.keys(wanted).map((type) => [type, conditionOf(view, type)]));
      assert.deepEqual(found, wanted);
      return view.status.conditions.find(({ type }) => type === "Stalled")?.message ?? "";
    },
    { everyMs: 25 },
  );
}

const untilStalled = (place: Place, reason: string): Promise<string> =>
  untilConditions(place, { Stalled: `True ${reason}`, Reconciling: "False Reconciled" });
const untilHealed = (place: Place): Promise<string> =>
  untilConditions(place, {
    Stalled: "False NotStalled",
    Reconciling: "False Reconciled",
    Ready: "True AllReplicasReady",
  });

const Listed = z.array(z.object({ kind: z.string(), metadata: z.object({ name: z.string(), uid: z.string() }) }));

/** Everything in a namespace that a Database may have created, with its uid. */
async function contentOf(namespace: string): Promise<string[]> {
  const kinds = "statefulset,service,secret,configmap,pvc,job,cronjob,pod,role,rolebinding,networkpolicy,pdb";
  const objects = Listed.parse(await platform.kubectl.list(kinds, { namespace }));
  return objects.map(({ kind, metadata: { name, uid } }) => `${kind} ${name} ${uid}`).sort();
}

/** A bad entry of every field and of every kind, and all strings in turn: a part of the table that a few seconds are enough for. */
const chosen: readonly Entry[] = table.filter(
  ({ path, door }, index) =>
    door.kind === "refused" && door.parserToo && path !== "metadata.name" && (index % 31 === 0 || isFirst(index)),
);

function isFirst(index: number): boolean {
  const path = table[index]?.path;
  return table.findIndex((entry) => entry.path === path && entry.door.kind === "refused") === index;
}

proves(input.bypassed, async (t) => {
  const namespace = await namespaceFor("bypassed");
  const place = [namespace, "shop"] as const;
  await api.request("POST", databasesOf(namespace), objectOf({ name: "shop", spec: complete }, namespace));
  await untilReady(platform.kubectl, place, minutes(2));
  const before = await contentOf(namespace);
  const runs = runsIn(operator, place.join("/"));
  const door = await changing(() => openDoor(api));
  for (const { title, path, written } of chosen) {
    await t.test(`${title}, and back`, async () => {
      await writeSpec(api, place, written.spec);
      const message = await untilStalled(place, "SpecInvalid");
      assert.ok(message.includes(`${path}: `), message);
      await writeSpec(api, place, complete);
      await untilHealed(place);
    });
  }
  await changing(() => door.close());
  assert.equal(runsIn(operator, place.join("/")), runs);
  assert.deepEqual(await contentOf(namespace), before);
  assert.equal(await operator.probe("/healthz"), 200);
});

const volume = (fields: Record<string, string>): unknown => ({ enabled: true, destination: { volume: fields } });

/** What data or volumes do not allow, from a Database of 17.6 with 10Gi and a backup volume of 20Gi, both of class standard. */
const forbidden: Readonly<Record<string, { spec: unknown; reason: string; says: string }>> = {
  "less storage": {
    spec: { ...complete, storage: "9Gi" },
    reason: "SpecInvalid",
    says: "spec.storage: must not shrink: write 10Gi or more",
  },
  "another storage class": {
    spec: { ...complete, storageClass: "other" },
    reason: "SpecInvalid",
    says: "spec.storageClass: cannot be changed: write standard",
  },
  "no storage class": {
    spec: withValue(complete, ["storageClass"], undefined),
    reason: "SpecInvalid",
    says: "spec.storageClass: cannot be changed: write standard",
  },
  "a smaller backup volume": {
    spec: { ...complete, backup: volume({ size: "19Gi", storageClass: "standard" }) },
    reason: "SpecInvalid",
    says: "spec.backup.destination.volume.size: must not shrink: write 20Gi or more",
  },
  "another class of the backup volume": {
    spec: { ...complete, backup: volume({ size: "20Gi", storageClass: "other" }) },
    reason: "SpecInvalid",
    says: "spec.backup.destination.volume.storageClass: cannot be changed: write standard",
  },
  "another engine": {
    spec: { ...complete, engine: "mysql" },
    reason: "VersionUnavailable",
    says: "the catalogue has none",
  },
  "a lower version": { spec: { ...complete, version: "17.5" }, reason: "UpgradeUnsupported", says: "write 17.6" },
  "a lower major version": { spec: { ...complete, version: "16.9" }, reason: "UpgradeUnsupported", says: "write 17.6" },
  "a higher major version": {
    spec: { ...complete, version: "18.1" },
    reason: "UpgradeUnsupported",
    says: "write 17.6",
  },
  "a version that does not exist": {
    spec: { ...complete, version: "17.99" },
    reason: "VersionUnavailable",
    says: "17.6, 17.5, 16.9",
  },
};

proves(input.forbidden, async (t) => {
  const namespace = await namespaceFor("forbidden");
  const place = [namespace, "shop"] as const;
  await api.request("POST", databasesOf(namespace), objectOf({ name: "shop", spec: complete }, namespace));
  await untilReady(platform.kubectl, place, minutes(2));
  const before = await contentOf(namespace);
  const runs = runsIn(operator, place.join("/"));
  const door = await changing(() => openDoor(api));
  for (const [title, { spec, reason, says }] of Object.entries(forbidden)) {
    await t.test(`${title}, and back`, async () => {
      await writeSpec(api, place, spec);
      const message = await untilStalled(place, reason);
      assert.ok(message.includes(says), message);
      await writeSpec(api, place, complete);
      await untilHealed(place);
    });
  }
  await changing(() => door.close());
  assert.equal(runsIn(operator, place.join("/")), runs);
  assert.deepEqual(await contentOf(namespace), before);
});

/** The names of what is there beside the Databases and what every namespace has. */
async function made(namespace: string): Promise<string[]> {
  return (await contentOf(namespace)).filter((line) => !/ (tuning|kube-root-ca\.crt) /.test(line));
}

proves(input.bornBad, async (t) => {
  const namespace = await namespaceFor("born-bad");
  const create = (name: string, spec: unknown): Promise<unknown> =>
    api.request("POST", databasesOf(namespace), objectOf({ name, spec }, namespace));
  await platform.kubectl.apply(database("good", namespace, { paused: true }));
  const door = await changing(() => openDoor(api));
  const names = ["my.postgres", "1st", "a".repeat(46), "a".repeat(63), "a".repeat(64), "a".repeat(253)];
  for (const name of names) {
    await t.test(`the name ${name.slice(0, 20)} of ${name.length} characters`, async () => {
      await create(name, complete);
      const message = await untilStalled([namespace, name], "SpecInvalid");
      assert.match(message, /^metadata\.name: must /);
      await api.request("DELETE", `${databasesOf(namespace)}/${name}`);
      await eventually(() => assert.rejects(read([namespace, name]), /404/));
    });
  }
  await t.test("a spec that is a number, corrected", async () => {
    await create("shop", 7);
    await untilStalled([namespace, "shop"], "SpecInvalid");
    assert.deepEqual(await made(namespace), []);
    await writeSpec(api, [namespace, "shop"], complete);
    await untilHealed([namespace, "shop"]);
  });
  await t.test("no spec at all, deleted", async () => {
    await create("none", undefined);
    await untilStalled([namespace, "none"], "SpecInvalid");
    await api.request("DELETE", `${databasesOf(namespace)}/none`);
    await eventually(() => assert.rejects(read([namespace, "none"]), /404/));
  });
  await changing(() => door.close());
});

proves(input.doorClosed, async () => {
  const namespace = await namespaceFor("door-closed");
  const place = [namespace, "shop"] as const;
  for (const name of ["shop", "gone"]) {
    await api.request("POST", databasesOf(namespace), objectOf({ name, spec: complete }, namespace));
  }
  for (const name of ["shop", "gone"]) await untilReady(platform.kubectl, [namespace, name], minutes(2));
  const door = await changing(() => openDoor(api));
  const bad = { ...complete, storage: "5GB", backup: { ...complete.backup, schedule: "never" } };
  await operator.stop();
  for (const name of ["shop", "gone"]) await writeSpec(api, [namespace, name], bad);
  await changing(() => door.close());
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  assert.match(await untilStalled(place, "SpecInvalid"), /spec\.storage: .*; spec\.backup\.schedule: /);
  await writeSpec(api, place, complete);
  await untilHealed(place);
  await api.request("DELETE", `${databasesOf(namespace)}/gone`);
  await eventually(() => assert.rejects(read([namespace, "gone"]), /404/), minutes(1));
});

const ConfigMap = z.object({ metadata: z.object({ annotations: z.object({ config: z.string() }) }) });
const Parameters = z.object({ postgresql: z.object({ parameters: z.record(z.string(), z.string()) }) });

proves(input.odd, async () => {
  const namespace = await namespaceFor("odd");
  const place = [namespace, "shop"] as const;
  const lines = Object.values(hostileStrings).filter((text) => isOneLine(text) && text.isWellFormed());
  const config = Object.fromEntries(lines.map((text, index) => [`shop.p${index}`, text]));
  await platform.kubectl.apply(
    database("shop", namespace, {
      replicas: 1,
      config,
      resources: { requests: { cpu: "0.500", memory: "1024Mi" }, limits: { cpu: "2000m", memory: "1048576Ki" } },
      backup: { schedule: "*/15 0-6,22 1 JAN,6 MON-FRI" },
      monitoring: { labels: { constructor: "null", "example.com/team": "" } },
    }),
  );
  await untilReady(platform.kubectl, place, minutes(2));
  const map = ConfigMap.parse(await platform.kubectl.find("configmap", "shop-config", namespace));
  const { parameters } = Parameters.parse(JSON.parse(map.metadata.annotations.config)).postgresql;
  assert.deepEqual(Object.fromEntries(Object.keys(config).map((key) => [key, parameters[key]])), config);
  const again = await runAgain(platform, operator, place, "refresh");
  operator = again.operator;
  assert.match(again.summary, /^\d+ unchanged$/);
});

proves(input.alike, async () => {
  const places: readonly Place[] = [
    [await namespaceFor("a-b"), "c"],
    [await namespaceFor("a"), "b-c"],
  ];
  for (const [namespace, name] of places) await platform.kubectl.apply(database(name, namespace, { replicas: 1 }));
  for (const place of places) await untilReady(platform.kubectl, place, minutes(2));
  const records = await platform.kubectl.names("secret", "database-operator-system");
  for (const [namespace, name] of places) {
    assert.ok(records.includes(`state.${namespace}.${name}`), records.join());
    assert.ok(records.includes(`credentials.${namespace}.${name}`), records.join());
    assert.ok((await platform.kubectl.names("statefulset", namespace)).includes(name));
  }
});
