// A resident Pulumi that dies or freezes: what it was doing is repeated, no Database waits for long, and nothing is left.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { database, untilCondition, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import type { FaultProxy } from "../harness/fault-proxy";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { proxiedEnvironment, startProxy } from "../harness/proxied";
import { familyOf } from "../judges/invariants/processes";

let platform: PlatformCluster;
let proxy: FaultProxy;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  proxy = await startProxy(platform.cluster);
  const environment = {
    ...(await proxiedEnvironment(platform.operatorEnvironment, platform.cluster, proxy)),
    DATABASE_OPERATOR_PULUMI: "resident",
  };
  operator = await startOperatorProcess({ environment });
});
after(async () => {
  await operator.stop();
  await proxy.stop();
  await platform.stop();
});

/** The operator's process that runs this program, once there is one. */
const processOf = (program: string, except?: number): Promise<number> =>
  eventually(() => {
    const found = familyOf(operator.pid).find(
      ({ argv, pid }) => argv.split(" ")[0]?.endsWith(program) && pid !== except,
    );
    if (found === undefined) throw new Error(`there is no ${program}`);
    return found.pid;
  });

const residentOf = (except?: number): Promise<number> => processOf("/pulumi-resident", except);
const providerOf = (): Promise<number> => processOf("/pulumi-resource-kubernetes");

async function make(name: string, replicas = 1): Promise<readonly [string, string]> {
  const namespace = await makeNamespace(platform.kubectl, name);
  await platform.kubectl.apply(database("shop", namespace, { replicas }));
  return [namespace, "shop"];
}

test("one process carries out all runs, with one provider", async () => {
  const places = [await make("one"), await make("two")];
  for (const place of places) await untilReady(platform.kubectl, place, minutes(2));
  const programs = familyOf(operator.pid).map(({ argv }) => argv.split(" ")[0]?.split("/").at(-1));
  assert.deepEqual(
    programs.filter((program) => program?.startsWith("pulumi")),
    ["pulumi-resident", "pulumi-resource-kubernetes"],
  );
});

test("the provider does not listen to events", async () => {
  const lines = (await readFile(platform.cluster.auditLog, "utf8")).split("\n");
  const ofProvider = lines.filter(
    (line) =>
      line.includes('"userAgent":"pulumi-kubernetes') && line.includes(":database-operator-system:database-operator"),
  );
  const ofEvents = ofProvider.filter((line) => line.includes('"resource":"events"'));
  assert(ofProvider.length > 20, `${ofProvider.length} requests of the provider were found`);
  assert.deepEqual(ofEvents, []);
});

test("an object that takes a child's name right before the child is created is left as it is, and reported", async () => {
  const held = proxy.hold({ by: "provider", verb: "patch", resource: "statefulsets" });
  const [namespace, name] = await make("late");
  await held.held();
  const labels = { app: "theirs" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "theirs", image: "theirs" }] } };
  await platform.kubectl.apply({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace },
    spec: { replicas: 0, serviceName: "theirs", selector: { matchLabels: labels }, template },
  });
  const theirs = await uidAndGeneration(namespace, name);
  held.release();
  const conflict = { type: "Stalled", status: "True", reason: "NameConflict" };
  const view = await untilCondition(platform.kubectl, [namespace, name], conflict, minutes(1));
  assert.match(JSON.stringify(view.status.conditions), /StatefulSet shop/);
  assert.equal(await uidAndGeneration(namespace, name), theirs);
  await platform.kubectl("delete", "statefulset", name, "-n", namespace);
  await untilReady(platform.kubectl, [namespace, name], minutes(1));
});

/** What shows that a StatefulSet was changed. */
const uidAndGeneration = (namespace: string, name: string): Promise<string> =>
  platform.kubectl(
    ...["get", "statefulset", name, "-n", namespace],
    ...[
      "-o",
      "jsonpath={.metadata.uid} {.metadata.generation} {.metadata.labels} {.metadata.managedFields[*].manager}",
    ],
  );

test("it is killed in mid-run: another one continues, with the same password, and the old one's provider is gone", async () => {
  const [resident, provider] = [await residentOf(), await providerOf()];
  const held = proxy.hold({ by: "provider", verb: "patch", resource: "statefulsets" });
  const place = await make("killed", 3);
  const [namespace] = place;
  await held.held();
  assert((await platform.kubectl.names("configmap", namespace)).length > 1);
  assert.deepEqual(await platform.kubectl.names("statefulset", namespace), []);
  assert.equal(runsIn(operator, place.join("/")), 0);
  // the record is there before the run begins; which children are is not known
  const { app } = await readSecret(platform.kubectl, `credentials.${namespace}.shop`, "database-operator-system");
  assert(app);
  process.kill(resident, "SIGKILL");
  held.release();
  await untilReady(platform.kubectl, place, minutes(2));
  assert.notEqual(await residentOf(resident), resident);
  assert.equal((await readSecret(platform.kubectl, "shop-credentials", namespace))["password"], app);
  await eventually(() => {
    assert(!familyOf(provider).some(({ pid }) => pid === provider));
  });
});

for (const [what, find] of [
  ["its provider", providerOf],
  ["it", residentOf],
] as const) {
  test(`${what} freezes: it is ended after a while, and what waited for it is done`, async () => {
    // one that ended is created again for the next run
    await untilReady(platform.kubectl, await make(`before-${find.name.toLowerCase()}`), minutes(2));
    const frozen = await find();
    process.kill(frozen, "SIGSTOP");
    const places = [await make(`first-${find.name.toLowerCase()}`), await make(`second-${find.name.toLowerCase()}`)];
    for (const place of places) await untilReady(platform.kubectl, place, minutes(2));
    assert(!familyOf(frozen).some(({ pid }) => pid === frozen));
  });
}
