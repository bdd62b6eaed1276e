// Every question that alerts and dashboard ask of Prometheus, in one place.
import { backupClaimName, backupCronJobName, dataVolumeName, labelKeys } from "../../components/naming";
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

const operator = operatorMetrics;

export const queries = {
  /** 1 while an operator leads; 0 where none does, or none is scraped. */
  leading: `(max(${select(operator.leader, { name: '="database-operator"' })}) or vector(0))`,
  /** Of all operators, in the last 15 minutes. */
  errors: `sum(increase(${select(operator.reconcileErrors, controller)}[15m]))`,
  notReady: condition({ type: '="Ready"', status: '!="True"', reason: '!="Deleting"' }),
  stalled: condition({ type: '="Stalled"', status: '="True"' }, "namespace, name, reason"),
  notStreaming: condition({ type: '="ReplicationReady"', reason: '="ReplicaNotStreaming"' }),
  backupFailed: condition({ type: '="BackupReady"', reason: '="BackupFailed"' }),
  /** Of each CronJob of backups (kube-state-metrics): when it was due last, where no success came after. */
  backupOverdue: ofDatabases(backupsDueWithoutSuccess()),
  /** Of each replica, in seconds; of MySQL only while there is any. */
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

function backupsDueWithoutSuccess(): string {
  const pattern = backupCronJobName("(.+)");
  const of = (metric: string): string => `max by (namespace, cronjob) (${metric}{cronjob=~"${pattern}"})`;
  const success = `(${of("kube_cronjob_status_last_successful_time")} or ${of("kube_cronjob_created")})`;
  const due = `${of("kube_cronjob_status_last_schedule_time")} > ${success}`;
  return `label_replace(${due}, "name", "$1", "cronjob", "${pattern}")`;
}

/**
 * MySQL reports when the transactions that a member applies right now were committed, and 0 between two of them: a member with a backlog
 * may be scraped there, so two minutes are looked at. Its age is taken at the scrape, so that it does not grow until the next.
 */
function replicationLag(): string {
  const applying = exported("mysql_perf_schema_applying_transaction_original_commit_timestamp_seconds");
  const ages = perMember("max", `timestamp(${applying}) - (${applying} > 0)`);
  const told = ["pg_replication_lag_seconds", "mongodb_replication_lag_seconds"].map((metric) =>
    perMember("max", exported(metric)),
  );
  return `(${told.join(" or ")} or max_over_time((${ages})[2m:15s]))`;
}

/** MySQL has a limit for all, and a lower one for each user but the superuser: the application meets that. */
function shareOfConnections(): string {
  const share = (used: string, limits: string): string =>
    `${perMember("sum", exported(used))} / ${perMember("min", limits)}`;
  const ofPostgresql = share("pg_stat_database_numbackends", exported("pg_settings_max_connections"));
  const limits = `{__name__=~"mysql_global_variables_max_(user_)?connections",${labelKeys.database}!=""} > 0`;
  return `(${ofPostgresql} or ${share("mysql_global_status_threads_connected", limits)})`;
}

function shareOfVolumes(): string {
  const pattern = `${dataVolumeName}-(.+)-[0-9]+|${backupClaimName("(.+)")}`;
  const of = (metric: string): string =>
    `max by (namespace, persistentvolumeclaim) (${metric}{persistentvolumeclaim=~"${pattern}"})`;
  const share = `${of("kubelet_volume_stats_available_bytes")} / ${of("kubelet_volume_stats_capacity_bytes")}`;
  return `label_replace(${share}, "name", "$1$2", "persistentvolumeclaim", "${pattern}")`;
}
