// A real node keeps its promises: containers, names, Services, volumes that fill up and grow, and nothing left behind.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import test, { after, before, suite } from "node:test";
import { z } from "zod";
import { toolsOnPath } from "../../tools/build/build";
import { type Cluster, startCluster } from "../../tools/cluster/cluster";
import { cgroupRoot } from "../../tools/cluster/nodes/real/cgroups";
import { findNetwork, type Network } from "../../tools/cluster/nodes/real/network";
import { openNodeImages, realNodes } from "../../tools/cluster/nodes/real/real-nodes";
import { attachedDevices } from "../../tools/cluster/volumes/loop/loop-device";
import { run } from "../../tools/host/command";
import { buildImages } from "../../tools/images/build";
import { loadImages } from "../../tools/images/load";
import { progressTo } from "../../tools/progress";
import { eventually } from "../harness/eventually";
import { type Kubectl, kubectlFor } from "../harness/kubectl";
import { rotating } from "../runner/rotating";

const progress = progressTo((line) => {
  console.error(line);
});

const aRealNode = (): void => {
  let root: string;
  let cluster: Cluster;
  let kubectl: Kubectl;
  let network: Network;
  let environment: Record<string, string>;
  let machineBefore: string;

  before(async () => {
    assert.equal(await realNodes.obstacle(), undefined, "real nodes must be able to run here");
    machineBefore = await machineSettings();
    root = await mkdtemp(join(tmpdir(), "real-node-"));
    cluster = await startCluster({ name: "first", root, nodes: "real", life: "parent", progress });
    const found = await findNetwork(cluster.directory);
    assert(found);
    network = found;
    const bin = await toolsOnPath({ progress });
    environment = { KUBECONFIG: cluster.kubeconfig, PATH: [bin, process.env["PATH"] ?? ""].join(delimiter) };
    kubectl = kubectlFor(environment);
    // it has the shell and the Python that the pod needs
    const [built] = await progress.step("image", (log) => buildImages({ log, only: ["postgresql"] }));
    assert(built);
    const node = await openNodeImages(cluster.directory);
    await progress.step("loading the image", (log) => loadImages(node, [built], log));
    for (const object of webObjects(built.image)) await kubectl.apply(object);
    await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=120s").catch(async (cause: unknown) => {
      const seen = await kubectl("describe", "pod/web", "pvc/web");
      throw new Error(`pod/web is not Ready:\n${seen}`, { cause });
    });
  });

  after(async () => {
    await cluster.stop();
    await rm(root, { recursive: true, force: true });
  });

  test("is Ready, and runs containers whose output can be read and in which commands can be run", async () => {
    assert.match(await kubectl("get", "nodes"), /node-1 +Ready/);
    await eventually(async () => {
      assert.match(await kubectl("logs", "web"), /serving on 8000/);
    });
    assert.equal(await kubectl("exec", "web", "--", "id", "-u"), "999");
  });

  test("pods find Services by name and reach them, the API server among them", async () => {
    await eventually(async () => {
      assert.equal(await python("print(urllib.request.urlopen('http://site.default.svc', timeout=5).status)"), "200");
    });
    const version = "urllib.request.urlopen('https://kubernetes.default.svc/version', context=context, timeout=5)";
    assert.equal(await python(`print(json.load(${version})['major'])`), "1");
  });

  test("a name that does not exist, and an address outside, are refused at once", async () => {
    const seconds = await python(
      "began = time.time()",
      "try: socket.getaddrinfo('example.com', 80)",
      "except socket.gaierror as error: assert error.errno == socket.EAI_NONAME, error",
      "else: raise AssertionError('example.com exists')",
      "try: socket.create_connection(('192.0.2.1', 80), 5)",
      "except OSError as error: assert not isinstance(error, TimeoutError), 'no answer'",
      "print(time.time() - began)",
    );
    // a resolver that gets no answer waits for five seconds before it asks again, and the connection would
    assert.ok(Number(seconds) < 5, `it took ${seconds} s`);
  });

  test("this machine reaches Services and pods by their addresses, and pods by port-forward", async () => {
    const service = Service.parse(await kubectl.find("service", "site")).spec.clusterIP;
    const pod = Pod.parse(await kubectl.find("pod", "web")).status.podIP;
    for (const url of [`http://${service}`, `http://${pod}:8000`]) assert.equal(await statusOf(url), 200, url);
    const forward = spawn("kubectl", ["port-forward", "pod/web", ":8000"], { env: { ...process.env, ...environment } });
    try {
      const [line] = z.tuple([z.string()]).parse(await once(createInterface({ input: forward.stdout }), "line"));
      const port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      assert.equal(await statusOf(`http://127.0.0.1:${port}`), 200);
    } finally {
      forward.kill();
    }
  });

  test("a volume belongs to the pod's group, fills up, grows while it is in use, and goes with its claim", async () => {
    assert.deepEqual(await kubectl("exec", "web", "--", "stat", "-c", "%g", "/data"), "999");
    assert.equal(await kubectl("exec", "web", "--", "ls", "-A", "/data"), "");
    const fill = kubectl("exec", "web", "--", "dd", "if=/dev/zero", "of=/data/full", "bs=1M", "count=400");
    await assert.rejects(fill, /No space left on device/);
    const request = { spec: { resources: { requests: { storage: "600Mi" } } } };
    await kubectl("patch", "pvc", "web", "--patch", JSON.stringify(request));
    await eventually(async () => {
      assert.match(JSON.stringify(await kubectl.find("pvc", "web")), /"capacity":\{"storage":"600Mi"\}/);
    });
    await kubectl("exec", "web", "--", "dd", "if=/dev/zero", "of=/data/more", "bs=1M", "count=200");
    await kubectl.apply(claim("other", "1Gi"));
    // what the scheduler says for a claim's first pod
    await kubectl("annotate", "pvc", "other", "volume.kubernetes.io/selected-node=node-1");
    await eventually(async () => {
      assert.equal(await kubectl("get", "pvc", "other", "-o", "jsonpath={.status.phase}"), "Bound");
    });
    assert.equal((await attachedDevices(cluster.directory)).length, 2);
    await kubectl("delete", "pvc", "other");
    await eventually(async () => {
      assert.equal((await attachedDevices(cluster.directory)).length, 1);
      assert.equal((await kubectl.list("pv")).length, 1);
    });
  });

  test("a second real cluster runs beside it, with addresses of its own", async () => {
    const second = await startCluster({ name: "second", root, nodes: "real", life: "parent", progress });
    try {
      const other = await findNetwork(second.directory);
      assert(other);
      assert.notEqual(other.podCidr, network.podCidr);
      assert.match(await kubectl("get", "nodes"), /node-1 +Ready/);
      assert.equal(await kubectl("exec", "web", "--", "id", "-u"), "999");
    } finally {
      await second.stop();
    }
    assert.deepEqual(await leftovers(second.directory), []);
  });

  test("a node that was killed comes back with the same address range and its volumes as they were", async () => {
    await kubectl("exec", "web", "--", "sh", "-c", "rm /data/*; echo kept > /data/note; sync");
    process.kill(await firstProcess(cluster.directory), "SIGKILL");
    await eventually(async () => {
      assert.deepEqual(await attachedDevices(cluster.directory), [], "mounts end with the node");
    });
    const again = await startCluster({ name: "first", root, nodes: "real", life: "parent", progress });
    assert.equal(again.wasRunning, false);
    assert.deepEqual(await findNetwork(cluster.directory), network);
    await eventually(
      async () => {
        assert.equal(await kubectl("exec", "web", "--", "cat", "/data/note"), "kept");
        assert.equal(await python("print(urllib.request.urlopen('http://site.default.svc', timeout=5).status)"), "200");
      },
      { withinMs: 90_000 },
    );
  });

  test("ending the cluster leaves no process, mount, device, rule, control group or file, and no setting changed", async () => {
    const namespaces = await namespacesOf(await firstProcess(cluster.directory));
    assert.notDeepEqual(await leftovers(cluster.directory, network), [], "there is something to leave behind");
    assert.notDeepEqual(await processesIn(namespaces), []);
    await cluster.stop();
    assert.deepEqual(await leftovers(cluster.directory, network), []);
    assert.deepEqual(await processesIn(namespaces), []);
    assert.equal(await machineSettings(), machineBefore);
  });

  async function python(...lines: string[]): Promise<string> {
    const authority = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
    const program = [
      "import json, socket, ssl, time, urllib.request",
      `context = ssl.create_default_context(cafile='${authority}')`,
      ...lines,
    ].join("\n");
    return await kubectl("exec", "web", "--", "python3", "-c", program);
  }
};

rotating("real-node", () => suite("a real node", { timeout: 600_000 }, aRealNode), 8);

function claim(name: string, storage = "300Mi"): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  };
}

/** A pod that serves HTTP with a volume, and a Service for it. */
function webObjects(image: string): object[] {
  const server = "echo serving on 8000; exec python3 -m http.server 8000 --directory /tmp";
  return [
    claim("web"),
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        securityContext: { runAsNonRoot: true, runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
        containers: [
          { name: "web", image, command: ["sh", "-c", server], volumeMounts: [{ name: "data", mountPath: "/data" }] },
        ],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "web" } }],
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "site" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8000 }] },
    },
  ];
}

const Service = z.object({ spec: z.object({ clusterIP: z.string() }) });
const Pod = z.object({ status: z.object({ podIP: z.string() }) });

async function statusOf(url: string): Promise<number> {
  return (await fetch(url, { signal: AbortSignal.timeout(5000) })).status;
}

async function firstProcess(directory: string): Promise<number> {
  return Number(await readFile(join(directory, "nodes", "sandbox.pid"), "utf8"));
}

async function namespacesOf(pid: number): Promise<string[]> {
  return await Promise.all(["pid", "mnt", "net"].map((kind) => readlink(`/proc/${pid}/ns/${kind}`)));
}

/** Processes of this machine that live in any of these namespaces. */
async function processesIn(namespaces: readonly string[]): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const inside = await Promise.all(
    pids.map(async (pid) => (await namespacesOf(pid).catch(() => [])).some((own) => namespaces.includes(own))),
  );
  return pids.filter((_, index) => inside[index]);
}

/** What there is on this machine of the cluster in `directory`. */
async function leftovers(directory: string, network?: Network): Promise<string[]> {
  const left = await attachedDevices(directory);
  if (existsSync(directory)) left.push(directory);
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").filter((line) => line.includes(directory));
  const found = await findNetwork(directory);
  if (found) left.push(found.link);
  if (network) {
    const routes = (await run("ip", ["route", "show", network.podCidr])).split("\n").filter(Boolean);
    const group = cgroupRoot(network.link);
    const groups = ["", ...(await readdir("/sys/fs/cgroup"))].map((name) => join("/sys/fs/cgroup", name, group));
    left.push(...routes, ...groups.filter((path) => existsSync(path)));
  }
  const carriers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of carriers) {
    const environ = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    // a watchdog of this very process goes last
    const own = environ.includes(`=${directory}\0`) || command.includes(`${directory}/`);
    if (own && Number(pid) !== process.pid) left.push(`process ${pid}: ${command.replaceAll("\0", " ")}`);
  }
  return [...left, ...mounts];
}

/** Settings of this machine that kubelets, proxies and container runtimes like to change, and its packet filter's tables. */
async function machineSettings(): Promise<string> {
  const names = ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops", "net/ipv4/ip_forward"];
  const settings = await Promise.all(names.map((name) => readFile(`/proc/sys/${name}`, "utf8")));
  return [...settings, await run("nft", ["list", "tables"])].join("\n");
}
