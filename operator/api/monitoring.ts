// How a database is observed: a part of the spec.
import { z } from "zod";
import { monitoringDefaults } from "../../contract/defaults";
import { labels, mostLabels } from "./labels";

/** See its description. */
export const Monitoring = z
  .object({
    enabled: z.boolean().default(monitoringDefaults.enabled).meta({
      description:
        "Whether an exporter runs beside each member and, where the cluster knows ServiceMonitors, a ServiceMonitor selects it.",
    }),
    labels: labels().default(monitoringDefaults.labels).meta({
      maxProperties: mostLabels,
      description: "Labels of the ServiceMonitor, by which a Prometheus finds it.",
    }),
  })
  .meta({ description: "Metrics for Prometheus." });
