// The shared console as objects: the same for the same arguments.
import type * as k8s from "@pulumi/kubernetes";
import type { Settings } from "../config";
import { platformAnnotations, platformLabels } from "../metadata";
import { egressOf, portOf } from "../network";
import { rule, type Rule } from "../rules";
import { CONSOLE_NAME, consoleSelector, PROXY_CA_KEY, type ConsoleArgs } from "./names";
import { consolePodOf, CONSOLE_PORT, CONSOLE_PORT_NAME } from "./pod";
import { namedUsers, type InstalledConsole } from "../console-settings";

/** Undefined where none is installed. Throws where there is no image for it. */
export function consoleOf({ console, image: ofOperator, ...settings }: Settings): ConsoleArgs | undefined {
  if (!console.enabled) return undefined;
  const image = console.image ?? ofOperator;
  if (image === undefined)
    throw new Error("database-operator:console.image: there is none, and none of the operator: set one of them");
  const { namespace, networkPolicy, apiServerPorts } = settings;
  return { namespace, networkPolicy, apiServerPorts, image, console };
}

const metadataIn = (namespace: string): k8s.types.input.meta.v1.ObjectMeta => ({
  ...{ name: CONSOLE_NAME, namespace, labels: platformLabels, annotations: platformAnnotations },
});

/**
 * All that its account may do. Who may act for any user may act for those of Kubernetes itself, too, whom the console refuses;
 * groups are named, so that it never acts for `system:masters`.
 */
export const consoleRules = ({ users, groups }: Pick<InstalledConsole, "users" | "groups">): Rule[] => [
  rule("", ["users"], ["impersonate"], namedUsers({ users })),
  ...(groups.length === 0 ? [] : [rule("", ["groups"], ["impersonate"], [...groups])]),
];

/** What the console consists of, by kind. */
export interface ConsoleObjects {
  readonly account: k8s.core.v1.ServiceAccountArgs;
  readonly role: k8s.rbac.v1.ClusterRoleArgs;
  readonly binding: k8s.rbac.v1.ClusterRoleBindingArgs;
  readonly proxyCa: k8s.core.v1.ConfigMapArgs;
  readonly deployment: k8s.apps.v1.DeploymentArgs;
  readonly service: k8s.core.v1.ServiceArgs;
  readonly budget: k8s.policy.v1.PodDisruptionBudgetArgs;
  /** Undefined where the platform has none. */
  readonly networkPolicy: k8s.networking.v1.NetworkPolicyArgs | undefined;
}

export function consoleObjects(args: ConsoleArgs): ConsoleObjects {
  const { namespace, console } = args;
  const metadata = metadataIn(namespace);
  const inNone = { ...metadata, namespace: undefined };
  return {
    account: { metadata, automountServiceAccountToken: false },
    role: { metadata: inNone, rules: consoleRules(console) },
    binding: {
      metadata: inNone,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: CONSOLE_NAME },
      subjects: [{ kind: "ServiceAccount", name: CONSOLE_NAME, namespace }],
    },
    proxyCa: { metadata, data: { [PROXY_CA_KEY]: console.proxy.ca } },
    deployment: deploymentOf(args),
    service: {
      metadata,
      spec: {
        selector: consoleSelector,
        ports: [{ name: CONSOLE_PORT_NAME, port: 443, targetPort: CONSOLE_PORT_NAME }],
      },
    },
    budget: { metadata, spec: { maxUnavailable: 1, selector: { matchLabels: consoleSelector } } },
    networkPolicy: args.networkPolicy ? networkPolicyOf(args) : undefined,
  };
}

function deploymentOf(args: ConsoleArgs): k8s.apps.v1.DeploymentArgs {
  return {
    metadata: metadataIn(args.namespace),
    spec: {
      replicas: args.console.replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: consoleSelector },
      template: { metadata: { labels: { ...consoleSelector } }, spec: consolePodOf(args) },
    },
  };
}

/** The proxy's pods alone come in; probes come from the pod's own node, from which a policy keeps nothing. */
function networkPolicyOf({ namespace, apiServerPorts, console }: ConsoleArgs): k8s.networking.v1.NetworkPolicyArgs {
  const { proxy } = console;
  const from = [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": proxy.namespace } },
      podSelector: { matchLabels: proxy.podLabels },
    },
  ];
  return {
    metadata: metadataIn(namespace),
    spec: {
      podSelector: { matchLabels: consoleSelector },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from, ports: [portOf(CONSOLE_PORT)] }],
      egress: egressOf(apiServerPorts),
    },
  };
}
