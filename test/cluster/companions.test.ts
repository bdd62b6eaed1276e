// What companions promise, against a real API server and the real operator; nodes are simulated.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { companionKinds } from "../../operator/api/companions/crd";
import {
  companion,
  messageOf,
  readCompanion,
  untilCompanion,
  untilCompanionReady,
  type CompanionName,
  type CompanionPlace,
} from "../harness/companion";
import { database, readDatabase, untilBackedUp, untilGone, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import type { FaultProxy } from "../harness/fault-proxy";
import { makeNamespace } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { proxiedEnvironment, startProxy } from "../harness/proxied";

const kinds = ["PostgreSQLCluster", "SampleDB"] as const;
const sizeOf: Readonly<Record<CompanionName, string>> = { PostgreSQLCluster: "instances", SampleDB: "replicas" };

let platform: PlatformCluster;
let proxy: FaultProxy;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  proxy = await startProxy(platform.cluster);
  operator = await startOperatorProcess({
    environment: await proxiedEnvironment(platform.operatorEnvironment, platform.cluster, proxy),
  });
});
after(async () => {
  await operator.stop();
  await proxy.stop();
  await platform.stop();
});

const kubectl = (...args: string[]): Promise<string> => platform.kubectl(...args);
const placeFor = async (kind: CompanionName, name: string): Promise<CompanionPlace> => [
  kind,
  await makeNamespace(platform.kubectl, name),
  "shop",
];
const apply = (place: CompanionPlace, spec: Record<string, unknown> = {}): Promise<string> =>
  platform.kubectl.apply(companion(place, spec));
const patch = (kind: string, namespace: string, spec: unknown): Promise<string> =>
  kubectl("patch", kind, "shop", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec }));
const single = (kind: CompanionName): Record<string, unknown> => ({ [sizeOf[kind]]: 1 });

const Owned = z.object({
  metadata: z.object({
    uid: z.string(),
    ownerReferences: z.array(z.looseObject({ kind: z.string(), uid: z.string() })).default([]),
  }),
  spec: z.looseObject({}),
});
const ownedDatabase = async (namespace: string): Promise<z.infer<typeof Owned>> =>
  Owned.parse(await platform.kubectl.find("database", "shop", namespace));
const specOf = async (namespace: string): Promise<Record<string, unknown>> => (await ownedDatabase(namespace)).spec;

for (const kind of kinds) {
  const lower = kind.toLowerCase();

  test(`kubectl apply of a ${kind} makes a Database that it owns, and its status is mirrored`, async () => {
    const place = await placeFor(kind, `creates-${lower}`);
    await apply(place);
    const view = await untilCompanionReady(platform.kubectl, place);
    const [, namespace, name] = place;
    const { status } = await readDatabase(platform.kubectl, name, namespace);
    assert.equal(view.status.ready, true);
    assert.equal(view.status.phase, "Running");
    assert.equal(view.status.observedGeneration, view.metadata.generation);
    assert.equal(view.status.readyReplicas, 3);
    assert.equal(view.status.primary, status.primary);
    const owners = (await ownedDatabase(namespace)).metadata.ownerReferences;
    assert.deepEqual(owners, [
      {
        ...{ apiVersion: kind === "SampleDB" ? "database.example.com/v1" : "postgres.example.com/v1", kind, name },
        ...{ uid: view.metadata.uid, controller: true, blockOwnerDeletion: true },
      },
    ]);
    const shown = await kubectl("get", lower, name, "-n", namespace, "-o", "wide");
    assert.match(shown, /VERSION +(INSTANCES|REPLICAS) +READY +PHASE +RUNNING +PRIMARY +ENDPOINT +AGE/);
    assert.match(shown, / true +Running +17\.[67] +shop-0 +shop\.creates-\w+\.svc:5432 /);
    assert.match(await kubectl("get", "all", "-n", namespace), new RegExp(`^${lower}\\.\\S+/shop `, "m"));
    await kubectl("wait", "--for=condition=Ready", `${lower}/shop`, "-n", namespace, "--timeout=5s");
  });

  test(`a ${kind} at rest causes no write, and kubectl scale changes the members of its Database`, async () => {
    const place = await placeFor(kind, `scales-${lower}`);
    const [, namespace] = place;
    await apply(place, single(kind));
    await untilCompanionReady(platform.kubectl, place);
    await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
    await eventually(async () => {
      const { status } = await readCompanion(platform.kubectl, place);
      assert.ok(status.lastBackup, JSON.stringify(status));
    });
    const before = [await readCompanion(platform.kubectl, place), runsIn(operator, `${namespace}/shop`)] as const;
    await kubectl("label", lower, "shop", "-n", namespace, "team=a");
    const { metadata } = await readCompanion(platform.kubectl, place);
    await consistently(async () => {
      const now = await readCompanion(platform.kubectl, place);
      assert.equal(now.metadata.resourceVersion, metadata.resourceVersion);
    }, 2000);
    assert.equal(runsIn(operator, `${namespace}/shop`), before[1]);
    await kubectl("scale", lower, "shop", "-n", namespace, "--replicas=2");
    const view = await untilCompanionReady(platform.kubectl, place);
    assert.equal(view.status.readyReplicas, 2);
    assert.equal((await specOf(namespace))["replicas"], 2);
    const scale = await kubectl("get", lower, "shop", "-n", namespace, "--subresource=scale", "-o", "json");
    assert.match(scale, /"replicas": 2,\s+"selector": "app=database,database=shop/);
  });

  test(`the status of a ${kind} that lost to another client's write is written again at once`, async () => {
    const place = await placeFor(kind, `overtaken-${lower}`);
    const [, namespace] = place;
    const { plural } = companionKinds.find((one) => one.kind === kind) ?? assert.fail(kind);
    const ofStatus = { by: "operator", verb: "patch", resource: plural, namespace, subresource: "status" } as const;
    const overtaken = proxy.rule({ ...ofStatus, nth: 2 }, { kind: "refuse", code: 409, reason: "Conflict" });
    await apply(place, single(kind));
    await untilCompanionReady(platform.kubectl, place);
    assert.equal(overtaken.applied.length, 1);
    overtaken.remove();
    const failures = operator.log.filter(
      (line) => line["companion"] === `${namespace}/shop/${plural}` && "err" in line,
    );
    assert.deepEqual(failures, []);
  });

  test(`a Database that a ${kind} did not create is never touched or adopted`, async () => {
    const place = await placeFor(kind, `conflict-${lower}`);
    const [, namespace] = place;
    await platform.kubectl.apply(database("shop", namespace, { replicas: 1, version: "17.7" }));
    await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
    await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
    const foreign = await platform.kubectl.find("database", "shop", namespace);
    await apply(place, single(kind));
    const wanted = { type: "Stalled", status: "True", reason: "NameConflict" };
    const view = await untilCompanion(platform.kubectl, place, wanted);
    assert.match(
      messageOf(view, "Stalled"),
      /Database shop was not created by this .*; delete it, or choose another name/,
    );
    assert.equal(view.status.ready, false);
    await patch(lower, namespace, { [sizeOf[kind]]: 2 });
    await untilCompanion(platform.kubectl, place, wanted);
    assert.deepEqual(await platform.kubectl.find("database", "shop", namespace), foreign);
    await kubectl("delete", "database", "shop", "-n", namespace, "--timeout=60s");
    await untilCompanionReady(platform.kubectl, place);
  });

  test(`deleting a ${kind} deletes its Database, whose deletion policy counts: the data is kept`, async () => {
    const place = await placeFor(kind, `deletes-${lower}`);
    const [, namespace] = place;
    await apply(place, single(kind));
    await untilCompanionReady(platform.kubectl, place);
    const claims = await platform.kubectl.names("pvc", namespace);
    assert.ok(claims.includes("data-shop-0"));
    await kubectl("delete", lower, "shop", "-n", namespace, "--timeout=60s");
    await untilGone(platform.kubectl, [namespace, "shop"], minutes(1));
    assert.deepEqual(await platform.kubectl.names("statefulset,service,job", namespace), []);
    assert.deepEqual(await platform.kubectl.names("pvc", namespace), claims);
    await apply(place, single(kind));
    await untilCompanionReady(platform.kubectl, place);
  });
}

test("a foreground deletion waits for the Database, and says so; nothing is created again meanwhile", async () => {
  const place = await placeFor("SampleDB", "foreground");
  const [, namespace] = place;
  await apply(place, { replicas: 1 });
  await untilCompanionReady(platform.kubectl, place);
  await kubectl("patch", "database", "shop", "-n", namespace, "--type=json", "-p", holdPatch);
  await kubectl("delete", "sampledb", "shop", "-n", namespace, "--cascade=foreground", "--wait=false");
  await untilCompanion(platform.kubectl, place, { type: "Reconciling", status: "True", reason: "Deleting" });
  assert.equal((await readCompanion(platform.kubectl, place)).status.phase, "Deleting");
  await kubectl("patch", "database", "shop", "-n", namespace, "--type=merge", "-p", '{"metadata":{"finalizers":[]}}');
  await untilGone(platform.kubectl, [namespace, "shop"], minutes(1));
  await eventually(async () => {
    assert.equal(await platform.kubectl.find("sampledb", "shop", namespace), undefined);
  }, minutes(1));
  platform.witness.disregard(namespace, "its Database's finalizers were removed by hand");
});
const holdPatch = '[{"op":"add","path":"/metadata/finalizers/-","value":"example.org/held"}]';

test("an orphaning deletion leaves the Database, which has no owner then", async () => {
  const place = await placeFor("PostgreSQLCluster", "orphans");
  const [, namespace] = place;
  await apply(place, { instances: 1 });
  await untilCompanionReady(platform.kubectl, place);
  const before = await ownedDatabase(namespace);
  await kubectl("delete", "postgresqlcluster", "shop", "-n", namespace, "--cascade=orphan", "--timeout=60s");
  const after = await ownedDatabase(namespace);
  assert.equal(after.metadata.uid, before.metadata.uid);
  assert.deepEqual(after.metadata.ownerReferences, []);
  assert.deepEqual(after.spec, before.spec);
});

test("a companion's fields come back when another client edits the Database; other fields stay that client's", async () => {
  const place = await placeFor("PostgreSQLCluster", "edits");
  const [, namespace] = place;
  await apply(place, { instances: 1, backup: { retention: 9 } });
  await untilCompanionReady(platform.kubectl, place);
  await patch("database", namespace, { replicas: 4, backup: { retention: 3, schedule: "30 1 * * *" } });
  const expected = { replicas: 1, backup: { enabled: true, retention: 9, schedule: "30 1 * * *" } };
  await eventually(async () => {
    const { replicas, backup } = await specOf(namespace);
    assert.deepEqual({ replicas, backup }, expected);
  });
  await patch("database", namespace, { config: { work_mem: "8MB" }, deletionPolicy: "Delete" });
  // what it no longer speaks of goes back to the Database's default; what it never spoke of stays
  await patch("postgresqlcluster", namespace, { backup: null });
  await eventually(async () => {
    const { backup, config, deletionPolicy } = await specOf(namespace);
    assert.deepEqual(
      { backup, config, deletionPolicy },
      {
        backup: { ...expected.backup, retention: 7 },
        config: { work_mem: "8MB" },
        deletionPolicy: "Delete",
      },
    );
  });
  await untilCompanionReady(platform.kubectl, place);
});

test("an owned Database that is deleted by hand is created again, and adopts its data", async () => {
  const place = await placeFor("SampleDB", "remakes");
  const [, namespace] = place;
  await apply(place, { replicas: 1 });
  await untilCompanionReady(platform.kubectl, place);
  const former = await ownedDatabase(namespace);
  await kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
  await eventually(async () => {
    assert.notEqual((await ownedDatabase(namespace)).metadata.uid, former.metadata.uid);
  }, minutes(1));
  await untilCompanionReady(platform.kubectl, place);
});

test("two companions of different kinds and one name: the first has the Database, the other says whose it is", async () => {
  const cluster = await placeFor("PostgreSQLCluster", "twins");
  const [, namespace, name] = cluster;
  const sample = ["SampleDB", namespace, name] as const;
  await apply(cluster, { instances: 1 });
  await untilCompanionReady(platform.kubectl, cluster);
  await apply(sample, { replicas: 2 });
  const stalled = await untilCompanion(platform.kubectl, sample, {
    ...{ type: "Stalled", status: "True", reason: "NameConflict" },
  });
  assert.match(messageOf(stalled, "Stalled"), /Database shop belongs to PostgreSQLCluster shop, not to this SampleDB/);
  assert.equal((await specOf(namespace))["replicas"], 1);
  await kubectl("delete", "postgresqlcluster", name, "-n", namespace, "--timeout=60s");
  const view = await untilCompanionReady(platform.kubectl, sample);
  assert.equal(view.status.readyReplicas, 2);
});
