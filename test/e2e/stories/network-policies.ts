// NetworkPolicies of Databases and of the operator, enforced on a real node: who gets through, and who does not.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { z } from "zod";
import { clientLabel } from "../../components/naming";
import { operatorSelector } from "../../infra/metadata";
import { networkPolicyOf } from "../../infra/network";
import { database, untilBackedUp, untilReady } from "../harness/database";
import { enforceNetworkPolicies, type Enforced } from "../harness/enforcer";
import { eventually, minutes } from "../harness/eventually";
import { makeNamespace } from "../harness/kubectl";
import { startOperatorProcess, type OperatorProcess } from "../harness/operator-process";
import { startPlatformCluster, type PlatformCluster } from "../harness/platform-cluster";
import { builtPostgresql } from "../harness/real-postgresql";

let platform: PlatformCluster;
let operator: OperatorProcess;
let enforced: Enforced;
let image: string;

before(async () => {
  platform = await startPlatformCluster({ nodes: "real" });
  operator = await startOperatorProcess({ environment: platform.operatorEnvironment });
  enforced = await enforceNetworkPolicies(platform.cluster.directory, platform.cluster.kubeconfig);
  const built = await builtPostgresql();
  const { version } = built;
  ({ image } = built);
  for (const namespace of ["shop", "elsewhere", "office"]) await makeNamespace(platform.kubectl, namespace);
  await platform.kubectl("label", "namespace", "office", `${clientLabel}=true`);
  await Promise.all([
    platform.kubectl.apply(database("orders", "shop", { version, storage: "2Gi" })),
    startPod("elsewhere", "stranger"),
    startPod("elsewhere", "friend", { [clientLabel]: "true" }),
    startPod("office", "clerk"),
    startPod("shop", "neighbour"),
  ]);
});
after(async () => {
  await operator.stop();
  await platform.stop();
});

/** Starts a pod that serves nothing on ports 8080 and 8081, and from which connections can be tried; returns when it is Ready. */
async function startPod(namespace: string, name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  const server = (port: number): unknown => ({
    ...{ name: `port-${port}`, image, command: ["python3", "-m", "http.server", "--directory", "/tmp", String(port)] },
    readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
  });
  const spec = { terminationGracePeriodSeconds: 0, containers: [server(8080), server(8081)] };
  await platform.kubectl.apply({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace, labels }, spec });
  await platform.kubectl("wait", "--for=condition=Ready", `pod/${name}`, "-n", namespace, "--timeout=120s");
}

const dial = `
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 3).close()
    print("open")
except TimeoutError:
    print("dropped")
`;

/** What becomes of a connection from a pod. */
async function connect([namespace, pod]: readonly [string, string], host: string, port: number): Promise<string> {
  const args = ["-c", "port-8080", "--", "python3", "-c", dial, host, String(port)];
  return (await platform.kubectl("exec", "-n", namespace, pod, ...args)).trim();
}

const addressOf = (namespace: string, pod: string): Promise<string> =>
  platform.kubectl("get", "pod", pod, "-n", namespace, "-o", "jsonpath={.status.podIP}");

const stranger = ["elsewhere", "stranger"] as const;

test("members replicate, and Jobs initialize and back up, while policies are enforced", async () => {
  await untilReady(platform.kubectl, ["shop", "orders"], minutes(4));
  await untilBackedUp(platform.kubectl, ["shop", "orders"], minutes(3));
  const args = ["-n", "shop", "orders-0", "-c", "postgresql", "--", "patronictl", "list", "--format", "json"];
  const Members = z.array(z.object({ State: z.string() }));
  // a replica that has just come up is "running" until its first message from the primary
  await eventually(async () => {
    const states = Members.parse(JSON.parse(await platform.kubectl("exec", ...args))).map(({ State }) => State);
    assert.deepEqual(states.sort(), ["running", "streaming", "streaming"]);
  });
});

const clients: Readonly<Record<string, { from: readonly [string, string]; is: "open" | "dropped" }>> = {
  "a pod of the same namespace": { from: ["shop", "neighbour"], is: "open" },
  "a pod with the client label": { from: ["elsewhere", "friend"], is: "open" },
  "a pod of a namespace with the client label": { from: ["office", "clerk"], is: "open" },
  "any other pod": { from: stranger, is: "dropped" },
};

for (const [who, { from, is }] of Object.entries(clients)) {
  test(`the port of clients is ${is} to ${who}`, async () => {
    assert.equal(await connect(from, "orders.shop.svc", 5432), is);
    assert.equal(await connect(from, await addressOf("shop", "orders-0"), 5432), is);
  });
}

test("metrics are open to all, and the port on which members speak to each other to none but them", async () => {
  const member = await addressOf("shop", "orders-0");
  assert.equal(await connect(stranger, member, 9187), "open");
  assert.equal(await connect(stranger, member, 8008), "dropped");
  assert.equal(await connect(["shop", "neighbour"], member, 8008), "dropped");
});

test("the operator is asked for metrics by all and for nothing else, and reaches the API server and no database", async () => {
  const namespace = await makeNamespace(platform.kubectl, "operators");
  const { address, port } = enforced.apiServer;
  // stands in for the operator's pod: what counts for a policy are its labels
  await startPod(namespace, "operator", operatorSelector);
  const operatorsPod = [namespace, "operator"] as const;
  const [itself, member] = [await addressOf(namespace, "operator"), await addressOf("shop", "orders-0")];
  assert.equal(await connect(stranger, itself, 8081), "open");
  assert.equal(await connect(operatorsPod, member, 9187), "open");
  const policy = networkPolicyOf({ namespace, apiServerPorts: [port] });
  await platform.kubectl.apply({ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", ...policy });
  await eventually(async () => {
    assert.equal(await connect(stranger, itself, 8081), "dropped");
  });
  assert.equal(await connect(stranger, itself, 8080), "open");
  assert.equal(await connect(operatorsPod, address, port), "open");
  assert.equal(await connect(operatorsPod, member, 9187), "dropped");
});
