// Series that alerts are judged on, in promtool's notation: what there is of one Database and of its operator.

/** Series by their values each minute, in promtool's notation. */
export type Series = Readonly<Record<string, string>>;

export interface Case {
  readonly alarming: Series;
  readonly harmless: Readonly<Record<string, Series>>;
  /** Minutes until it fires. */
  readonly firesAt: number;
  /** Labels of the alert beside its severity. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of another engine. */
  readonly also?: Readonly<Record<string, Pick<Case, "alarming" | "firesAt">>>;
}

export const job = 'job="database-operator-metrics"';
export const place = 'namespace="shop",name="orders"';
export const orders = { namespace: "shop", name: "orders" };
export const known = { [`database_info{${job},${place},engine="postgresql",version="17.6"}`]: "1x600" };
export const condition = (type: string, status: string, reason: string, ofJob = job): string =>
  `database_status_condition{${ofJob},${place},type="${type}",status="${status}",reason="${reason}"}`;
export const certificate = `database_status_certificate_expiry_timestamp_seconds{${job},${place}}`;
export const waiting = `database_status_pending_change_timestamp_seconds{${job},${place},effect="Switchover"}`;
export const leads = (pod: string): string =>
  `leader_election_master_status{${job},pod="${pod}",name="database-operator"}`;
export const failures = (ofJob = job): string =>
  `controller_runtime_reconcile_errors_total{${ofJob},controller="database",pod="a"}`;
export const member = 'namespace="shop",database="orders",pod="orders-1"';
export const cronJob = 'namespace="shop",cronjob="orders-backup"';
export const scheduled = (name: string): string => `kube_cronjob_status_last_${name}_time{${cronJob}}`;
export const drilled = (name: string): string =>
  `kube_cronjob_status_last_${name}_time{namespace="shop",cronjob="orders-verify"}`;
export const volume = (figure: string, claim: string): string =>
  `kubelet_volume_stats_${figure}_bytes{namespace="shop",persistentvolumeclaim="${claim}",instance="node"}`;
/** Each hour the time of its beginning, in seconds, and some more. */
export const hourly = (more: number): string =>
  Array.from({ length: 10 }, (_, hour) => `${hour * 3600 + more}x59`).join(" ");
export const connections = (count: string): Series => ({
  [`pg_stat_database_numbackends{${member},datname="app"}`]: count,
  [`pg_stat_database_numbackends{${member},datname="postgres"}`]: "1x600",
  [`pg_settings_max_connections{${member}}`]: "100x600",
});

export const connectionsOfMysql = (count: string): Series => ({
  [`mysql_global_status_threads_connected{${member}}`]: count,
  [`mysql_global_variables_max_connections{${member}}`]: "200x600",
  [`mysql_global_variables_max_user_connections{${member}}`]: "100x600",
});
/** When the transaction was committed at which a worker of a member is. */
export const applying = (worker: number): string =>
  `mysql_perf_schema_applying_transaction_original_commit_timestamp_seconds{${member},member_id="${worker}"}`;
