// Every question that alerts and dashboard ask of Prometheus, in one place.
import { availableEngines } from "../../components/engines/available";
import type { ExportedMetrics } from "../../components/engines/engine";
import {
  backupClaimName,
  backupCronJobName,
  dataVolumeName,
  labelKeys,
  verifyCronJobName,
} from "../../components/naming";
import { controllerLabel, operatorMetrics, type MetricDefinition } from "../../contract/metrics";
import { METRICS_NAME } from "../metadata";

/** Other operators have metrics of the same names: the ServiceMonitor gives ours the Service's name as their job. */
const ours = `job="${METRICS_NAME}"`;

/** A selector of series, such as `name{job="…",type="Ready"}`. Labels that the metric does not have do not compile. */
function select<D extends MetricDefinition>(
  { name }: D,
  matchers: Partial<Record<D["labels"][number], string>> = {},
): string {
  const given = Object.entries(matchers).map(([label, matcher]) => `${label}${String(matcher)}`);
  return `${name}{${[ours, ...given].join(",")}}`;
}

/** The same of a histogram's buckets, and of how often it was observed. */
const buckets = (metric: MetricDefinition): string => select({ ...metric, name: `${metric.name}_bucket` });
const countOf = (metric: MetricDefinition): string => select({ ...metric, name: `${metric.name}_count` });

/** What of Grafana's own size a rate is computed over. */
const window = "$__rate_interval";

const quantile = (share: number, metric: MetricDefinition, by: string): string =>
  `histogram_quantile(${share}, sum by (${by}) (rate(${buckets(metric)}[${window}])))`;

const controller = { controller: `="${controllerLabel}"` };

/** 1 for each Database that has such a condition; both operators might show it while one takes over from the other. */
const condition = (matchers: Partial<Record<"type" | "status" | "reason", string>>, by = "namespace, name"): string =>
  `max by (${by}) (${select(operatorMetrics.databaseCondition, matchers)})`;

/** Keeps what belongs to a Database, by namespace and name; also while no operator reports which there are. */
const ofDatabases = (query: string): string =>
  `(${query} and on (namespace, name) last_over_time(${select(operatorMetrics.databaseInfo)}[1d]))`;

/** What the exporters of members say. */
const exported = (metric: string): string => `${metric}{${labelKeys.database}!=""}`;
const perMember = (aggregation: "max" | "min" | "sum", series: string): string =>
  `${aggregation} by (namespace, ${labelKeys.database}, pod) (${series})`;

const exporters: readonly ExportedMetrics[] = availableEngines.map(({ exported: metrics }) => metrics);

const operator = operatorMetrics;

const awaitingApproval = condition({
  type: '="ChangePending"',
  status: '="True"',
  reason: '=~"AwaitingApproval|ApprovalVoid"',
});
const secondsWaiting = `time() - max by (namespace, name, effect) (${select(operator.databasePendingChange)})`;

export const queries = {
  /** 1 while an operator leads; 0 where none does, or none is scraped. */
  leading: `(max(${select(operator.leader, { name: '="database-operator"' })}) or vector(0))`,
  /** Of all operators, in the last 15 minutes. */
  errors: `sum(increase(${select(operator.reconcileErrors, controller)}[15m]))`,
  notReady: condition({ type: '="Ready"', status: '!="True"', reason: '!="Deleting"' }),
  stalled: condition({ type: '="Stalled"', status: '="True"' }, "namespace, name, reason"),
  /** Of changes that a person must let in. */
  awaitingApproval,
  awaitingWindow: condition({ type: '="ChangePending"', status: '="True"', reason: '="AwaitingWindow"' }),
  notPreviewed: condition({ type: '="ChangePending"', status: '="True"', reason: '="PreviewFailed"' }),
  /** How many have waited for a person for more than a day, by the weightiest of what they do. */
  awaitingLong: `count by (effect) ((${secondsWaiting} > 86400) and on (namespace, name) ${awaitingApproval})`,
  notStreaming: condition({ type: '="ReplicationReady"', reason: '="ReplicaNotStreaming"' }),
  storageFull: condition({ type: '="StorageReady"', reason: '="Full"' }),
  storageStuck: condition({ type: '="StorageReady"', reason: '=~"MaxSizeReached|GrowthNotPossible"' }),
  /** In seconds, of each Database with TLS. */
  certificateLeft: `min by (namespace, name) (${select(operator.databaseCertificateExpires)}) - time()`,
  archiveNotReady: condition({ type: '="ArchiveReady"', reason: '=~"ArchiveWaiting|ArchiveGap"' }),
  backupFailed: condition({ type: '="BackupReady"', reason: '="BackupFailed"' }),
  /** Of each CronJob of backups (kube-state-metrics): when it was due last, where no success came after. */
  backupOverdue: ofDatabases(dueWithoutSuccess(backupCronJobName)),
  notRestorable: condition({ type: '="BackupVerified"', status: '="False"' }, "namespace, name, reason"),
  /** The same of each CronJob of restore drills. */
  drillOverdue: ofDatabases(dueWithoutSuccess(verifyCronJobName)),
  /** Of each replica, in seconds; where only the time of a commit is told, only while there is any. */
  replicationLag: replicationLag(),
  /** Share of the connections that are in use, of each member. */
  connections: shareOfConnections(),
  /** Share of a volume that is free (kubelet). */
  volumeFree: ofDatabases(shareOfVolumes()),

  databases: `count(count by (namespace, name) (${select(operator.databaseInfo)})) or vector(0)`,
  phases: `count by (phase) (max by (namespace, name, phase) (${select(operator.databasePhase)}))`,
  membersMissing: `sum(max by (namespace, name) (${select(operator.databaseReplicas)}) - max by (namespace, name) (${select(operator.databaseReadyReplicas)}))`,
  replicasMissing: `sum(max by (namespace, name) (${select(operator.databaseReplicas)}) - 1 - max by (namespace, name) (${select(operator.databaseStreamingReplicas)}))`,
  backupAge: `time() - max by (namespace, name) (${select(operator.databaseLastBackup)})`,
  reconciles: `sum by (result) (rate(${select(operator.reconciles, controller)}[${window}]))`,
  reconcileSeconds: (share: number): string => quantile(share, operator.reconcileSeconds, "le"),
  queueDepth: `sum by (name) (${select(operator.queueDepth, controller)})`,
  queueWait: (share: number): string => quantile(share, operator.queueWait, "le, name"),
  workersBusy: `sum(${select(operator.activeWorkers)}) / max(${select(operator.maxWorkers)})`,
  runs: `sum by (operation, result) (rate(${countOf(operator.runs)}[${window}]))`,
  runSeconds: (share: number): string => quantile(share, operator.runs, "le, operation"),
  processes: `sum by (kind) (increase(${select(operator.processes)}[${window}]))`,
  driftFound: `sum by (kind) (increase(${select(operator.driftFound)}[${window}]))`,
  driftRepaired: `sum by (kind) (increase(${select(operator.driftRepaired)}[${window}]))`,
  watchRestarts: `sum by (kind) (increase(${select(operator.watchRestarts)}[${window}]))`,
  /** Of the operator's process alone, and of its whole container with the Pulumi in it. */
  memory: `process_resident_memory_bytes{${ours}}`,
  memoryOfContainer: `max by (pod) (container_memory_working_set_bytes{pod=~"database-operator-.+",container="operator"})`,
  cpu: `rate(process_cpu_seconds_total{${ours}}[${window}])`,
  cpuOfContainer: `sum by (pod) (rate(container_cpu_usage_seconds_total{pod=~"database-operator-.+",container="operator"}[${window}]))`,
} as const;

function dueWithoutSuccess(nameOf: (database: string) => string): string {
  const pattern = nameOf("(.+)");
  const of = (metric: string): string => `max by (namespace, cronjob) (${metric}{cronjob=~"${pattern}"})`;
  const success = `(${of("kube_cronjob_status_last_successful_time")} or ${of("kube_cronjob_created")})`;
  const due = `${of("kube_cronjob_status_last_schedule_time")} > ${success}`;
  return `label_replace(${due}, "name", "$1", "cronjob", "${pattern}")`;
}

/** Of those that tell seconds as they are; the others change from one moment to the next, and so come last. */
function replicationLag(): string {
  const lags = exporters.map(({ replicationLag: lag }) => lag);
  const told = lags.filter(({ kind }) => kind === "seconds").map(({ metric }) => perMember("max", exported(metric)));
  const counted = lags.filter(({ kind }) => kind === "commit time").map(({ metric }) => ageOf(exported(metric)));
  return `(${[...told, ...counted].join(" or ")})`;
}

/**
 * Of when the transactions that a member applies right now were committed: a member with a backlog may be scraped between two of them, so
 * two minutes are looked at. Their age is taken at the scrape, so that it does not grow until the next.
 */
function ageOf(applying: string): string {
  const ages = perMember("max", `timestamp(${applying}) - (${applying} > 0)`);
  return `max_over_time((${ages})[2m:15s])`;
}

function shareOfConnections(): string {
  const shares = exporters.flatMap(({ connections }) => {
    if (connections === undefined) return [];
    const limits =
      connections.kind === "one limit"
        ? exported(connections.limit)
        : `{__name__=~"${connections.limits.source}",${labelKeys.database}!=""} > 0`;
    return [`${perMember("sum", exported(connections.used))} / ${perMember("min", limits)}`];
  });
  return `(${shares.join(" or ")})`;
}

function shareOfVolumes(): string {
  const pattern = `${dataVolumeName}-(.+)-[0-9]+|${backupClaimName("(.+)")}`;
  const of = (metric: string): string =>
    `max by (namespace, persistentvolumeclaim) (${metric}{persistentvolumeclaim=~"${pattern}"})`;
  const share = `${of("kubelet_volume_stats_available_bytes")} / ${of("kubelet_volume_stats_capacity_bytes")}`;
  return `label_replace(${share}, "name", "$1$2", "persistentvolumeclaim", "${pattern}")`;
}
