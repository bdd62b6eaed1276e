// Members go where their Database says, and none is restarted for a place that there is not; nodes are simulated, with labels and taints.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { database, messageOf, readDatabase, untilBackedUp, untilReady } from "../harness/database";
import { consistently, eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { runPreview } from "../harness/preview";
import { simulatedCatalogue, startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";

let platform: PlatformCluster;
let operator: OperatorProcess;
/** Both have the label `disk=ssd`, and the first one `home=yes`. */
let nodes: readonly [home: string, other: string];

before(async () => {
  platform = await startPlatformCluster({ nodes: "simulated", catalogue: simulatedCatalogue });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  const [home = "", other = ""] = (await platform.kubectl.list("nodes")).map(({ metadata }) => metadata.name).sort();
  nodes = [home, other];
  await platform.kubectl("label", "node", home, other, "disk=ssd");
  await platform.kubectl("label", "node", home, "home=yes");
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({ nodeName: z.string().optional(), nodeSelector: z.record(z.string(), z.string()).default({}) }),
});
type Pod = z.output<typeof Pod>;

/** Of members, or of all that is there, by name. */
async function podsOf(namespace: string, which: "members" | "all" = "members"): Promise<readonly Pod[]> {
  const pods = z.array(Pod).parse(await platform.kubectl.list("pods", { namespace }));
  const found = which === "all" ? pods : pods.filter(({ metadata }) => /^shop-\d+$/.test(metadata.name));
  return found.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

const nodesOf = (pods: readonly Pod[]): string[] => pods.map(({ spec }) => spec.nodeName ?? "none");
const uidsOf = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.uid);

const shop = (namespace: string, spec: Record<string, unknown>): unknown =>
  database("shop", namespace, { replicas: 2, deletionPolicy: "Delete", ...spec });
const apply = (namespace: string, spec: Record<string, unknown>): Promise<string> =>
  platform.kubectl.apply(shop(namespace, spec));

async function converged(namespace: string, spec: Record<string, unknown>): Promise<void> {
  await apply(namespace, spec);
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(4));
}

/** Members in the order in which the operator restarted them. */
async function evictedIn(namespace: string): Promise<string[]> {
  const { writes = [] } = await platform.witness.observe();
  return writes
    .filter((write) => write.namespace === namespace && write.subresource === "eviction" && write.code < 300)
    .map(({ name }) => name);
}

const selector = { nodeSelector: { home: "yes" } };
const tolerant = { nodeSelector: { disk: "ssd" }, tolerations: [{ key: "dedicated", operator: "Exists" }] };

test("members and Jobs land where the Database says, and carry what it says", async () => {
  const namespace = await makeNamespace(platform.kubectl, "placed");
  const podMetadata = { labels: { team: "data" }, annotations: { note: "orders" } };
  await converged(namespace, { placement: selector, podMetadata });
  await untilBackedUp(platform.kubectl, [namespace, "shop"], minutes(1));
  const pods = await podsOf(namespace, "all");
  assert.ok(pods.length > 2, String(pods.length));
  assert.deepEqual([...new Set(nodesOf(pods))], nodes.slice(0, 1));
  for (const { metadata, spec } of pods) {
    assert.deepEqual(spec.nodeSelector, selector.nodeSelector, metadata.name);
    assert.deepEqual([metadata.labels["team"], metadata.annotations["note"]], ["data", "orders"], metadata.name);
  }
});

test("a taint that is tolerated, and nodes that must differ: members restart one after the other, and part", async () => {
  const namespace = "placed";
  await platform.kubectl("taint", "node", nodes[1], "dedicated=db:NoSchedule");
  const antiAffinity = { type: "Required" };
  await apply(namespace, { placement: { ...tolerant, antiAffinity } });
  await eventually(async () => {
    assert.deepEqual(nodesOf(await podsOf(namespace)).sort(), [...nodes]);
  }, minutes(2));
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(4));
  assert.deepEqual(await evictedIn(namespace), ["shop-1", "shop-0"]);
});

test("a label that no node has: a preview says so, and no member is touched until one has it", async () => {
  const namespace = await makeNamespace(platform.kubectl, "impossible");
  await converged(namespace, {});
  const before = uidsOf(await podsOf(namespace));
  const wanted = { placement: { nodeSelector: { disk: "tape" } } };
  const preview = await runPreview(platform.environment, shop(namespace, wanted));
  assert.match(preview.output, /no node has the label disk=tape: until that changes no member restarts/);
  assert.match(preview.output, /all members restart, one after the other \(another placement\)/);
  await apply(namespace, wanted);
  await eventually(async () => {
    const told = messageOf(await readDatabase(platform.kubectl, "shop", namespace), "Reconciling");
    assert.match(told, /^restarting shop-1: .*not yet: no node has the label disk=tape/);
  });
  await consistently(async () => {
    assert.deepEqual(uidsOf(await podsOf(namespace)), before);
  }, 3000);
  assert.ok((await readDatabase(platform.kubectl, "shop", namespace)).status.ready);
  await apply(namespace, {});
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  assert.deepEqual(uidsOf(await podsOf(namespace)), before);
});

test("a PriorityClass that is not there: a dry run and a preview say so, and no member is touched until it is", async () => {
  const namespace = await makeNamespace(platform.kubectl, "prioritized");
  await converged(namespace, {});
  const before = uidsOf(await podsOf(namespace));
  const wanted = { placement: { priorityClassName: "important" } };
  const preview = await runPreview(platform.environment, shop(namespace, wanted));
  assert.match(preview.output, /there is no PriorityClass important: until that changes no member restarts/);
  await apply(namespace, wanted);
  await eventually(async () => {
    const told = messageOf(await readDatabase(platform.kubectl, "shop", namespace), "Reconciling");
    assert.match(told, /^restarting shop-1: .*not yet: there is no PriorityClass important/);
  });
  await consistently(async () => {
    assert.deepEqual(uidsOf(await podsOf(namespace)), before);
  }, 3000);
  const important = {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "important" },
    value: 1000,
  };
  await platform.kubectl.apply(important);
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(4));
  assert.deepEqual(await evictedIn(namespace), ["shop-1", "shop-0"]);
});

test("more members than places that must differ are refused a restart, with the number that there is", async () => {
  const namespace = "impossible";
  const placement = { ...selector, antiAffinity: { type: "Required" } };
  await apply(namespace, { placement });
  await eventually(async () => {
    const told = messageOf(await readDatabase(platform.kubectl, "shop", namespace), "Reconciling");
    assert.match(told, /not yet: of 2 members only 1 finds a node of its own/);
  });
  assert.deepEqual(await evictedIn(namespace), []);
});

const Service = z.object({
  metadata: z.object({ uid: z.string(), annotations: z.record(z.string(), z.string()) }),
  spec: z.object({
    type: z.string(),
    clusterIP: z.string(),
    externalTrafficPolicy: z.string().optional(),
    loadBalancerSourceRanges: z.array(z.string()).optional(),
  }),
});

test("a Service gets a load balancer and loses it in place, and no member restarts", async () => {
  const namespace = await makeNamespace(platform.kubectl, "outside");
  await converged(namespace, {});
  const before = uidsOf(await podsOf(namespace));
  const service = async (): Promise<z.output<typeof Service>> =>
    Service.parse(await platform.kubectl.find("service", "shop", namespace));
  const former = await service();
  const outside = { type: "LoadBalancer", loadBalancerSourceRanges: ["203.0.113.0/24"], annotations: { note: "a" } };
  await apply(namespace, { services: { readWrite: outside } });
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  const { metadata, spec } = await service();
  assert.deepEqual(
    [spec.type, spec.externalTrafficPolicy, spec.loadBalancerSourceRanges, metadata.annotations["note"]],
    ["LoadBalancer", "Local", ["203.0.113.0/24"], "a"],
  );
  assert.deepEqual([metadata.uid, spec.clusterIP], [former.metadata.uid, former.spec.clusterIP]);
  const policy = JSON.stringify(await platform.kubectl.find("networkpolicy", "shop", namespace));
  assert.match(policy, /"ipBlock":\{"cidr":"203\.0\.113\.0\/24"\}/);
  await apply(namespace, { services: {} });
  await untilReady(platform.kubectl, [namespace, "shop"], minutes(2));
  const after = await service();
  assert.deepEqual([after.spec.type, after.spec.externalTrafficPolicy], ["ClusterIP", undefined]);
  assert.deepEqual([after.metadata.uid, after.spec.clusterIP], [former.metadata.uid, former.spec.clusterIP]);
  assert.deepEqual(uidsOf(await podsOf(namespace)), before);
});
