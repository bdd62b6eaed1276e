// Who may connect to the operator, and what it connects to.
import type * as k8s from "@pulumi/kubernetes";
import type { Settings } from "./config";
import { METRICS_PORT } from "./deployment";
import { operatorSelector, platformAnnotations, platformLabels } from "./metadata";
import { operatorName } from "../contract/platform";
import { WEBHOOK_PORT } from "./webhooks";

/** Of the resolver itself, behind its Service: 5353 is OpenShift's. */
const DNS_PORTS = [53, 5353];

/**
 * The policy: metrics may be scraped and the webhook be asked from anywhere; the operator reaches DNS and the API server.
 * Addresses are left open: no selector finds the API server, and many clusters resolve names outside of their pods.
 * Probes come from the pod's own node, from which a policy keeps nothing.
 */
export function networkPolicyOf({
  namespace,
  apiServerPorts,
}: Pick<Settings, "namespace" | "apiServerPorts">): k8s.networking.v1.NetworkPolicyArgs {
  return {
    metadata: { name: operatorName, namespace, labels: platformLabels, annotations: platformAnnotations },
    spec: {
      podSelector: { matchLabels: operatorSelector },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports: [portOf(METRICS_PORT), portOf(WEBHOOK_PORT)] }],
      egress: egressOf(apiServerPorts),
    },
  };
}

/** DNS and the API server, wherever they are. */
export function egressOf(
  apiServerPorts: Settings["apiServerPorts"],
): k8s.types.input.networking.v1.NetworkPolicyEgressRule[] {
  const dns = DNS_PORTS.flatMap((port) => [portOf(port, "UDP"), portOf(port, "TCP")]);
  return [{ ports: dns }, { ports: apiServerPorts.map((port) => portOf(port)) }];
}

export const portOf = (port: number, protocol = "TCP"): k8s.types.input.networking.v1.NetworkPolicyPort => ({
  port,
  protocol,
});
