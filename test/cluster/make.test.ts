// `make install` and `make uninstall` as a person runs them, against a real API server.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { provideTools } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { run } from "../../tools/host/command";
import { projectRoot } from "../../tools/platform/platform";
import { progressTo } from "../../tools/progress";
import { database } from "../harness/database";
import { kubectlFor, type Kubectl } from "../harness/kubectl";

let cluster: Cluster;
let kubectl: Kubectl;
let environment: Record<string, string>;

before(async () => {
  const progress = progressTo((line) => {
    console.error(line);
  });
  const tools = await provideTools(["kubectl"], { progress });
  cluster = await startCluster({ nodes: "simulated", life: "parent", progress });
  const bin = dirname(tools.get("kubectl") ?? "");
  environment = { PATH: [bin, process.env["PATH"]].join(delimiter), KUBECONFIG: cluster.kubeconfig };
  kubectl = kubectlFor(environment);
});
after(async () => {
  await cluster.stop();
});

const make = (...args: string[]): Promise<string> => run("make", args, { cwd: projectRoot, env: environment });

test("install can be repeated, and leaves a cluster that knows Databases", async () => {
  await make("install");
  await make("install");
  assert.match(await kubectl.apply(database("kept", "default")), /created/);
  assert.equal(await kubectl("get", "sampledbs,postgresqlclusters", "-A", "-o", "name"), "");
});

test("preview ends well where something would change, and fails where it is refused", async (t) => {
  const catalogue = JSON.stringify({ postgresql: { "17.6": { image: "postgresql:17.6" } } });
  // in place of the one that `make install` has from `make images`, where that was run
  await kubectl.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "database-operator-catalogue", namespace: "database-operator-system" },
    data: { "catalogue.json": catalogue },
  });
  const directory = await mkdtemp(join(tmpdir(), "make-preview-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "db.json");
  await writeFile(file, JSON.stringify(database("new", "default")));
  assert.match(await make("preview", `FILE=${file}`), /Database default\/new: new/);
  await writeFile(file, JSON.stringify(database("new", "default", { replicas: 0 })));
  await assert.rejects(make("preview", `FILE=${file}`), /Error 2/);
});

test("uninstall refuses while there are Databases, names them, and removes nothing", async () => {
  await assert.rejects(make("uninstall"), /refused: .*\n.*\bkept\b/);
  assert.notEqual(await kubectl.find("database", "kept"), undefined);
});

test("uninstall refuses while there is a companion, names it, and removes nothing", async () => {
  await kubectl("delete", "database", "kept");
  const spec = { version: "17" };
  const metadata = { name: "sampled", namespace: "default" };
  await kubectl.apply({ apiVersion: "database.example.com/v1", kind: "SampleDB", metadata, spec });
  await assert.rejects(make("uninstall"), /refused: .*\nSampleDB +default +sampled/);
  assert.notEqual(await kubectl.find("sampledb", "sampled"), undefined);
});

test("uninstall removes the custom resources once the last object is gone, and keeps the operator's namespace", async () => {
  await kubectl("delete", "sampledb", "sampled");
  assert.match(await make("uninstall"), /kept: namespace database-operator-system/);
  for (const crd of ["databases.example.com", "postgresqlclusters.postgres.example.com"])
    assert.equal(await kubectl.find("crd", crd), undefined);
  assert.notEqual(await kubectl.find("namespace", "database-operator-system"), undefined);
  assert.match(await make("uninstall"), /are not installed/);
});

test("uninstall does not take a cluster that it cannot reach for one without Databases", async () => {
  const nowhere = { ...environment, KUBECONFIG: "/nonexistent" };
  await assert.rejects(run("make", ["uninstall"], { cwd: projectRoot, env: nowhere }), /exit code 2/);
});
