// The page docs/metrics.md, from the definitions: every metric with type, labels and meaning.
import { operatorMetrics, type MetricDefinition } from "../../contract/metrics";

const intro = `# Metrics of the operator

Generated from \`contract/metrics.ts\` by \`make generate\`. Do not edit.

Served on \`/metrics\`, port 8080. Names are those of controller-runtime, client-go and kube-state-metrics where they fit. How to have them
scraped, and which alerts come with them: [monitoring](platform/monitoring.md). Durations are histograms in seconds, so each has the
series \`_bucket\`, \`_sum\` and \`_count\`.`;

/** Headings with how the names below them begin. */
const groups: Readonly<Record<string, { readonly begins: RegExp; readonly note?: string }>> = {
  "Reconciles and their queue": {
    begins: /^(controller_runtime|workqueue|database_operator_reconcile)_/,
    note: "A Database waits for a look first and, where that finds that a run is due, for one of the few workers that run: the label `name` says which queue it is, `look` or `run`.",
  },
  "Pulumi, drift and the operator itself": {
    begins: /^(database_operator_(?!reconcile)|leader_)/,
  },
  Databases: {
    begins: /^database_(?!operator_)/,
    note: "`namespace` and `name` are the Database's: scrape with `honorLabels`, or they arrive as `exported_namespace`. Only the operator that leads serves these. The series of a Database that is gone go with it; a Database has about twelve.",
  },
};

const outro = `## The process

\`process_*\` and \`nodejs_*\` are prom-client's defaults: CPU, memory, event loop, garbage collection. They are of the operator's own process; a
resident Pulumi is another one in the same container, which cAdvisor's \`container_*\` include.`;

/** The page, not formatted yet. */
export function metricsPage(): string {
  const definitions = Object.values(operatorMetrics);
  const sections = Object.entries(groups).map(([heading, { begins, note }]) => {
    const rows = definitions.filter(({ name }) => begins.test(name)).map(rowOf);
    const table = ["| Metric | Type | Labels | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
    return [`## ${heading}`, ...(note === undefined ? [] : [note]), table].join("\n\n");
  });
  return `${[intro, ...sections, outro].join("\n\n")}\n`;
}

const rowOf = ({ name, type, labels, help }: MetricDefinition): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`;
