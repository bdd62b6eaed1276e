// What Prometheus and Grafana get of the operator: Service, ServiceMonitor, PrometheusRule and dashboard, all of it pure.
import type * as k8s from "@pulumi/kubernetes";
import { METRICS_PORT_NAME, METRICS_PORT } from "../deployment";
import { METRICS_NAME, operatorSelector, platformAnnotations, platformLabels } from "../metadata";
import { alertGroups, type AlertOptions } from "./alerts";
import { operatorName } from "../../contract/platform";
import { dashboard } from "./dashboard";

type CustomResource = k8s.apiextensions.CustomResourceArgs;
type Labels = Readonly<Record<string, string>>;

/** What the ServiceMonitor selects the Service by. */
const metricsLabels: Labels = { ...platformLabels, "app.kubernetes.io/component": "metrics" };

/** Leads to every operator, those that stand by, too. */
export function metricsServiceOf(namespace: string): k8s.core.v1.ServiceArgs {
  return {
    metadata: { name: METRICS_NAME, namespace, labels: metricsLabels, annotations: platformAnnotations },
    spec: {
      selector: operatorSelector,
      ports: [{ name: METRICS_PORT_NAME, port: METRICS_PORT, targetPort: METRICS_PORT_NAME }],
    },
  };
}

/** `labels` are those by which a Prometheus finds it. */
export function serviceMonitorOf(namespace: string, labels: Labels): CustomResource {
  return {
    ...objectOf("ServiceMonitor", namespace, labels),
    spec: {
      selector: { matchLabels: metricsLabels },
      // the labels namespace and name are a Database's, and not the operator's
      endpoints: [{ port: METRICS_PORT_NAME, interval: "30s", honorLabels: true }],
    },
  };
}

/** `labels` are those by which a Prometheus finds it. */
export function prometheusRuleOf(namespace: string, labels: Labels, options: AlertOptions): CustomResource {
  return { ...objectOf("PrometheusRule", namespace, labels), spec: { groups: alertGroups(options) } };
}

/** A ConfigMap that Grafana's sidecar loads. */
export function dashboardMapOf(namespace: string): k8s.core.v1.ConfigMapArgs {
  const labels = { ...platformLabels, grafana_dashboard: "1" };
  return {
    metadata: { name: `${operatorName}-dashboard`, namespace, labels, annotations: platformAnnotations },
    data: { [`${operatorName}.json`]: JSON.stringify(dashboard(), undefined, 2) },
  };
}

function objectOf(kind: "ServiceMonitor" | "PrometheusRule", namespace: string, labels: Labels): CustomResource {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind,
    metadata: {
      name: operatorName,
      namespace,
      labels: { ...labels, ...platformLabels },
      annotations: platformAnnotations,
    },
  };
}
