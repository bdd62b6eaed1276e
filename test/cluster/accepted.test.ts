// What was accepted last is kept up while something else is asked for that cannot be had; real API server, simulated nodes.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { uidOf } from "../drift/children";
import { valueAt } from "../drift/edits";
import {
  assertCondition,
  database,
  readDatabase,
  untilBackedUp,
  untilCondition,
  untilDatabase,
  untilReady,
  type WantedCondition,
} from "../harness/database";
import { minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { runsIn, startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

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
async function converged(namespace: string, spec: Record<string, unknown> = {}): Promise<readonly [string, string]> {
  const place = [namespace, "shop"] as const;
  await platform.kubectl.apply(database("shop", namespace, spec));
  await untilReady(platform.kubectl, place, minutes(2));
  await untilBackedUp(platform.kubectl, place, minutes(1));
  return place;
}

/** Deletes a Service of a Database that is stalled, and waits until the run that restores it is over. */
async function assertPutBack(
  place: readonly [string, string],
  service: string,
  refused: WantedCondition,
): Promise<void> {
  const [namespace, name] = place;
  const former = uidOf(await platform.kubectl.find("service", service, namespace));
  await platform.kubectl("delete", "service", service, "-n", namespace);
  await untilDatabase(platform.kubectl, place, (now) => {
    assert.equal(now.status.lastChange?.summary, `restored: Service ${service}`);
    assertCondition(name, now, refused);
  });
  assert.notEqual(uidOf(await platform.kubectl.find("service", service, namespace)), former);
}

test("a typo in a shared ConfigMap stops what it asks for and nothing else, under a successor too", async () => {
  const namespace = await makeNamespace(platform.kubectl, "refused");
  const tuning = (data: Record<string, string>): Promise<string> =>
    platform.kubectl.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tuning", namespace }, data });
  await tuning({ work_mem: "8MB" });
  const place = await converged(namespace, { configFrom: { name: "tuning" } });
  await tuning({ work_mem: "8MB", port: "1" });
  const refused = { type: "Stalled", status: "True", reason: "ParameterReserved" };
  await untilCondition(platform.kubectl, place, refused);
  await assertPutBack(place, "shop-ro", refused);
  await operator.stop();
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  await assertPutBack(place, "shop", refused);
  assert.equal(runsIn(operator, `${namespace}/shop`), 1, "for the Service, and nothing else");
  const { lastChange } = (await readDatabase(platform.kubectl, "shop", namespace)).status;
  await tuning({ work_mem: "8MB" });
  await untilReady(platform.kubectl, place, minutes(1));
  assert.deepEqual((await readDatabase(platform.kubectl, "shop", namespace)).status.lastChange, lastChange);
});

test("a volume that an autoresizer grew stays as it is, and the other children are restored", async () => {
  const namespace = await makeNamespace(platform.kubectl, "grown");
  const place = await converged(namespace);
  const larger = JSON.stringify({ spec: { resources: { requests: { storage: "20Gi" } } } });
  await platform.kubectl("patch", "pvc", "data-shop-1", "-n", namespace, "-p", larger);
  const grown = { type: "Stalled", status: "True", reason: "VolumeGrown" };
  await untilCondition(platform.kubectl, place, grown);
  await assertPutBack(place, "shop-ro", grown);
  const claim = await platform.kubectl.find("pvc", "data-shop-1", namespace);
  assert.equal(valueAt(claim, "/spec/resources/requests/storage"), "20Gi");
});
