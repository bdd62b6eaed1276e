// The ServiceMonitor of a Database. The exporter itself is a container of each member: see the engine's memberPod.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Engine } from "./engines/engine";
import { metadataOf } from "./metadata";
import { labelKeys, memberSelector, serviceMonitorName } from "./naming";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

/** The ServiceMonitor. Only the headless Service has a port of that name, so each member is scraped once. */
export function serviceMonitorOf(settings: Settings, engine: Engine): k8s.apiextensions.CustomResourceArgs {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadataOf(settings, serviceMonitorName(settings.name), { labels: settings.monitoring.labels }),
    spec: {
      selector: { matchLabels: memberSelector(settings.name) },
      endpoints: [{ port: engine.ports.metrics.name, interval: "30s" }],
      targetLabels: [labelKeys.database],
    },
  };
}

/** The ServiceMonitor `<name>`; the cluster must know that kind. */
export class Monitoring extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Monitoring", name, {}, opts);
    const monitor = serviceMonitorOf(args.settings, args.engine);
    new k8s.apiextensions.CustomResource(serviceMonitorName(name), monitor, { parent: this });
    this.registerOutputs({});
  }
}
