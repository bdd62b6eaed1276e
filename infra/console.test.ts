import assert from "node:assert/strict";
import test, { before } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { sharedConfig } from "../plugin/console/shared/config";
import { rawConsole } from "../test/fakes/console-settings";
import { settingsOf } from "./config";
import { Console } from "./console";
import type { ConsoleArgs } from "./console/names";
import { consoleObjects, consoleOf, consoleRules } from "./console/objects";
import { operatorSelector } from "./metadata";

const image = "registry.example.com/operator:1";

const registered: string[] = [];
before(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.push(type);
      return { id: name, state: inputs as Record<string, unknown> };
    },
    call: ({ inputs }) => inputs as Record<string, unknown>,
  });
});

function argsOf(console: object, more: object = { image }): ConsoleArgs {
  const args = consoleOf(settingsOf({ ...more, console }, "/"));
  assert.ok(args);
  return args;
}

test("there is none unless it is switched on, and then it may keep its settings", () => {
  assert.equal(consoleOf(settingsOf({ image }, "/")), undefined);
  assert.equal(consoleOf(settingsOf({ image, console: { ...rawConsole, enabled: false } }, "/")), undefined);
});

test("it is all in one component", async () => {
  const { urn } = new Console("console", argsOf(rawConsole));
  await new Promise((resolve) => urn.apply(resolve));
  await pulumi.runtime.disconnect();
  const kinds = registered.flatMap((type) => (type.startsWith("kubernetes:") ? [type.split(":").at(-1)] : []));
  assert.deepEqual(kinds.sort(), [
    ...["ClusterRole", "ClusterRoleBinding", "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget"],
    ...["Service", "ServiceAccount"],
  ]);
});

test("its account may act for persons and groups that are named, and nothing else", () => {
  assert.deepEqual(consoleRules(argsOf(rawConsole).console), [
    { apiGroups: [""], resources: ["users"], verbs: ["impersonate"] },
    { apiGroups: [""], resources: ["groups"], verbs: ["impersonate"], resourceNames: ["oidc:dba", "oidc:dev"] },
  ]);
  const { groupsHeader, ...proxy } = rawConsole.proxy;
  assert.ok(groupsHeader);
  const some = argsOf({ ...rawConsole, proxy, groups: [], users: ["oidc:jane"] });
  assert.deepEqual(consoleRules(some.console), [
    { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["oidc:jane"] },
  ]);
});

const Pod = z.object({
  automountServiceAccountToken: z.literal(true),
  serviceAccountName: z.literal("database-operator-console"),
  securityContext: z.object({
    runAsNonRoot: z.literal(true),
    seccompProfile: z.object({ type: z.literal("RuntimeDefault") }),
  }),
  containers: z.tuple([
    z.object({
      image: z.string(),
      env: z.array(z.object({ name: z.string(), value: z.string() })),
      securityContext: z.object({
        allowPrivilegeEscalation: z.literal(false),
        readOnlyRootFilesystem: z.literal(true),
        capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
      }),
      ...{ readinessProbe: z.looseObject({}), livenessProbe: z.looseObject({}) },
    }),
  ]),
});
const Deployment = z.object({
  spec: z.object({
    replicas: z.number(),
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }), spec: Pod }),
  }),
});

test("its pods run restricted, and none of them is one of the operator's", () => {
  const { spec } = Deployment.parse(consoleObjects(argsOf(rawConsole)).deployment);
  assert.equal(spec.replicas, 2);
  assert.equal(spec.template.spec.containers[0].image, image);
  const { labels } = spec.template.metadata;
  assert.ok(Object.entries(operatorSelector).some(([label, value]) => labels[label] !== value));
});

test("the process is told what the stack says", () => {
  const { spec } = Deployment.parse(consoleObjects(argsOf({ ...rawConsole, users: ["oidc:jane"] })).deployment);
  const variables = spec.template.spec.containers[0].env.map(({ name, value }) => [name, value] as const);
  const { proxy, ...told } = sharedConfig(Object.fromEntries(variables));
  assert.deepEqual(proxy, {
    names: ["console-proxy"],
    ...{ userHeader: "x-remote-user", groupsHeader: "x-remote-groups" },
    ...{ users: ["oidc:jane"], groups: ["oidc:dba", "oidc:dev"] },
    ...{ userPrefix: "oidc:", groupPrefix: "oidc:" },
  });
  assert.deepEqual([told.origin, told.base, told.port], ["https://databases.example.com", "/console", 8443]);
  assert.deepEqual(told.namespaces, ["shop"]);
});

test("the proxy's pods alone come in, where the platform has NetworkPolicies", () => {
  const Policy = z.object({ spec: z.object({ ingress: z.array(z.unknown()) }) });
  const from = [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } },
      podSelector: { matchLabels: { app: "console-proxy" } },
    },
  ];
  const { networkPolicy } = consoleObjects(argsOf(rawConsole));
  assert.deepEqual(Policy.parse(networkPolicy).spec.ingress, [{ from, ports: [{ port: 8443, protocol: "TCP" }] }]);
  assert.equal(consoleObjects(argsOf(rawConsole, { image, networkPolicy: false })).networkPolicy, undefined);
});

test("it may have an image of its own, and must have one", () => {
  assert.equal(argsOf({ ...rawConsole, image: "another" }, {}).image, "another");
  assert.throws(() => consoleOf(settingsOf({ console: rawConsole }, "/")), /console.image/);
});

const wrong: Readonly<Record<string, readonly [more: object, says: RegExp]>> = {
  "without saying whether it is on": [{ enabled: undefined }, /database-operator:console.enabled/],
  "without a proxy": [{ proxy: undefined }, /console.proxy/],
  "with a proxy of any labels": [{ proxy: { ...rawConsole.proxy, podLabels: {} } }, /podLabels: must not be empty/],
  "in plain HTTP": [{ url: "http://databases.example.com" }, /console.url: must be such as https/],
  "with a group of Kubernetes itself": [{ groups: ["system:masters"] }, /console.groups.0: is of Kubernetes itself/],
  "that does not say for which users": [{ users: undefined }, /database-operator:console.users/],
  "for no user": [{ users: [] }, /console.users/],
  "for all users and one": [{ users: ["*", "oidc:jane"] }, /console.users: has all, and names some/],
  "with groups that no header tells": [
    { proxy: { ...rawConsole.proxy, groupsHeader: undefined } },
    /console.groups: goes with proxy.groupsHeader/,
  ],
  "with a header and no groups": [{ groups: [] }, /console.groups: goes with proxy.groupsHeader/],
  "with a key that there is none of": [{ replica: 3 }, /replica/],
};
for (const [what, [more, says]] of Object.entries(wrong)) {
  test(`a console ${what} is refused before anything is installed`, () => {
    assert.throws(() => settingsOf({ image, console: { ...rawConsole, ...more } }, "/"), says);
  });
}
