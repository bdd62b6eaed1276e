// What the operator promises when it, or what it knows, goes away; real API server, CLI and provider, simulated nodes. The
// API server and single Secrets: test/faults.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import test, { after, before } from "node:test";
import { uidOf } from "../drift/children";
import { database, readDatabase, untilGone, untilReady } from "../harness/database";
import { eventually, minutes } from "../harness/eventually";
import type { FaultProxy, Hold } from "../harness/fault-proxy";
import { makeNamespace, readSecret } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { proxiedEnvironment, startProxy } from "../harness/proxied";
import { untilRecorded } from "../harness/revisions";

let platform: PlatformCluster;
let proxy: FaultProxy;
let environment: Readonly<Record<string, string>>;
let operator: OperatorProcess;

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  proxy = await startProxy(platform.cluster);
  environment = await proxiedEnvironment(platform.operatorEnvironment, platform.cluster, proxy);
  operator = await startOperatorProcess({ environment });
});
after(async () => {
  await operator.stop();
  await proxy.stop();
  await platform.stop();
});

const namespaceFor = (name: string): Promise<string> => makeNamespace(platform.kubectl, name);
const runsOf = (key: string): number => runsIn(operator, key);
const secretData = (namespace: string, name: string): Promise<Record<string, string>> =>
  readSecret(platform.kubectl, name, namespace);

/** Creates a Database of which a run has created some children, while the request that would create its StatefulSet is held. */
async function halfMade(name: string): Promise<{ readonly namespace: string; readonly held: Hold }> {
  const namespace = await namespaceFor(name);
  const held = proxy.hold({ by: "provider", verb: "patch", resource: "statefulsets", namespace });
  await platform.kubectl.apply(database("shop", namespace));
  await held.held();
  assert.notDeepEqual(await platform.kubectl.names("secret", namespace), []);
  assert.deepEqual(await platform.kubectl.names("statefulset", namespace), []);
  assert.equal(runsOf(`${namespace}/shop`), 0);
  return { namespace, held };
}

test("an operator that is told to stop in the middle of a run ends it cleanly and leaves the rest to its successor", async () => {
  const { namespace, held } = await halfMade("stopped");
  const { workDirectory } = operator;
  const ended = operator.stop();
  await eventually(() => {
    assert.ok(operator.log.some(({ msg }) => msg === "stopping"));
  });
  held.release();
  assert.equal(await ended, 0);
  await assert.rejects(readdir(workDirectory));
  operator = await startOperatorProcess({ environment });
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
});

test("an operator that is killed in the middle of a run leaves nothing behind that its successor does not finish", async () => {
  const { namespace, held } = await halfMade("killed");
  await operator.kill();
  held.release();
  operator = await startOperatorProcess({ environment, workDirectory: operator.workDirectory });
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  await eventually(async () => {
    const foreign = (name: string): boolean => !name.includes(`-${operator.pid}-`);
    assert.deepEqual((await readdir(operator.workDirectory)).filter(foreign), []);
  });
});

test("with all Secrets of the operator lost, a Database is adopted again: same passwords, no pod restarted", async () => {
  const namespace = await namespaceFor("lost");
  const place = [namespace, "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2 }));
  await untilReady(platform.kubectl, place, minutes(2));
  const podUids = async (): Promise<string[]> => {
    const selector = "app.kubernetes.io/component=database";
    return (await platform.kubectl.list("pods", { namespace, selector })).map(uidOf);
  };
  const before = {
    pods: await podUids(),
    app: await secretData(namespace, "shop-credentials"),
    system: await secretData(namespace, "shop-system"),
  };
  // grown: the StatefulSet's claim template, which cannot change, still has the first size
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2, storage: "20Gi" }));
  await untilReady(platform.kubectl, place, minutes(2));
  const { spec: last } = await untilRecorded(platform.kubectl, place, minutes(1));
  await operator.stop();
  await platform.kubectl("delete", "secrets", "-n", "database-operator-system", "-l", "database.example.com/record");
  operator = await startOperatorProcess({ environment });
  await eventually(async () => {
    // the numbers continue: the history is not among the Secrets
    const { status } = await readDatabase(platform.kubectl, "shop", namespace);
    assert.equal(status.lastChange?.revision, last.revision + 1);
    assert.equal(runsOf(`${namespace}/shop`), 1);
  }, minutes(2));
  await untilReady(platform.kubectl, place, minutes(2));
  const after = {
    pods: await podUids(),
    app: await secretData(namespace, "shop-credentials"),
    system: await secretData(namespace, "shop-system"),
  };
  assert.deepEqual(after, before);
});

test("a Database whose state was lost before it was deleted goes all the same, and so does what it made", async () => {
  const namespace = await namespaceFor("stateless");
  await platform.kubectl.apply(database("shop", namespace, { replicas: 2, deletionPolicy: "Delete" }));
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  await operator.stop();
  await platform.kubectl("delete", "secret", `state.${namespace}.shop`, "-n", "database-operator-system");
  await platform.kubectl("delete", "database", "shop", "-n", namespace, "--wait=false");
  operator = await startOperatorProcess({ environment });
  await untilGone(platform.kubectl, [namespace, "shop"], minutes(2));
  await eventually(async () => {
    assert.deepEqual(await platform.kubectl.names("statefulset,pod,service,job,pvc,secret,role", namespace), []);
  });
});

test("a restarted operator runs nothing for what is converged", async () => {
  const namespace = await namespaceFor("restarts");
  await platform.kubectl.apply(database("shop", namespace, { replicas: 1 }));
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  assert.equal(await operator.stop(), 0);
  operator = await startOperatorProcess({ environment });
  await eventually(async () => {
    const reconciled = operator.log.filter(
      (line) => line.msg === "reconciled" && line["database"] === `${namespace}/shop`,
    );
    assert.ok(reconciled.length > 0);
    assert.match(await operator.metrics(), /workqueue_depth\{name="look",controller="database"\} 0/);
  }, minutes(1));
  assert.equal(runsOf(`${namespace}/shop`), 0);
});
