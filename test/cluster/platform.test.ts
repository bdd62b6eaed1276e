// What `pulumi up` of the platform promises, with the real CLI, provider and API server; nodes are simulated.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test, { after, before } from "node:test";
import { stringify } from "yaml";
import { roleOf } from "../../components/access";
import { postgresql } from "../../components/engines/postgresql";
import { settingsOf } from "../../components/settings";
import { toolsOnPath } from "../../tools/build/build";
import { startCluster, type Cluster } from "../../tools/cluster/cluster";
import { run } from "../../tools/host/command";
import { localStack, platformEnvironment, projectRoot } from "../../tools/platform/platform";
import { progressTo } from "../../tools/progress";
import { json, startScriptedApi } from "../fakes/scripted-api";
import { database } from "../harness/database";
import { eventually } from "../harness/eventually";
import { MadeStacks } from "../harness/made-stacks";
import { kubectlFor, type Kubectl } from "../harness/kubectl";
import { prometheusKinds } from "../harness/prometheus";
import { rotating } from "../runner/rotating";

const NAMESPACE = "database-operator-system";
const OPERATOR = `system:serviceaccount:${NAMESPACE}:database-operator`;
const catalogue = { postgresql: { "17.6": { image: "docker.io/library/postgresql:17.6" } } };

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
  directory = await mkdtemp(join(tmpdir(), "platform-"));
  const tools = { PATH: [bin, process.env["PATH"]].join(delimiter), KUBECONFIG: cluster.kubeconfig };
  environment = platformEnvironment({ environment: tools, directory });
  kubectl = kubectlFor(tools);
  await pulumi("stack", "init", localStack.name, "--no-select");
});
after(async () => {
  await cluster.stop();
  await Promise.all([stacks.forget(), rm(directory, { recursive: true, force: true })]);
});

const pulumi = (...args: string[]): Promise<string> =>
  run("pulumi", [...args, "--non-interactive"], { cwd: projectRoot, env: environment });
const stacks = new MadeStacks(pulumi);

/** Runs the platform's program with a configuration of its own; returns what Pulumi printed. */
async function platform(
  command: "up" | "destroy",
  settings: Record<string, unknown> = {},
  stack: string = localStack.name,
): Promise<string> {
  const file = join(directory, "stack.yaml");
  const config = Object.entries({ catalogue, ...settings }).map(([key, value]) => [`database-operator:${key}`, value]);
  await writeFile(file, stringify({ config: Object.fromEntries(config) as unknown }));
  return pulumi(command, "--stack", stack, "--yes", "--skip-preview", "--suppress-progress", "--config-file", file);
}

test("a first up installs everything, a second one changes nothing", async () => {
  assert.match(await platform("up"), /\+ \d+ created/);
  assert.match(await platform("up"), /Resources:\n\s+\d+ unchanged/);
  assert.equal(
    await kubectl("get", "crd", "databases.example.com", "-o", "name"),
    "customresourcedefinition.apiextensions.k8s.io/databases.example.com",
  );
});

test("a cluster that is too old is refused, with a message that says what to do, before anything is written to it", async (t) => {
  const old = await startScriptedApi();
  old.on(/^GET \/version/, json({ major: "1", minor: "29", gitVersion: "v1.29.0", platform: "linux/amd64" }));
  const current = environment;
  t.after(async () => {
    environment = current;
    await old.stop();
  });
  environment = { ...current, KUBECONFIG: old.kubeconfig };
  await stacks.make("old");
  await assert.rejects(platform("up", {}, "old"), /Kubernetes 1\.29, and database-operator needs 1\.30 or newer/);
  assert.deepEqual(
    old.asked.filter((request) => !request.startsWith("GET ")),
    [],
  );
});

test("the rules of the custom resource arrive as they were generated", async () => {
  const bad = database("1st", "default");
  await assert.rejects(kubectl.apply(bad), /metadata\.name: .*must begin with a lower-case letter/);
});

const can: Record<string, readonly [allowed: "yes" | "no", ...args: string[]]> = {
  "watch Databases": ["yes", "watch", "databases.example.com"],
  "write their status": ["yes", "patch", "databases.example.com", "--subresource=status"],
  "make Databases, for companions": ["yes", "create", "databases.example.com"],
  "delete Databases": ["no", "delete", "databases.example.com"],
  "watch PostgreSQLClusters": ["yes", "watch", "postgresqlclusters.postgres.example.com"],
  "write the status of SampleDBs": ["yes", "patch", "sampledbs.database.example.com", "--subresource=status"],
  "change SampleDBs": ["no", "patch", "sampledbs.database.example.com"],
  "create StatefulSets anywhere": ["yes", "create", "statefulsets.apps"],
  "make CronJobs": ["yes", "create", "cronjobs.batch"],
  "create pods": ["no", "create", "pods"],
  "open a shell in a pod": ["no", "create", "pods", "--subresource=exec"],
  "change the whole cluster's roles": ["no", "create", "clusterroles.rbac.authorization.k8s.io"],
  "change other custom resources": ["no", "patch", "customresourcedefinitions.apiextensions.k8s.io"],
  "name the authority of its webhook in its own custom resource": [
    "yes",
    "patch",
    "customresourcedefinitions.apiextensions.k8s.io/databases.example.com",
  ],
  "replace it": ["no", "update", "customresourcedefinitions.apiextensions.k8s.io/databases.example.com"],
  "name that authority in its own webhooks": [
    "yes",
    "patch",
    "validatingwebhookconfigurations.admissionregistration.k8s.io/database-operator",
  ],
  "name it in those that say who changed what": [
    "yes",
    "patch",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io/database-operator",
  ],
  "change other webhooks": ["no", "patch", "validatingwebhookconfigurations.admissionregistration.k8s.io"],
  escalate: ["no", "escalate", "roles.rbac.authorization.k8s.io"],
};

for (const [sentence, [allowed, ...args]] of Object.entries(can)) {
  test(`the operator ${allowed === "yes" ? "may" : "may not"} ${sentence}`, async () => {
    const answer = kubectl("auth", "can-i", ...args, "-A", `--as=${OPERATOR}`);
    if (allowed === "yes") assert.equal(await answer, "yes");
    else await assert.rejects(answer, /^CommandError: .*\nno$/m);
  });
}

const tenants: Record<string, readonly [allowed: "yes" | "no", role: string, ...args: string[]]> = {
  "who may view look at Databases": ["yes", "view", "get", "databases.example.com"],
  "who may view read their scale": ["yes", "view", "get", "databases.example.com", "--subresource=scale"],
  "who may view make Databases": ["no", "view", "create", "databases.example.com"],
  "who may edit make Databases": ["yes", "edit", "create", "databases.example.com"],
  "who may edit read Databases": ["yes", "edit", "watch", "databases.example.com"],
  "who may edit scale them": ["yes", "edit", "patch", "databases.example.com", "--subresource=scale"],
  "who may edit write their status": ["no", "edit", "patch", "databases.example.com", "--subresource=status"],
  "who may view look at PostgreSQLClusters": ["yes", "view", "watch", "postgresqlclusters.postgres.example.com"],
  "who may edit make SampleDBs": ["yes", "edit", "create", "sampledbs.database.example.com"],
  "who may edit scale SampleDBs": ["yes", "edit", "patch", "sampledbs.database.example.com", "--subresource=scale"],
  "who may view make SampleDBs": ["no", "view", "create", "sampledbs.database.example.com"],
  "an admin delete Databases": ["yes", "admin", "delete", "databases.example.com"],
};

for (const [sentence, [allowed, role, ...args]] of Object.entries(tenants)) {
  test(`${allowed === "yes" ? "can" : "cannot"}: ${sentence}, in a namespace of theirs and in no other`, async () => {
    const person = `${role}-of-default`;
    const binding = ["create", "rolebinding", person, `--clusterrole=${role}`, `--user=${person}`, "-n", "default"];
    await kubectl(...binding).catch((error: unknown) => {
      assert.match(String(error), /already exists/);
    });
    const may = (namespace: string): Promise<boolean> =>
      kubectl("auth", "can-i", ...args, "-n", namespace, `--as=${person}`).then(
        () => true,
        () => false,
      );
    // the controller manager adds the rules up
    await eventually(async () => {
      assert.equal(await may("default"), allowed === "yes");
    });
    assert.equal(await may(NAMESPACE), false);
    assert.equal(await may("kube-public"), false);
  });
}

test("the operator may hand on the members' Role", async () => {
  const database = settingsOf("my-postgres", {
    namespace: "default",
    engine: "postgresql",
    version: "17.6",
    image: "a",
  });
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", ...roleOf(database, postgresql) };
  const file = join(directory, "role.json");
  await writeFile(file, JSON.stringify(role));
  assert.match(await kubectl("create", "-f", file, `--as=${OPERATOR}`), /created/);
  await writeFile(
    file,
    JSON.stringify({
      ...role,
      metadata: { name: "more", namespace: "default" },
      rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }],
    }),
  );
  await assert.rejects(
    kubectl("create", "-f", file, `--as=${OPERATOR}`),
    /attempting to grant RBAC permissions not currently held/,
  );
});

test("the catalogue is where the operator reads it, and a change of it is an update in place", async () => {
  const read = async (): Promise<unknown> =>
    JSON.parse(
      await kubectl(
        "get",
        "configmap",
        "database-operator-catalogue",
        "-n",
        NAMESPACE,
        "-o",
        "jsonpath={.data.catalogue\\.json}",
      ),
    );
  assert.deepEqual(await read(), catalogue);
  const more = { postgresql: { ...catalogue.postgresql, "17.7": { image: "b" } } };
  assert.match(await platform("up", { catalogue: more }), /~ 1 updated/);
  assert.deepEqual(await read(), more);
});

const deployed = { image: "registry.example.com/database-operator:1" };
const observed = { ...deployed, monitoring: { enabled: true, labels: { release: "x" } } };

test("given an image the operator is deployed, and its pod is admitted as restricted", async () => {
  assert.match(await platform("up", deployed), /\+ 9 created/);
  const ready = ["-n", NAMESPACE, "-o", "jsonpath={.status.readyReplicas}"];
  assert.equal(await kubectl("get", "deployment", "database-operator", ...ready), "2");
});

test("asked for monitoring, the operator's metrics are found by Prometheus, and alerts and dashboard are there", async () => {
  await kubectl("apply", "--server-side", "-f", prometheusKinds);
  await kubectl("wait", "--for=condition=Established", "-f", prometheusKinds);
  assert.match(await platform("up", observed), /\+ \d+ created/);
  const found = ["-n", NAMESPACE, "-l", "release=x", "-o", "name"];
  assert.equal(
    await kubectl("get", "servicemonitors,prometheusrules", ...found),
    "servicemonitor.monitoring.coreos.com/database-operator\nprometheusrule.monitoring.coreos.com/database-operator",
  );
  const slices = ["-l", "kubernetes.io/service-name=database-operator-metrics", "-o"];
  await eventually(async () => {
    const addresses = await kubectl(
      "get",
      "endpointslices",
      "-n",
      NAMESPACE,
      ...slices,
      "jsonpath={.items[*].endpoints[*].addresses[*]}",
    );
    assert.equal(addresses.split(" ").length, 2);
  });
  const dashboards = await kubectl("get", "configmap", "-n", NAMESPACE, "-l", "grafana_dashboard=1", "-o", "name");
  assert.equal(dashboards, "configmap/database-operator-dashboard");
});

/** What another installation would write. */
const claimFor = (installation: string): string[] => [
  ...["annotate", "crd", "databases.example.com", "--overwrite", "--dry-run=server"],
  `database.example.com/installation=${installation}`,
];

rotating(
  "other-stacks",
  () => {
    test("the authority that the operator writes stays through an up, and does not get in the way when the image goes", async () => {
      const crd = "databases.example.com";
      const read = (path: string): Promise<string> =>
        kubectl("get", "crd", crd, "-o", `jsonpath={.spec.conversion${path}}`);
      const caBundle = await kubectl("config", "view", "--raw", "-o", "jsonpath={..certificate-authority-data}");
      const write = async (): Promise<void> => {
        const part = {
          ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: crd } },
          spec: { conversion: { webhook: { clientConfig: { caBundle } } } },
        };
        await kubectl.input(part, "apply", "--server-side", "--field-manager", "database-operator", "-f", "-");
      };
      await write();
      assert.match(await platform("up", observed), /Resources:\n\s+\d+ unchanged/);
      assert.equal(await read(".webhook.clientConfig.caBundle"), caBundle);
      // what came with the image and with monitoring goes with them
      assert.match(await platform("up"), /- 12 deleted/);
      assert.equal(await read(".strategy"), "None");
      await platform("up", deployed);
      await write();
      // as `make install` does it
      const none = { spec: { conversion: { strategy: "None", webhook: null } } };
      await kubectl("patch", "crd", crd, "--type=merge", "-p", JSON.stringify(none));
      const manager = ["--field-manager", "database-operator-platform"];
      await kubectl("apply", "--server-side", "--force-conflicts", ...manager, "-f", join(projectRoot, "infra/crds"));
      assert.equal(await kubectl("get", "crd", crd, "-o", "jsonpath={.spec.versions[*].name}"), "v1");
      await platform("up");
    });

    test("another stack is refused where one is installed, with a message that says what to do, and changes nothing", async () => {
      const stored = (): Promise<string> =>
        kubectl("get", "configmap", "database-operator-catalogue", "-n", NAMESPACE, "-o", "jsonpath={.data}");
      const before = await stored();
      await stacks.make("other");
      // a policy counts some moments after it is created
      await eventually(() => assert.rejects(kubectl(...claimFor(`${NAMESPACE}/other`)), /cannot|takeOver/));
      await assert.rejects(
        platform("up", { catalogue: {} }, "other"),
        /has the installation database-operator-system\/local \(namespace\/stack\).*set database-operator:takeOver to database-operator-system\/local/s,
      );
      assert.equal(await stored(), before);
      assert.match(await platform("up"), /Resources:\n\s+\d+ unchanged/);
    });

    test("another stack takes over where it is told to, and the previous one is refused", async () => {
      await platform("up", { takeOver: `${NAMESPACE}/local` }, "other");
      await assert.rejects(platform("up", { catalogue: {} }), /installation database-operator-system\/other/);
      await platform("up", { takeOver: `${NAMESPACE}/other` });
      await platform("up");
    });
  },
  3,
);

test("destroy keeps what data depends on: custom resource, Databases, namespace and its Secrets", async () => {
  await kubectl.apply(database("kept", "default"));
  await kubectl("create", "secret", "generic", "a-state", "-n", NAMESPACE);
  assert.match(await platform("destroy"), /- \d+ deleted/);
  assert.notEqual(await kubectl.find("database", "kept"), undefined);
  assert.notEqual(await kubectl.find("secret", "a-state", NAMESPACE), undefined);
  assert.equal(await kubectl.find("serviceaccount", "database-operator", NAMESPACE), undefined);
  assert.equal(await kubectl.find("clusterrole", "database-operator"), undefined);
});

test("up adopts them again without a conflict, also where kubectl installed the custom resources meanwhile", async () => {
  await kubectl("apply", "--server-side", "--force-conflicts", "-f", join(projectRoot, "infra/crds"));
  assert.match(await platform("up"), /\+ \d+ created/);
  assert.match(await platform("up"), /Resources:\n\s+\d+ unchanged/);
});
