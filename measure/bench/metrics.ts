// Every row of the benchmark: what it means, and what the project promises of it.
import type { Figure } from "./figures";

/** A promise about a row. */
export interface Target {
  readonly text: string;
  /** undefined where something that it compares with was not measured. */
  readonly isMet: (figure: Figure) => boolean | undefined;
}

export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly title: string;
  /** Which way is better; decides how a ratio is read. */
  readonly better: "less" | "more";
  readonly target?: Target;
}

const atMost = (limit: number): Target => ({
  text: `≤ ${limit}`,
  isMet: ({ ours }) => (ours === null ? undefined : ours <= limit),
});
const atLeast = (limit: number): Target => ({
  text: `≥ ${limit}`,
  isMet: ({ ours }) => (ours === null ? undefined : ours >= limit),
});
const under = (limit: number): Target => ({
  text: `< ${limit}`,
  isMet: ({ ours }) => (ours === null ? undefined : ours < limit),
});
const none: Target = { text: "0", isMet: ({ ours }) => (ours === null ? undefined : ours === 0) };
const timesStock = (factor: number): Target => ({
  text: `≥ ${factor} × stock`,
  isMet: ({ ours, stock }) => (ours === null || stock === null ? undefined : ours >= factor * stock),
});
const shareOfStock = (percent: number): Target => ({
  text: `≤ ${percent} % of stock`,
  isMet: ({ ours, stock }) => (ours === null || stock === null ? undefined : ours <= (percent / 100) * stock),
});
const both = (first: Target, second: Target): Target => ({
  text: `${first.text}, ${second.text}`,
  isMet: (figure) => {
    const verdicts = [first.isMet(figure), second.isMet(figure)];
    return verdicts.includes(undefined) ? undefined : verdicts.every(Boolean);
  },
});
const timesFaster = (factor: number): Target => ({
  text: `${factor} × quicker than stock`,
  isMet: ({ ours, stock }) => (ours === null || stock === null ? undefined : ours * factor <= stock),
});

const less = (name: string, unit: string, title: string, target?: Target): Metric => ({
  ...{ name, unit, title, better: "less" },
  ...(target && { target }),
});
const more = (name: string, unit: string, title: string, target?: Target): Metric => ({
  ...{ name, unit, title, better: "more" },
  ...(target && { target }),
});

/** In the order of the table. */
export const metrics: readonly Metric[] = [
  less("create_p50_s", "s", "apply → all children exist, median", both(atMost(0.3), timesFaster(4))),
  less("create_p99_s", "s", "the same, 99th percentile"),
  less("create_ready_p50_s", "s", "apply → Ready, median"),
  more("create_per_s", "1/s", "new Databases per second", timesStock(8)),
  more("create_per_s_stock_equal_workers", "1/s", "the same; stock has as many workers as ours", timesStock(4)),
  less("burst_100_s", "s", "100 applied at once → all children exist"),
  less("burst_1000_s", "s", "1000 applied at once → all children exist", atMost(240)),
  less("burst_1000_failures", "", "of these, Databases whose run ever failed", none),
  less("burst_1000_ready_s", "s", "1000 applied at once → all Ready"),
  less("burst_1000_slope", "", "time for each of the last fifth of them, by that of the first fifth", atMost(1.15)),
  less("update_p50_s", "s", "edit of the spec → the child shows it, median", atMost(0.2)),
  less("preview_p50_s", "s", "preview of a change in a warm process, median", atMost(0.3)),
  less("preview_command_p50_s", "s", "the whole command `make preview`, median"),
  less("plugin_help_p50_s", "s", "the kubectl plugin with `--help`, median; floor: `kubectl --help`", under(0.15)),
  less(
    "plugin_status_p50_s",
    "s",
    "`status` of a Database by the plugin, median; floor: `kubectl get` of it",
    under(0.3),
  ),
  less("drift_p50_s", "s", "child edited or deleted by another client → restored, median", atMost(0.5)),
  less("drift_edited_p50_s", "s", "of these, edited"),
  less("drift_deleted_p50_s", "s", "of these, deleted"),
  less("ready_p50_s", "s", "pod Ready → Database Ready, median", atMost(0.3)),
  less("delete_p50_s", "s", "kubectl delete → object gone, median", atMost(0.5)),
  more("delete_per_s", "1/s", "deleted Databases per second", atLeast(6)),
  less("resync_1000_processes", "", "processes started when all 1000 are looked at again", none),
  less("resync_1000_writes", "", "writes of the operator meanwhile", none),
  less("resync_1000_s", "s", "how long that takes"),
  less("operator_ready_s", "s", "start of the operator → its watches are up, without Databases", atMost(2)),
  less("restart_1000_s", "s", "start of the operator → all 1000 looked at", atMost(15)),
  less("restart_1000_processes", "", "Pulumi runs meanwhile", none),
  less("rss_1000_mb", "MB", "memory of the operator with 1000 Databases", atMost(400)),
  less("peak_all_mb", "MB", "peak of memory of all its processes", atMost(1000)),
  less("idle_cpu_percent", "%", "CPU of all its processes with 1000 Databases at rest, of one core", under(2)),
  less("cpu_per_create_s", "s", "CPU of all its processes for a new Database, until it is Ready", shareOfStock(20)),
  less("cpu_per_update_s", "s", "the same for an update"),
  less("cpu_per_create_burst_s", "s", "the same for each of 100 applied at once", atMost(0.1)),
  less("cluster_cpu_per_create_s", "s", "the same with the CPU of the whole control plane", atMost(0.45)),
  less("api_requests_per_create", "", "requests to the API server for a new Database, until it is Ready"),
  less("children", "", "children of a Database"),
  less("create_p50_s_cli", "s", "with the CLI alone: apply → all children exist, median"),
  more("create_per_s_cli", "1/s", "with the CLI alone: new Databases per second", timesStock(3)),
  less("cpu_per_create_s_cli", "s", "with the CLI alone: CPU for a new Database"),
  less("peak_all_mb_cli", "MB", "with the CLI alone: peak of memory of all its processes"),
];

const byName = new Map(metrics.map((metric) => [metric.name, metric]));

/** Throws for a name that is none: a row without a meaning helps no reader. */
export function metricOf(name: string): Metric {
  const metric = byName.get(name);
  if (metric === undefined) throw new Error(`no metric is called ${name}`);
  return metric;
}

export type Verdict = "reached" | "not reached" | "not told" | "";

/** Whether a row keeps its promise; empty where there is none. */
export function verdictOn(figure: Figure): Verdict {
  const target = byName.get(figure.name)?.target;
  if (target === undefined) return "";
  const isMet = target.isMet(figure);
  if (isMet === undefined) return "not told";
  return isMet ? "reached" : "not reached";
}

/** How many times better ours is than the other's; undefined where one of them is missing or 0. */
export function ratioTo({ name, ours }: Figure, other: number | null): number | undefined {
  if (ours === null || other === null || ours === 0 || other === 0) return undefined;
  return byName.get(name)?.better === "more" ? ours / other : other / ours;
}
