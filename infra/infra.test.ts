import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { before } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { backupResource, companionResources, databaseResource, revisionResource } from "../contract/resources";
import { availableEngines } from "../components/engines/available";
import { settingsOf as settingsOfDatabase } from "../components/settings";
import { settingsOf } from "./config";
import { CustomResources, readCrds } from "./crds";
import { deploymentOf } from "./deployment";
import { networkPolicyOf } from "./network";
import { Operator } from "./operator";
import { clusterRules } from "./permissions";
import { operatorDeployment } from "../test/fakes/operator-deployment";
import { webhookService } from "../contract/platform";

interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
}

const registered: Registered[] = [];
const root = join(__dirname, "..");
const Labelled = z.object({ metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }) });

before(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.push({ type, name, inputs: z.record(z.string(), z.unknown()).parse(inputs) });
      return { id: name, state: inputs as Record<string, unknown> };
    },
    call: ({ inputs }) => inputs as Record<string, unknown>,
  });
});

/** Everything the platform registers for a configuration, sorted by type and name. */
async function platform(raw: Parameters<typeof settingsOf>[0]): Promise<Registered[]> {
  registered.length = 0;
  const created: pulumi.Resource[] = [];
  const collect: pulumi.ResourceTransformation = ({ resource }) => {
    created.push(resource);
    return undefined;
  };
  const opts = { transformations: [collect] };
  const settings = settingsOf(raw, root);
  const crds = { directory: join(__dirname, "crds"), webhookNamespace: settings.image && settings.namespace };
  const resources = new CustomResources("custom-resources", crds, opts);
  new Operator("operator", settings, { ...opts, dependsOn: [resources] });
  await new Promise((resolve) => pulumi.all(created.map(({ urn }) => urn)).apply(resolve));
  return [...registered].sort((a, b) => `${a.type}${a.name}`.localeCompare(`${b.type}${b.name}`));
}

const kinds = (resources: readonly Registered[]): string[] =>
  resources
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map(({ type, name }) => `${type.split(":").at(-1) ?? ""} ${name}`);

const withoutImage = [
  "CustomResourceDefinition databasebackups.example.com",
  "CustomResourceDefinition databaserevisions.example.com",
  "CustomResourceDefinition databases.example.com",
  ...Object.values(companionResources).map(({ plural, group }) => `CustomResourceDefinition ${plural}.${group}`),
  "ConfigMap database-operator-catalogue",
  "ValidatingAdmissionPolicy database-operator-approvals",
  "ValidatingAdmissionPolicyBinding database-operator-approvals",
  "Namespace database-operator-system",
  "ServiceAccount database-operator",
  "ClusterRole database-operator",
  "ClusterRole database-operator-approve",
  "ClusterRole database-operator-edit",
  "ClusterRole database-operator-view",
  "ClusterRoleBinding database-operator",
  "Role database-operator-leader-election",
  "RoleBinding database-operator-leader-election",
  "Role database-operator-records",
  "RoleBinding database-operator-records",
];

test("without an image the platform is everything but the Deployment", async () => {
  assert.deepEqual(kinds(await platform({})).sort(), [...withoutImage].sort());
});

test("no registered resource contains a path of this machine: from another clone there is nothing to update", async () => {
  const resources = await platform({});
  assert.ok(resources.some(({ type }) => type === "database-operator:index:CustomResources"));
  assert.ok(!JSON.stringify(resources).includes(root));
});

const image = "registry.example.com/operator:1";
const withImage = [
  ...withoutImage,
  "Deployment database-operator",
  "MutatingWebhookConfiguration database-operator",
  "PodDisruptionBudget database-operator",
  "Service database-operator-metrics",
  "Service database-conversion-webhook",
  "ValidatingWebhookConfiguration database-operator",
];

test("with an image the operator is deployed too, behind a NetworkPolicy", async () => {
  assert.deepEqual(kinds(await platform({ image })).sort(), [...withImage, "NetworkPolicy database-operator"].sort());
});

test("the operator's NetworkPolicy can be left out", async () => {
  assert.deepEqual(kinds(await platform({ image, networkPolicy: false })).sort(), [...withImage].sort());
});

test("the NetworkPolicy selects the operator's pods, and opens every port but that of the probes, which come from the node", () => {
  const Ports = z.object({ ports: z.array(z.object({ port: z.number(), protocol: z.string() })) });
  const Policy = z.object({
    spec: z.object({
      podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
      ingress: z.array(Ports),
      egress: z.array(Ports),
    }),
  });
  const { spec } = Policy.parse(networkPolicyOf(settingsOf({ image, apiServerPorts: [7443] }, root)));
  const ports = (rules: z.infer<typeof Ports>[]): number[] =>
    rules.flatMap((rule) => rule.ports.map(({ port }) => port));
  assert.deepEqual(ports(spec.ingress), [8080, 9443]);
  assert.deepEqual(ports(spec.egress), [53, 53, 5353, 5353, 7443]);
  const args = { ...operatorDeployment, image };
  const Template = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) });
  const { labels } = z.object({ spec: z.object({ template: Template }) }).parse(deploymentOf(args)).spec
    .template.metadata;
  for (const [label, value] of Object.entries(spec.podSelector.matchLabels)) assert.equal(labels[label], value);
});

test("with watchNamespaces there is a Role in each, and the operator is told which they are", async () => {
  const found = await platform({ image: "registry.example.com/operator:1", watchNamespaces: ["shop", "bank", "shop"] });
  const roles = ["Role", "RoleBinding"].flatMap((kind) =>
    ["bank", "shop"].map((name) => `${kind} database-operator-in-${name}`),
  );
  assert.deepEqual(
    kinds(found)
      .filter((one) => one.includes("-in-"))
      .sort(),
    roles.sort(),
  );
  const deployment = found.find(({ type }) => type.endsWith(":Deployment"));
  assert.match(JSON.stringify(deployment?.inputs), /"DATABASE_OPERATOR_WATCH_NAMESPACES","value":"bank,shop"/);
  const everywhere = await platform({ image: "registry.example.com/operator:1" });
  assert.ok(!JSON.stringify(everywhere).includes("WATCH_NAMESPACES"));
});

test("asked for monitoring, the operator comes with a ServiceMonitor, alerts and a dashboard", async () => {
  const image = "registry.example.com/operator:1";
  const [plain, observed] = [await platform({ image }), await platform({ image, monitoring: { enabled: true } })];
  const more = kinds(observed).filter((kind) => !kinds(plain).includes(kind));
  assert.deepEqual(more.sort(), [
    "ConfigMap database-operator-dashboard",
    "PrometheusRule database-operator-alerts",
    "ServiceMonitor database-operator",
  ]);
  // without an operator in the cluster there is nothing to observe
  assert.deepEqual(kinds(await platform({ monitoring: { enabled: true } })).sort(), [...withoutImage].sort());
});

const Crd = z.object({
  spec: z.object({
    versions: z.array(z.object({ name: z.string() })),
    conversion: z.object({ webhook: z.object({ clientConfig: z.object({ service: z.looseObject({}) }) }) }).optional(),
  }),
});

test("v1beta1 is served where the API server reaches the operator's webhook, in its namespace, and nowhere else", async () => {
  const served = async (raw: Parameters<typeof settingsOf>[0]): Promise<z.infer<typeof Crd>["spec"]> => {
    const crd = (await platform(raw)).find(({ name }) => name === "databases.example.com");
    return Crd.parse(crd?.inputs).spec;
  };
  const alone = await served({});
  assert.deepEqual(alone, { versions: [{ name: "v1" }] });
  const { versions, conversion } = await served({ image: "a:1", namespace: "databases" });
  assert.deepEqual(versions, [{ name: "v1" }, { name: "v1beta1" }]);
  const service = { namespace: "databases", name: webhookService.name, path: "/convert", port: 443 };
  assert.deepEqual(conversion?.webhook.clientConfig.service, service);
});

test("the platform is the same each time it is declared", async () => {
  const catalogue = { postgresql: { "17.6": { image: "a:1" } } };
  assert.deepEqual(await platform({ catalogue, image: "a:1" }), await platform({ image: "a:1", catalogue }));
});

test("the operator's namespace refuses every pod that is not restricted", async () => {
  const namespace = (await platform({ namespace: "databases" })).find(({ type }) => type.endsWith(":Namespace"));
  const { metadata } = Labelled.parse(namespace?.inputs);
  assert.equal(metadata["name"], "databases");
  assert.equal(metadata.labels["pod-security.kubernetes.io/enforce"], "restricted");
});

test("the catalogue reaches the cluster as JSON", async () => {
  const catalogue = { postgresql: { "17.6": { image: "a:1", limits: { replicas: 1, config: false, tls: false } } } };
  const map = (await platform({ catalogue })).find(({ name }) => name === "database-operator-catalogue");
  const { data } = z.object({ data: z.object({ "catalogue.json": z.string() }) }).parse(map?.inputs);
  assert.deepEqual(JSON.parse(data["catalogue.json"]), catalogue);
});

test("the operator may do nothing by wildcard, and nothing that decides who may do what cluster-wide", () => {
  for (const rule of clusterRules) {
    assert.ok(!JSON.stringify(rule).includes("*"), JSON.stringify(rule));
  }
  const verbs = JSON.stringify(clusterRules);
  for (const word of ["escalate", 'bind"', "impersonate", "clusterroles", "pods/exec", "nodes/"])
    assert.ok(!verbs.includes(word), word);
  const ofNodes = clusterRules.filter(({ resources }) => resources.includes("nodes"));
  const onNodes = ofNodes.map(({ verbs: allowed }) => allowed);
  assert.deepEqual(onNodes, [["list"]]);
});

test("the kinds that the platform gives rights on are those whose custom resources it installs", () => {
  const installed = readCrds(join(__dirname, "crds")).map(({ metadata }) => metadata.name);
  const kinds = [databaseResource, backupResource, revisionResource, ...Object.values(companionResources)];
  assert.deepEqual(installed.sort(), kinds.map(({ group, plural }) => `${plural}.${group}`).sort());
});

const Rules = z.array(
  z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
);

for (const engine of availableEngines) {
  test(`the operator may grant the members' Role of ${engine.name}: it holds all of its rights`, () => {
    const allowed = new Set(triples(Rules.parse(clusterRules)));
    const settings = settingsOfDatabase("orders", { namespace: "a", engine: engine.name, version: "1.0", image: "b" });
    const handedOn = triples(Rules.parse(engine.accessRules(settings)));
    assert.ok(handedOn.length > 0);
    assert.deepEqual(
      handedOn.filter((triple) => !allowed.has(triple)),
      [],
    );
  });
}

function triples(rules: z.infer<typeof Rules>): string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`))),
  );
}

test("the operator's pod runs restricted: no root, no privileges, nothing writable but memory", () => {
  const Pod = z.object({
    securityContext: z.object({
      runAsNonRoot: z.literal(true),
      seccompProfile: z.object({ type: z.literal("RuntimeDefault") }),
    }),
    terminationGracePeriodSeconds: z.literal(120),
    volumes: z.array(z.object({ emptyDir: z.object({ medium: z.literal("Memory") }) })),
    containers: z.array(
      z.object({
        securityContext: z.object({
          allowPrivilegeEscalation: z.literal(false),
          readOnlyRootFilesystem: z.literal(true),
          capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
        }),
      }),
    ),
  });
  const Deployment = z.object({
    spec: z.object({ strategy: z.object({ type: z.literal("RollingUpdate") }), template: z.object({ spec: Pod }) }),
  });
  assert.doesNotThrow(() => Deployment.parse(deploymentOf(operatorDeployment)));
});

test("an operator that starts slowly is left alone for five minutes, and a slow answer of a running one is no death", () => {
  const Probe = z.object({ periodSeconds: z.number(), timeoutSeconds: z.number(), failureThreshold: z.number() });
  const Containers = z.tuple([z.object({ startupProbe: Probe, livenessProbe: Probe })]);
  const Deployment = z.object({
    spec: z.object({ template: z.object({ spec: z.object({ containers: Containers }) }) }),
  });
  const [{ startupProbe: start, livenessProbe: live }] = Deployment.parse(deploymentOf(operatorDeployment)).spec
    .template.spec.containers;
  assert.ok(start.periodSeconds * start.failureThreshold >= 300);
  assert.ok(live.timeoutSeconds >= 10 && live.periodSeconds * live.failureThreshold >= 60);
});

test("a file among the CRDs that is not a CRD is refused", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "crds-"));
  t.after(() => {
    rmSync(directory, { recursive: true });
  });
  writeFileSync(join(directory, "a.yaml"), "kind: ConfigMap\nmetadata: {name: a}\n");
  assert.throws(() => readCrds(directory));
});

const wrong: Record<string, { raw: Parameters<typeof settingsOf>[0]; says: RegExp }> = {
  "an invalid namespace name": {
    raw: { namespace: "My Namespace" },
    says: /database-operator:namespace: is not a valid namespace name/,
  },
  "an invalid name of a watched namespace": {
    raw: { watchNamespaces: ["shop", "*"] },
    says: /database-operator:watchNamespaces\.1: is not a valid namespace name/,
  },
  "watched namespaces in one text": {
    raw: { watchNamespaces: "shop,bank" },
    says: /database-operator:watchNamespaces: .*expected array/,
  },
  "no operator": { raw: { replicas: 0 }, says: /database-operator:replicas: .*>=1/ },
  "an invalid port": { raw: { apiServerPorts: [0] }, says: /database-operator:apiServerPorts/ },
  "an unknown level": { raw: { logLevel: "loud" }, says: /database-operator:logLevel/ },
  "an invalid version": {
    raw: { catalogue: { postgresql: { "17": { image: "a" } } } },
    says: /a version looks like 17.6/,
  },
  "a major upgrade from a version without its minor": {
    raw: { catalogue: { postgresql: { "17.6": { image: "a", upgrade: { image: "b", from: "15" } } } } },
    says: /database-operator:catalogue\.postgresql\.17\.6\.upgrade\.from: a version looks like 17.6/,
  },
  "a major upgrade from its own version": {
    raw: { catalogue: { postgresql: { "17.6": { image: "a", upgrade: { image: "b", from: "17.5" } } } } },
    says: /postgresql\.17\.6\.upgrade: upgrade\.from is 17\.5: it must be of a lower major version than 17\.6/,
  },
  "a major upgrade of another engine": {
    raw: { catalogue: { mysql: { "9.7": { image: "a", upgrade: { image: "b", from: "8.4" } } } } },
    says: /upgrade is for versions of PostgreSQL: remove it from mysql 9\.7/,
  },
  "monitoring of an unknown kind": { raw: { monitoring: { on: true } }, says: /database-operator:monitoring/ },
  "an unknown engine": { raw: { catalogue: { oracle: {} } }, says: /database-operator:catalogue/ },
  "a catalogue twice": { raw: { catalogue: {}, catalogueFile: "a.json" }, says: /remove one of them/ },
  "a catalogue that was not built yet": { raw: { catalogueFile: "no/such.json" }, says: /run `make images`/ },
};

for (const [sentence, { raw, says }] of Object.entries(wrong)) {
  test(`a stack configuration with ${sentence} is refused with a message that helps`, () => {
    assert.throws(() => settingsOf(raw, root), says);
  });
}
