// The embedded cluster keeps its promises: clusters live side by side, behave like Kubernetes, and leave nothing behind.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { after, before, suite } from "node:test";
import { z } from "zod";
import { type KubernetesApi, openApi } from "../../tools/cluster/api";
import { type Cluster, startCluster } from "../../tools/cluster/cluster";
import { listClusters } from "../../tools/cluster/list";
import { openProcesses } from "../../tools/cluster/processes";
import { layoutOf } from "../../tools/cluster/layout";
import { run } from "../../tools/host/command";
import { waitFor } from "../../tools/host/wait";

const PARENT = join(__dirname, "embedded-cluster-parent.ts");
const STAGE = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: answer}
spec:
  resourceRef: {apiGroup: v1, kind: ConfigMap}
  selector:
    matchLabels: {stage: ready}
    matchExpressions: [{key: .data.answer, operator: DoesNotExist}]
  next:
    patches:
    - root: data
      type: merge
      template: "answer: {{ .metadata.name }} says go"
`;
let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "embedded-cluster-"));
});
after(async () => {
  await rm(root, { recursive: true, force: true });
});

suite("two simulated clusters at once", () => {
  let clusters: Cluster[] = [];
  let api: KubernetesApi;

  before(async () => {
    const stage = join(root, "stage.yaml");
    await writeFile(stage, STAGE);
    const start = (name: string): Promise<Cluster> =>
      startCluster({ name, root, nodes: "simulated", life: "parent", simulated: { stages: [stage] } });
    clusters = await Promise.all([start("one"), start("two")]);
    api = await openApi(first().kubeconfig);
  });
  after(async () => {
    api.close();
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  });

  function first(): Cluster {
    assert(clusters[0]);
    return clusters[0];
  }

  test("each has its own API server, and nodes that are Ready", async () => {
    assert.equal(new Set(clusters.map((cluster) => cluster.apiServer)).size, 2);
    for (const cluster of clusters) {
      const own = await openApi(cluster.kubeconfig);
      assert.deepEqual(await readyNodes(own), ["simulated-0", "simulated-1"]);
      own.close();
    }
  });

  test("what is made in one is not in the other", async () => {
    await api.request("POST", "/api/v1/namespaces", { metadata: { name: "only-here" } });
    const other = await openApi(clusters[1]?.kubeconfig ?? "");
    assert((await namesIn(api, "/api/v1/namespaces")).includes("only-here"));
    assert(!(await namesIn(other, "/api/v1/namespaces")).includes("only-here"));
    other.close();
  });

  test("a database's pods run on bound claims, and the first one leads", async () => {
    await api.request("POST", "/apis/apps/v1/namespaces/default/statefulsets", statefulSet("postgres", 3));
    const pods = await eventually("three running pods with roles", async () => {
      const { items } = Pods.parse(
        await api.request("GET", "/api/v1/namespaces/default/pods?labelSelector=app=database"),
      );
      const roles = items.map(({ metadata, status }) => `${metadata.name} ${status.phase} ${metadata.labels["role"]}`);
      return roles.every((text) => /Running (primary|replica)$/.test(text)) && roles.length === 3 ? roles : undefined;
    });
    assert.deepEqual(pods.sort(), [
      "postgres-0 Running primary",
      "postgres-1 Running replica",
      "postgres-2 Running replica",
    ]);
    const claim = Claim.parse(
      await api.request("GET", "/api/v1/namespaces/default/persistentvolumeclaims/data-postgres-0"),
    );
    assert.deepEqual(claim.status, { phase: "Bound", capacity: { storage: "1Gi" } });
  });

  test("kwok ends no pod that was not deleted, though its request may be about a previous one of its name", async () => {
    const kwok = await openApi(join(layoutOf(first().directory).kubeconfigs, "kwok"));
    const path = "/api/v1/namespaces/default/pods/postgres-1";
    const before = await uidOf(api, path);
    await eventually("the rule to be in force", () =>
      kwok.request("DELETE", `${path}?dryRun=All`).then(
        () => undefined,
        (refused: unknown) => (String(refused).includes("this pod is not being deleted") ? true : undefined),
      ),
    );
    kwok.close();
    assert.equal(await uidOf(api, path), before);
    await api.request("DELETE", path);
    await anotherIn(api, path, before);
  });

  test("an evicted pod takes a moment to end, so that its successor is not mistaken for it", async () => {
    const path = "/api/v1/namespaces/default/pods/postgres-1";
    const before = await uidOf(api, path);
    const begun = performance.now();
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "postgres-1" } };
    await api.request("POST", `${path}/eviction`, eviction);
    await anotherIn(api, path, before);
    assert(performance.now() - begun >= 1000);
  });

  test("a bound claim grows", async () => {
    const path = "/api/v1/namespaces/default/persistentvolumeclaims/data-postgres-0";
    await api.request("PATCH", path, { spec: { resources: { requests: { storage: "5Gi" } } } });
    await eventually("a claim of 5Gi", async () => {
      const { status } = Claim.parse(await api.request("GET", path));
      return status.capacity?.storage === "5Gi" ? true : undefined;
    });
  });

  test("a job completes", async () => {
    const path = "/apis/batch/v1/namespaces/default/jobs";
    await api.request("POST", path, { metadata: { name: "init" }, spec: { template: podTemplate("init", "Never") } });
    await eventually("a completed job", async () => {
      const job = z.object({ status: z.object({ succeeded: z.number().optional() }) });
      return job.parse(await api.request("GET", `${path}/init`)).status.succeeded;
    });
  });

  test("a test's own stage makes things happen to objects", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    await api.request("POST", path, { metadata: { name: "staged", labels: { stage: "ready" } } });
    const config = z.object({ data: z.object({ answer: z.string() }).optional() });
    const answer = await eventually("the stage", async () => {
      return config.parse(await api.request("GET", `${path}/staged`)).data?.answer;
    });
    assert.equal(answer, "staged says go");
  });

  test("every request is in the audit log, with who made it", async () => {
    await api.request("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "audited" } });
    const event = await eventually("an audit event", async () => {
      const lines = (await readFile(first().auditLog, "utf8")).split("\n");
      return lines.find((line) => line.includes('"name":"audited"'));
    });
    const { user, verb, stage } = AuditEvent.parse(JSON.parse(event));
    assert.deepEqual(
      { user: user.username, verb, stage },
      { user: "admin", verb: "create", stage: "ResponseComplete" },
    );
  });

  test("starting a running cluster again changes nothing, and one with a dead process is completed", async () => {
    const again = { name: "one", root, nodes: "simulated", life: "parent" } as const;
    assert.equal((await startCluster(again)).wasRunning, true);
    await openProcesses(layoutOf(first().directory)).stop("kube-scheduler");
    assert.equal((await listClusters(root))[0]?.state, "partly");
    const completed = await startCluster(again);
    assert.equal(completed.wasRunning, false);
    assert.equal((await listClusters(root))[0]?.state, "running");
    assert((await namesIn(api, "/api/v1/namespaces")).includes("only-here"));
  });

  test("a cluster does not change the kind of its nodes", async () => {
    await assert.rejects(startCluster({ name: "one", root, nodes: "real" }), /has simulated nodes; end it first/);
  });

  test("a stopped cluster leaves no process, volume or file behind", async () => {
    const stopped = first();
    assert((await processesOf(stopped.directory)).length >= 5);
    const volumes = await volumesOf(api);
    assert(volumes.length > 0 && volumes.every((path) => existsSync(path)));
    await stopped.stop();
    assert.deepEqual(await processesOf(stopped.directory), []);
    assert.deepEqual(volumes.filter((path) => existsSync(path)), []); // prettier-ignore
    assert.deepEqual((await readdir(root)).sort(), ["stage.yaml", "two"]);
  });
});

suite("a cluster tied to its parent", () => {
  test("ends with a parent that is killed", async () => {
    const parent = startParent("orphan");
    const directory = await parent.firstLine;
    assert.equal((await listClusters(root)).find(({ name }) => name === "orphan")?.state, "running");
    parent.process.kill("SIGKILL");
    await leavesNothing(directory);
  });

  test("ends with a parent that is killed while the cluster starts", async () => {
    const parent = startParent("unborn");
    const directory = join(root, "unborn");
    const etcd = openProcesses(layoutOf(directory));
    await eventually("etcd", () => Promise.resolve(etcd.isRunning("etcd") ? true : undefined));
    parent.process.kill("SIGKILL");
    await leavesNothing(directory);
  });

  test("is given up when its start is aborted", async () => {
    const controller = new AbortController();
    const started = startCluster({ name: "aborted", root, nodes: "simulated", signal: controller.signal });
    const directory = join(root, "aborted");
    const etcd = openProcesses(layoutOf(directory));
    await eventually("etcd", () => Promise.resolve(etcd.isRunning("etcd") ? true : undefined));
    controller.abort(new Error("changed my mind"));
    await assert.rejects(started, /changed my mind/);
    await leavesNothing(directory);
  });
});

function startParent(name: string): { process: ChildProcess; firstLine: Promise<string> } {
  const child = spawn(process.execPath, ["--import", "tsx", PARENT, root, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", () => {
      reject(new Error("the parent ended before its cluster was up"));
    });
  });
  // the test that kills its parent early does not wait for the line
  firstLine.catch(() => undefined);
  return { process: child, firstLine };
}

async function leavesNothing(directory: string): Promise<void> {
  await eventually(`nothing left of ${directory}`, async () => {
    const left = await processesOf(directory);
    return left.length === 0 && !existsSync(directory) ? true : undefined;
  });
}

/** Command lines of all processes that name the directory. */
async function processesOf(directory: string): Promise<string[]> {
  const lines = await run("ps", ["-ww", "-eo", "args="]);
  return lines.split("\n").filter((line) => line.includes(`${directory}/`));
}

const Identified = z.object({ metadata: z.object({ uid: z.string() }) });
const Named = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
const Nodes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
    }),
  ),
});
const Pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      status: z.object({ phase: z.string() }),
    }),
  ),
});
const Claim = z.object({
  status: z.object({ phase: z.string(), capacity: z.object({ storage: z.string() }).optional() }),
});
const Volumes = z.object({
  items: z.array(z.object({ spec: z.object({ hostPath: z.object({ path: z.string() }) }) })),
});
const AuditEvent = z.object({ user: z.object({ username: z.string() }), verb: z.string(), stage: z.string() });

async function uidOf(api: KubernetesApi, path: string): Promise<string | undefined> {
  const object = await api.request("GET", path).catch(() => undefined);
  return Identified.safeParse(object).data?.metadata.uid;
}

/** Resolves once an object is at `path` that is not the one of this UID. */
async function anotherIn(api: KubernetesApi, path: string, uid: string | undefined): Promise<void> {
  await eventually(`another object at ${path}`, async () => {
    const now = await uidOf(api, path);
    return now !== undefined && now !== uid ? true : undefined;
  });
}

async function namesIn(api: KubernetesApi, path: string): Promise<string[]> {
  return Named.parse(await api.request("GET", path)).items.map(({ metadata }) => metadata.name);
}

async function readyNodes(api: KubernetesApi): Promise<string[]> {
  const { items } = Nodes.parse(await api.request("GET", "/api/v1/nodes"));
  const isReady = ({ status }: (typeof items)[number]): boolean =>
    status.conditions.some((condition) => condition.type === "Ready" && condition.status === "True");
  return items.filter(isReady).map(({ metadata }) => metadata.name);
}

async function volumesOf(api: KubernetesApi): Promise<string[]> {
  const { items } = Volumes.parse(await api.request("GET", "/api/v1/persistentvolumes"));
  return items.map(({ spec }) => spec.hostPath.path);
}

async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  return await waitFor(look, { what, timeoutSeconds: 30 });
}

function podTemplate(name: string, restartPolicy: "Always" | "Never", volumes: readonly string[] = []): object {
  const volumeMounts = volumes.map((volume) => ({ name: volume, mountPath: `/${volume}` }));
  return {
    metadata: { labels: { app: "database", database: name } },
    spec: { restartPolicy, containers: [{ name: "main", image: "none", volumeMounts }] },
  };
}

function statefulSet(name: string, replicas: number): object {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  return {
    metadata: { name },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: { app: "database", database: name } },
      template: podTemplate(name, "Always", ["data"]),
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec }],
    },
  };
}
