// NetworkPolicies of Databases and of the operator, enforced on a real node: who gets through, and who does not.
import assert from "node:assert/strict";
import test, { before } from "node:test";
import { z } from "zod";
import { clientLabel } from "../../../components/naming";
import { operatorSelector } from "../../../infra/metadata";
import { networkPolicyOf } from "../../../infra/network";
import { builtVersion } from "../../harness/built-versions";
import { untilBackedUp, untilReady } from "../../harness/database";
import { enforceNetworkPolicies, type Enforced } from "../../harness/enforcer";
import { eventually, minutes } from "../../harness/eventually";
import { makeNamespace } from "../../harness/kubectl";
import { modestDatabase, rotatingStory } from "../story";

const namespace = "network-policies";

/** Where a connection is tried from: a container with Python. */
type From = readonly [namespace: string, pod: string, container: string];

const member = [namespace, "orders-1", "postgresql"] as const;
const neighbor = [namespace, "neighbor", "port-8080"] as const;
const stranger = ["elsewhere", "stranger", "port-8080"] as const;
const friend = ["elsewhere", "friend", "port-8080"] as const;
const clerk = ["office", "clerk", "port-8080"] as const;

/** The port of clients, and who must reach it. */
const clients: Readonly<Record<string, { from: From; is: "open" | "dropped" }>> = {
  "a pod of the same namespace": { from: neighbor, is: "open" },
  "a pod with the client label": { from: friend, is: "open" },
  "a pod of a namespace with the client label": { from: clerk, is: "open" },
  "any other pod": { from: stranger, is: "dropped" },
};

/**
 * Tries a connection, and at the same moment one that nothing forbids: how long that one takes shows how slow this machine is, and so
 * how long the other one must be without an answer to count as dropped.
 */
const dial = `
import socket, sys, threading, time
def connect(host, port):
    try:
        socket.create_connection((host, int(port)), 60).close()
        answers[host, port] = time.monotonic() - began
    except TimeoutError:
        pass
answers, began = {}, time.monotonic()
wanted, free = (sys.argv[1], sys.argv[2]), (sys.argv[3], sys.argv[4])
for target in (wanted, free):
    threading.Thread(target=connect, args=target, daemon=True).start()
while time.monotonic() < began + 60:
    if wanted in answers:
        print("open")
        break
    if free in answers and time.monotonic() - began > 2 + 3 * answers[free]:
        print("dropped")
        break
    time.sleep(0.01)
else:
    sys.exit("not even what nothing forbids is open")
`;

export const networkPolicies = rotatingStory("network-policies", 7, (stage) => {
  let enforced: Enforced;
  let image: string;

  before(async () => {
    const built = builtVersion(stage.platform, "postgresql");
    ({ image } = built);
    enforced = await enforceNetworkPolicies(stage.platform.cluster.directory, stage.platform.cluster.kubeconfig);
    for (const other of ["elsewhere", "office"]) await makeNamespace(stage.kubectl, other);
    await stage.kubectl("label", "namespace", "office", `${clientLabel}=true`);
    await Promise.all([
      stage.kubectl.apply(modestDatabase("orders", namespace, { version: built.version, storage: "2Gi" })),
      startPod(stranger),
      startPod(friend, { [clientLabel]: "true" }),
      startPod(clerk),
      startPod(neighbor),
    ]);
  });

  /** Starts a pod that serves nothing on ports 8080 and 8081, and from which connections can be tried; returns when it is Ready. */
  async function startPod([where, name]: From, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const server = (port: number): unknown => ({
      ...{
        name: `port-${port}`,
        image,
        command: ["python3", "-m", "http.server", "--directory", "/tmp", String(port)],
      },
      readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
    });
    const spec = { terminationGracePeriodSeconds: 0, containers: [server(8080), server(8081)] };
    await stage.kubectl.apply({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: where, labels }, spec });
    await stage.kubectl("wait", "--for=condition=Ready", `pod/${name}`, "-n", where, "--timeout=120s");
  }

  /** What becomes of a connection. */
  async function connect([where, pod, container]: From, host: string, port: number): Promise<string> {
    const { address, port: free } = enforced.apiServer;
    const args = ["-c", container, "--", "python3", "-c", dial, host, String(port), address, String(free)];
    return (await stage.kubectl("exec", "-n", where, pod, ...args)).trim();
  }

  const addressOf = ([where, pod]: From): Promise<string> =>
    stage.kubectl("get", "pod", pod, "-n", where, "-o", "jsonpath={.status.podIP}");

  const primary = [namespace, "orders-0", "postgresql"] as const;

  test("members replicate, and Jobs initialize and back up, while policies are enforced", async () => {
    await untilReady(stage.kubectl, [namespace, "orders"], minutes(4));
    await untilBackedUp(stage.kubectl, [namespace, "orders"], minutes(3));
    const args = ["-n", namespace, "orders-0", "-c", "postgresql", "--", "patronictl", "list", "--format", "json"];
    const Members = z.array(z.object({ State: z.string() }));
    // a replica that has just come up is "running" until its first message from the primary
    await eventually(async () => {
      const states = Members.parse(JSON.parse(await stage.kubectl("exec", ...args))).map(({ State }) => State);
      assert.deepEqual(states.sort(), ["running", "streaming", "streaming"]);
    });
  });

  for (const [who, { from, is }] of Object.entries(clients)) {
    test(`the port of clients is ${is} to ${who}`, async () => {
      assert.equal(await connect(from, `orders.${namespace}.svc`, 5432), is);
      assert.equal(await connect(from, await addressOf(primary), 5432), is);
    });
  }

  test("metrics are open to all, and the port on which members talk to each other only to members", async () => {
    const address = await addressOf(primary);
    assert.equal(await connect(stranger, address, 9187), "open");
    assert.equal(await connect(member, address, 8008), "open");
    for (const other of [stranger, neighbor, friend]) assert.equal(await connect(other, address, 8008), "dropped");
  });

  test("the operator serves metrics to all and nothing else, and reaches the API server and no database", async () => {
    const own = await makeNamespace(stage.kubectl, "operators");
    const { address, port } = enforced.apiServer;
    // stands in for the operator's pod: what counts for a policy are its labels
    const operator = [own, "operator", "port-8080"] as const;
    await startPod(operator, operatorSelector);
    const [itself, served] = [await addressOf(operator), await addressOf(primary)];
    assert.equal(await connect(stranger, itself, 8081), "open");
    assert.equal(await connect(operator, served, 9187), "open");
    const policy = networkPolicyOf({ namespace: own, apiServerPorts: [port] });
    await stage.kubectl.apply({ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", ...policy });
    await eventually(async () => {
      assert.equal(await connect(stranger, itself, 8081), "dropped");
    });
    assert.equal(await connect(stranger, itself, 8080), "open");
    assert.equal(await connect(operator, address, port), "open");
    assert.equal(await connect(operator, served, 9187), "dropped");
  });
});
