// The pod of the shared console, as restricted as Pod Security asks for.
import type * as k8s from "@pulumi/kubernetes";
import { namedUsers } from "../console-settings";
import { restrictedContainer, restrictedPod } from "../restricted";
import { CONSOLE_NAME, consoleSelector, PROXY_CA_KEY, type ConsoleArgs } from "./names";

type Container = k8s.types.input.core.v1.Container;
type PodSpec = k8s.types.input.core.v1.PodSpec;
type Probe = k8s.types.input.core.v1.Probe;

export const CONSOLE_PORT = 8443;
export const CONSOLE_PORT_NAME = "https";

const CERTIFICATE = "/etc/console/certificate";
const PROXY = "/etc/console/proxy";

/** It tells nothing, and asks for no certificate. */
const probe = (path: string): Pick<Probe, "httpGet"> => ({
  httpGet: { path, port: CONSOLE_PORT_NAME, scheme: "HTTPS" },
});

export function consolePodOf(args: ConsoleArgs): PodSpec {
  return {
    serviceAccountName: CONSOLE_NAME,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    ...restrictedPod(consoleSelector),
    containers: [containerOf(args)],
    volumes: [
      {
        name: "certificate",
        secret: {
          secretName: args.console.certificateSecret,
          // readable for the group alone; what else is in the Secret stays out
          defaultMode: 0o440,
          items: ["tls.crt", "tls.key"].map((key) => ({ key, path: key })),
        },
      },
      { name: "proxy", configMap: { name: CONSOLE_NAME, items: [{ key: PROXY_CA_KEY, path: PROXY_CA_KEY }] } },
    ],
  };
}

function containerOf({ image, console }: ConsoleArgs): Container {
  return {
    name: "console",
    image,
    // in the operator's image, beside the operator
    command: ["tini", "--", "database-operator-console"],
    env: [...variablesOf(console)].map(([name, value]) => ({ name, value })),
    ports: [{ name: CONSOLE_PORT_NAME, containerPort: CONSOLE_PORT }],
    startupProbe: { ...probe("/healthz"), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 60 },
    livenessProbe: { ...probe("/healthz"), periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe("/readyz"), periodSeconds: 5, timeoutSeconds: 4, failureThreshold: 3 },
    // until no request is sent here any more
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
    resources: {
      requests: { cpu: "50m", memory: "128Mi", "ephemeral-storage": "16Mi" },
      limits: { memory: "512Mi", "ephemeral-storage": "128Mi" },
    },
    ...restrictedContainer,
    volumeMounts: [
      { name: "certificate", mountPath: CERTIFICATE, readOnly: true },
      { name: "proxy", mountPath: PROXY, readOnly: true },
    ],
  };
}

/** As plugin/console/shared/config.ts reads them. */
function variablesOf({
  url,
  proxy,
  userPrefix,
  groupPrefix,
  users,
  groups,
  namespaces,
}: ConsoleArgs["console"]): [name: string, value: string][] {
  const all: [string, string | undefined][] = [
    ["CONSOLE_URL", url],
    ["CONSOLE_PORT", String(CONSOLE_PORT)],
    ["CONSOLE_CERTIFICATE", `${CERTIFICATE}/tls.crt`],
    ["CONSOLE_KEY", `${CERTIFICATE}/tls.key`],
    ["CONSOLE_PROXY_CA", `${PROXY}/${PROXY_CA_KEY}`],
    ["CONSOLE_PROXY_NAMES", proxy.names.join(",")],
    ["CONSOLE_USER_HEADER", proxy.userHeader],
    ["CONSOLE_GROUPS_HEADER", proxy.groupsHeader],
    ["CONSOLE_USER_PREFIX", userPrefix],
    ["CONSOLE_GROUP_PREFIX", groupPrefix],
    ["CONSOLE_USERS", namedUsers({ users })?.join(",")],
    ["CONSOLE_GROUPS", groups.join(",")],
    ["CONSOLE_NAMESPACES", namespaces.join(",")],
    ["HOME", "/tmp"],
  ];
  return all.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]]));
}
