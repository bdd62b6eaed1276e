// How the operator is observed: a Service for its metrics and, where the stack asks for it, what Prometheus and Grafana read.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "./config";
import { METRICS_NAME } from "./metadata";
import { operatorName } from "../contract/platform";
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
      new k8s.apiextensions.CustomResource(operatorName, monitor, child);
      const rule = prometheusRuleOf(namespace, labels, { runbooks });
      new k8s.apiextensions.CustomResource(`${operatorName}-alerts`, rule, child);
      new k8s.core.v1.ConfigMap(`${operatorName}-dashboard`, dashboardMapOf(namespace), child);
    }
    this.registerOutputs();
  }
}
