// How the operator is observed: a Service for its metrics and, where the stack asks for it, what Prometheus and Grafana read.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "./config";
import { METRICS_NAME, OPERATOR_NAME } from "./metadata";
import { dashboardMapOf, metricsServiceOf, prometheusRuleOf, serviceMonitorOf } from "./monitoring/objects";

/** See the header. ServiceMonitor and PrometheusRule need the kinds of the Prometheus operator. */
export class Monitoring extends pulumi.ComponentResource {
  constructor(
    name: string,
    { namespace, monitoring }: Pick<Settings, "namespace" | "monitoring">,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("database-operator:index:Monitoring", name, {}, opts);
    const child = { parent: this };
    new k8s.core.v1.Service(METRICS_NAME, metricsServiceOf(namespace), child);
    if (monitoring.enabled) {
      const { labels, runbooks } = monitoring;
      const monitor = serviceMonitorOf(namespace, labels);
      new k8s.apiextensions.CustomResource(OPERATOR_NAME, monitor, child);
      const rule = prometheusRuleOf(namespace, labels, { runbooks });
      new k8s.apiextensions.CustomResource(`${OPERATOR_NAME}-alerts`, rule, child);
      new k8s.core.v1.ConfigMap(`${OPERATOR_NAME}-dashboard`, dashboardMapOf(namespace), child);
    }
    this.registerOutputs();
  }
}
