// The components without the operator: what examples/components shows works as its README says; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { after, before } from "node:test";
import { stringify } from "yaml";
import { toolsOnPath } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { run } from "../../tools/host/command";
import { platformEnvironment, projectRoot } from "../../tools/platform/platform";
import { progressTo } from "../../tools/progress";
import { eventually, minutes } from "../harness/eventually";
import { kubectlFor, readSecret, type Kubectl } from "../harness/kubectl";

const program = join(projectRoot, "examples", "components");
const stack = `test-${process.pid}`;
const roles = ["app", "superuser", "replication", "monitor", "rest"];
const passwords: Record<string, unknown> = Object.fromEntries(roles.map((role) => [`${role}Password`, `${role}-word`]));

let cluster: Cluster;
let directory: string;
let environment: Record<string, string>;
let kubectl: Kubectl;

before(async () => {
  const progress = progressTo((line) => {
    console.error(line);
  });
  const bin = await toolsOnPath({ progress });
  cluster = await startCluster({ nodes: "simulated", life: "parent", progress });
  directory = await mkdtemp(join(tmpdir(), "example-test-"));
  const tools = { PATH: [bin, process.env["PATH"]].join(delimiter), KUBECONFIG: cluster.kubeconfig };
  environment = platformEnvironment({ environment: tools, directory });
  kubectl = kubectlFor(tools);
  await pulumi("stack", "init", stack, "--no-select");
});
after(async () => {
  await cluster.stop();
  await rm(directory, { recursive: true, force: true });
  await rm(join(program, `Pulumi.${stack}.yaml`), { force: true });
});

const pulumi = (...args: string[]): Promise<string> =>
  run("pulumi", [...args, "--non-interactive"], { cwd: program, env: environment });

/** Runs the example with these settings; returns what Pulumi printed. */
async function example(command: "up" | "destroy", settings: Record<string, unknown> = {}): Promise<string> {
  const file = join(directory, "stack.yaml");
  const all = { version: "17.12", image: "i:1", replicas: 1, ...passwords, ...settings };
  const config = Object.entries(all).map(([key, value]) => [`database-without-operator:${key}`, value]);
  await writeFile(file, stringify({ config: Object.fromEntries(config) as unknown }));
  const flags = ["--stack", stack, "--yes", "--skip-preview", "--suppress-progress", "--config-file", file];
  return pulumi(command, ...flags);
}

test("pulumi up makes a database, a second one changes nothing, and a change is an update in place", async () => {
  await example("up");
  await eventually(async () => {
    assert.deepEqual(
      await kubectl.names("pod", "default").then((names) => names.filter((name) => name === "orders-0")),
      ["orders-0"],
    );
  }, minutes(1));
  const { password } = await readSecret(kubectl, "orders-credentials", "default");
  assert.equal(Buffer.from(password ?? "", "base64").toString(), "app-word");
  const again = await example("up");
  assert.match(again, /\d+ unchanged/);
  assert.doesNotMatch(again, /created|updated|replaced|deleted/);
  const changed = await example("up", { replicas: 2, parameters: { work_mem: "8MB" }, storage: "20Gi" });
  assert.match(changed, /updated/);
  assert.doesNotMatch(changed, /replaced/);
});

test("pulumi destroy keeps what holds data", async () => {
  await example("destroy");
  await eventually(async () => {
    assert.deepEqual(await kubectl.names("statefulset,service,pod", "default"), ["kubernetes"]);
  }, minutes(1));
  assert.deepEqual(await kubectl.names("pvc", "default"), ["data-orders-0", "data-orders-1", "orders-backup"]);
  assert.deepEqual(await kubectl.names("secret", "default"), ["orders-credentials", "orders-system"]);
});
