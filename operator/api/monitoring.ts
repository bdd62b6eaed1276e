// How a database is observed: a part of the spec.
import { z } from "zod";
import { monitoringDefaults } from "../../contract/defaults";
import { DNS_NAME, matches, patterned } from "./fields";
import { rule } from "./rules";

const LABEL_KEY = new RegExp(`^(${DNS_NAME}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`);
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
/** Labels by which the operator knows what it created. */
const OWN_LABELS =
  /^(app|database|app\.kubernetes\.io\/(name|instance|component|managed-by)|database\.example\.com\/.*)$/;

const MONITORING_LABELS = 16;
const LabelValue = patterned(
  LABEL_VALUE,
  63,
  "must be a label value: letters, digits, -, _ and ., beginning and ending with a letter or digit, or empty",
);

const Labels = rule(
  rule(
    z.record(z.string(), LabelValue).refine((labels) => Object.keys(labels).length <= MONITORING_LABELS, {
      message: `must have at most ${MONITORING_LABELS} entries`,
    }),
    {
      rule: `self.all(key, size(key) <= 253 && ${matches("key", LABEL_KEY)})`,
      message: "every key must be a label key, for example release or example.com/team",
      holds: (labels) => Object.keys(labels).every((key) => key.length <= 253 && LABEL_KEY.test(key)),
    },
  ),
  {
    rule: `!self.exists(key, ${matches("key", OWN_LABELS)})`,
    message:
      "must leave out the labels that the operator sets itself: app, database, app.kubernetes.io/name, instance, component and managed-by, and all of database.example.com",
    holds: (labels) => !Object.keys(labels).some((key) => OWN_LABELS.test(key)),
  },
);

/** See its description. */
export const Monitoring = z
  .object({
    enabled: z.boolean().default(monitoringDefaults.enabled).meta({
      description:
        "Whether an exporter runs beside each member and, where the cluster knows ServiceMonitors, a ServiceMonitor selects it.",
    }),
    labels: Labels.default(monitoringDefaults.labels).meta({
      maxProperties: MONITORING_LABELS,
      description: "Labels of the ServiceMonitor, by which a Prometheus finds it.",
    }),
  })
  .meta({ description: "Metrics for Prometheus." });
