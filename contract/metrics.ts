// What the operator measures of itself and of Databases: it serves these, and the platform's rules and dashboard ask for
// them. Names are controller-runtime's, client-go's and kube-state-metrics' where they fit. It imports nothing.

/** A metric: `help` is one sentence for people. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
}

/** The value of the label `controller`, by which controller-runtime's metrics distinguish controllers. */
export const controllerLabel = "database";

/** Every metric of the operator but those of its process, which prom-client names. */
export const operatorMetrics = {
  reconciles: {
    name: "controller_runtime_reconcile_total",
    type: "counter",
    help: "Reconciles by result: success, requeue (a run is due), requeue_after or error.",
    labels: ["controller", "result"],
  },
  reconcileErrors: {
    name: "controller_runtime_reconcile_errors_total",
    type: "counter",
    help: "Reconciles that failed and are tried again.",
    labels: ["controller"],
  },
  reconcileSeconds: {
    name: "controller_runtime_reconcile_time_seconds",
    type: "histogram",
    help: "How long reconciles took.",
    labels: ["controller"],
  },
  activeWorkers: {
    name: "controller_runtime_active_workers",
    type: "gauge",
    help: "Reconciles in progress.",
    labels: ["controller"],
  },
  maxWorkers: {
    name: "controller_runtime_max_concurrent_reconciles",
    type: "gauge",
    help: "How many reconciles can be in progress at the same time, runs and looks together.",
    labels: ["controller"],
  },
  outcomes: {
    name: "database_operator_reconcile_outcomes_total",
    type: "counter",
    help: "Reconciles by outcome (settled, due, waiting, stalled, failed, gone) and reason, the word that conditions use.",
    labels: ["outcome", "reason"],
  },
  queueDepth: {
    name: "workqueue_depth",
    type: "gauge",
    help: "Databases that wait, in the queue for a look or in the queue for a run.",
    labels: ["name", "controller"],
  },
  queueAdds: {
    name: "workqueue_adds_total",
    type: "counter",
    help: "How often a Database began to wait.",
    labels: ["name", "controller"],
  },
  queueWait: {
    name: "workqueue_queue_duration_seconds",
    type: "histogram",
    help: "How long Databases waited for their turn.",
    labels: ["name", "controller"],
  },
  queueWork: {
    name: "workqueue_work_duration_seconds",
    type: "histogram",
    help: "How long turns took.",
    labels: ["name", "controller"],
  },
  queueRetries: {
    name: "workqueue_retries_total",
    type: "counter",
    help: "Turns that are retried after a pause, because one failed.",
    labels: ["name", "controller"],
  },
  queueUnfinished: {
    name: "workqueue_unfinished_work_seconds",
    type: "gauge",
    help: "How long the turns in progress have taken so far, summed up.",
    labels: ["name", "controller"],
  },
  queueLongest: {
    name: "workqueue_longest_running_processor_seconds",
    type: "gauge",
    help: "How long the longest turn in progress has taken so far.",
    labels: ["name", "controller"],
  },
  runs: {
    name: "database_operator_stack_run_seconds",
    type: "histogram",
    help: "How long Pulumi runs took, by operation (up, destroy) and result (succeeded, failed, refused, timedOut, corrupt).",
    labels: ["operation", "result"],
  },
  processes: {
    name: "database_operator_pulumi_processes_started_total",
    type: "counter",
    help: "Pulumi processes started for runs: cli, one or more for each run, or resident. At rest it does not move.",
    labels: ["kind"],
  },
  driftFound: {
    name: "database_operator_drift_found_total",
    type: "counter",
    help: "Children found different from what the last run left, each counted once: deleted, replaced, edited, outdated, surplus.",
    labels: ["kind"],
  },
  driftRepaired: {
    name: "database_operator_drift_repaired_total",
    type: "counter",
    help: "Children that a run restored.",
    labels: ["kind"],
  },
  memberRestarts: {
    name: "database_operator_member_restarts_total",
    type: "counter",
    help: "Members that the operator restarted to apply other settings, by the role that they had: primary, replica or none.",
    labels: ["role"],
  },
  watchRestarts: {
    name: "database_operator_watch_restarts_total",
    type: "counter",
    help: "Lists and watches that broke and were started again; a few are normal.",
    labels: ["kind"],
  },
  leader: {
    name: "leader_election_master_status",
    type: "gauge",
    help: "Whether this operator leads (1) or stands by (0).",
    labels: ["name"],
  },
  buildInfo: {
    name: "database_operator_build_info",
    type: "gauge",
    help: "Always 1; the labels say which operator this is, and which program it declares children with.",
    labels: ["version", "program"],
  },
  databaseInfo: {
    name: "database_info",
    type: "gauge",
    help: "Always 1 for each Database; the engine and version that its spec asks for.",
    labels: ["namespace", "name", "engine", "version"],
  },
  databasePhase: {
    name: "database_status_phase",
    type: "gauge",
    help: "1 for the phase that a Database is in; other phases have no series.",
    labels: ["namespace", "name", "phase"],
  },
  databaseCondition: {
    name: "database_status_condition",
    type: "gauge",
    help: "1 for the current status of each condition of a Database; other statuses have no series.",
    labels: ["namespace", "name", "type", "status", "reason"],
  },
  databaseReplicas: {
    name: "database_spec_replicas",
    type: "gauge",
    help: "Members that a Database asks for.",
    labels: ["namespace", "name"],
  },
  databaseReadyReplicas: {
    name: "database_status_ready_replicas",
    type: "gauge",
    help: "Members of a Database that are ready.",
    labels: ["namespace", "name"],
  },
  databaseStreamingReplicas: {
    name: "database_status_streaming_replicas",
    type: "gauge",
    help: "Replicas of a Database that receive what its primary writes.",
    labels: ["namespace", "name"],
  },
  databaseStorage: {
    name: "database_storage_bytes",
    type: "gauge",
    help: "Size that each data volume of a Database is asked to have: what its spec asks for, or a larger one to which it has grown by itself.",
    labels: ["namespace", "name"],
  },
  databaseLastBackup: {
    name: "database_status_last_backup_timestamp_seconds",
    type: "gauge",
    help: "When the last backup of a Database that succeeded was complete, in seconds since 1970.",
    labels: ["namespace", "name"],
  },
  databaseLastVerified: {
    name: "database_status_last_verified_backup_timestamp_seconds",
    type: "gauge",
    help: "When the last restore drill of a Database that passed had ended, in seconds since 1970.",
    labels: ["namespace", "name"],
  },
  databaseCertificateExpires: {
    name: "database_status_certificate_expiry_timestamp_seconds",
    type: "gauge",
    help: "Until when the certificate is good that the members of a Database show, the first of them to expire, in seconds since 1970.",
    labels: ["namespace", "name"],
  },
  databasePendingChange: {
    name: "database_status_pending_change_timestamp_seconds",
    type: "gauge",
    help: "Since when a change of a Database waits for approval or for a window, as Unix time, and the weightiest of what it does; no series where none waits.",
    labels: ["namespace", "name", "effect"],
  },
  databaseRecovery: {
    name: "database_status_recovery_seconds",
    type: "gauge",
    help: "How long the last restore drill of a Database that passed took until the restored server answered.",
    labels: ["namespace", "name"],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The values of the label `name` of metrics of the queue: the lines in which Databases wait. */
export const queueLines = ["look", "run"] as const;
