// The operator's Deployment, as restricted as Pod Security asks for.
import type * as k8s from "@pulumi/kubernetes";
import type { Settings } from "./config";
import { operatorSelector, platformAnnotations, platformLabels } from "./metadata";
import { operatorName } from "../contract/platform";
import { restrictedContainer, restrictedPod } from "./restricted";
import { WEBHOOK_PORT, WEBHOOK_PORT_NAME } from "./webhooks";

/** What the Deployment is created from. */
export interface OperatorDeployment extends Pick<Settings, Passed> {
  readonly image: string;
}

type Passed =
  | "namespace"
  | "replicas"
  | "logLevel"
  | "nodeAutoscaling"
  | "restartsAtOnce"
  | "watchNamespaces"
  | "webhookClientCa"
  | "previewApi"
  | "changePolicy"
  | "releasePolicy"
  | "approverMayBeAuthor";

type Container = k8s.types.input.core.v1.Container;
type Variable = k8s.types.input.core.v1.EnvVar;
type Probe = k8s.types.input.core.v1.Probe;
type PodSpec = k8s.types.input.core.v1.PodSpec;

const HEALTH_PORT = 8081;

/** Where the operator serves its metrics. */
export const METRICS_PORT = 8080;
export const METRICS_PORT_NAME = "metrics";

/** Seconds a stopping operator gets to end its runs in order; in the first of these it works as before. */
const GRACE_SECONDS = 120;
const LEAVING_SECONDS = 5;

const probe = (path: string): Pick<Probe, "httpGet"> => ({ httpGet: { path, port: "health" } });

/**
 * It may take its time on a node whose processors others keep busy: a restart would begin all over, and take longer still. One that
 * hangs is restarted after about a minute, one that does not come to listen after five.
 */
const probes: Pick<Container, "startupProbe" | "livenessProbe" | "readinessProbe"> = {
  startupProbe: { ...probe("/healthz"), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 60 },
  livenessProbe: { ...probe("/healthz"), periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 6 },
  readinessProbe: { ...probe("/readyz"), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3 },
};

/** Keeps one operator through a drain. */
export function disruptionBudgetOf(namespace: string): k8s.policy.v1.PodDisruptionBudgetArgs {
  return {
    metadata: { name: operatorName, namespace, labels: platformLabels, annotations: platformAnnotations },
    spec: { maxUnavailable: 1, selector: { matchLabels: operatorSelector } },
  };
}

/** The Deployment of the operator; the same for the same arguments. */
export function deploymentOf(args: OperatorDeployment): k8s.apps.v1.DeploymentArgs {
  return {
    metadata: {
      name: operatorName,
      namespace: args.namespace,
      labels: platformLabels,
      // its pods end before their rights do: they have runs to end in order
      annotations: { ...platformAnnotations, "pulumi.com/deletionPropagationPolicy": "foreground" },
    },
    spec: {
      replicas: args.replicas,
      // A new operator stands by before the old leader is asked to end.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: operatorSelector },
      template: { metadata: { labels: { ...operatorSelector } }, spec: podOf(args) },
    },
  };
}

function podOf(args: OperatorDeployment): PodSpec {
  return {
    serviceAccountName: operatorName,
    // else its Services would appear in variables with the names of its own settings
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...restrictedPod(operatorSelector),
    containers: [containerOf(args)],
    // Runs lay out Pulumi states here: in memory, so that no state reaches a disk.
    volumes: [{ name: "tmp", emptyDir: { medium: "Memory", sizeLimit: "512Mi" } }],
  };
}

/** Beside it the platform has the policy by which the API server judges approvals. */
const changeSettings = ({ changePolicy, releasePolicy, approverMayBeAuthor }: OperatorDeployment): Variable[] => [
  { name: "DATABASE_OPERATOR_CHANGE_POLICY", value: JSON.stringify(changePolicy) },
  { name: "DATABASE_OPERATOR_RELEASE_POLICY", value: JSON.stringify(releasePolicy) },
  { name: "DATABASE_OPERATOR_APPROVALS", value: "true" },
  { name: "DATABASE_OPERATOR_APPROVER_MAY_BE_AUTHOR", value: String(approverMayBeAuthor) },
];

function containerOf(args: OperatorDeployment): Container {
  const { image, logLevel, nodeAutoscaling, restartsAtOnce, watchNamespaces, webhookClientCa: ca, previewApi } = args;
  return {
    name: "operator",
    image,
    env: [
      { name: "DATABASE_OPERATOR_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ...(watchNamespaces.length === 0
        ? []
        : [{ name: "DATABASE_OPERATOR_WATCH_NAMESPACES", value: watchNamespaces.join(",") }]),
      { name: "DATABASE_OPERATOR_RESTARTS_AT_ONCE", value: String(restartsAtOnce) },
      ...(nodeAutoscaling ? [{ name: "DATABASE_OPERATOR_NODE_AUTOSCALING", value: "true" }] : []),
      { name: "DATABASE_OPERATOR_LOG_LEVEL", value: logLevel },
      { name: "DATABASE_OPERATOR_WEBHOOK_PORT", value: String(WEBHOOK_PORT) },
      ...(ca === undefined ? [] : [{ name: "DATABASE_OPERATOR_WEBHOOK_CLIENT_CA", value: ca }]),
      ...(previewApi ? [{ name: "DATABASE_OPERATOR_PREVIEW_API", value: "true" }] : []),
      ...changeSettings(args),
      { name: "HOME", value: "/tmp" },
    ],
    ports: [
      { name: METRICS_PORT_NAME, containerPort: METRICS_PORT },
      { name: "health", containerPort: HEALTH_PORT },
      { name: WEBHOOK_PORT_NAME, containerPort: WEBHOOK_PORT },
    ],
    ...probes,
    // Until no request is sent here any more: the API server asks every operator about Databases. It keeps leading meanwhile.
    lifecycle: { preStop: { sleep: { seconds: LEAVING_SECONDS } } },
    // On the node's disk it has its log and nothing else.
    resources: {
      requests: { cpu: "200m", memory: "512Mi", "ephemeral-storage": "64Mi" },
      limits: { memory: "2Gi", "ephemeral-storage": "512Mi" },
    },
    ...restrictedContainer,
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
}
