// The alerts: few, and each about something that users feel or will feel. What to do is in docs/runbooks.md, a section for each.
import { queries } from "./queries";

/** An alerting rule, as Prometheus has it. */
export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/** `critical`: a person must be woken up. `warning`: a person should look at it on the next day. */
export type Severity = "critical" | "warning";

export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly AlertingRule[];
}

interface Alert {
  readonly expr: string;
  /** How long it must have been so. */
  readonly for: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly description: string;
}

const database = "{{ $labels.namespace }}/{{ $labels.name }}";
/** Of what the exporters of members say. */
const member = "{{ $labels.namespace }}/{{ $labels.pod }}";

const ofOperator = {
  DatabaseOperatorNotLeading: {
    expr: `${queries.leading} < 1`,
    for: "5m",
    severity: "critical",
    summary: "No database operator is active",
    description:
      "No operator leads, or Prometheus reaches none. Databases keep running, with failover and backups; changes of Databases are not applied, and certificates not renewed: after 30 days the first Databases with TLS are lost to their clients, and no other alert says so.",
  },
  DatabaseOperatorReconcileErrors: {
    expr: `${queries.errors} >= 3`,
    for: "15m",
    severity: "warning",
    summary: "Changes of Databases fail again and again",
    description: "{{ $value | humanize }} reconciles failed in 15 minutes. They are retried with increasing delays.",
  },
} as const satisfies Readonly<Record<string, Alert>>;

const ofDatabases = {
  DatabaseNotReady: {
    expr: `${queries.notReady} == 1`,
    for: "15m",
    severity: "critical",
    summary: `Database ${database} is not ready`,
    description: "It cannot be used, or has fewer members than it asks for. Its condition Ready says why.",
  },
  DatabaseStalled: {
    expr: `${queries.stalled} == 1`,
    for: "15m",
    severity: "warning",
    summary: `Database ${database} waits for a person ({{ $labels.reason }})`,
    description: "It stays unchanged until a person acts. The message of its condition Stalled says what to do.",
  },
  DatabaseChangesAwaitApproval: {
    expr: `${queries.awaitingLong} > 0`,
    for: "5m",
    severity: "warning",
    summary: "Changes of Databases have waited for approval for more than a day ({{ $labels.effect }})",
    description:
      "{{ $value }} Databases wait for an approver, and with a release all that comes after it waits, too: images, parameters, edits.",
  },
  DatabaseChangeNotPreviewed: {
    expr: `${queries.notPreviewed} == 1`,
    for: "1h",
    severity: "warning",
    summary: `A change of ${database} waits, as it cannot be told what it does`,
    description: "No change of it is carried out, and nothing can be approved. Its condition ChangePending says why.",
  },
  DatabaseBackupFailed: {
    expr: `${queries.backupFailed} == 1`,
    for: "5m",
    severity: "warning",
    summary: `The last backup of ${database} failed`,
    description: "What was written since the last backup that succeeded could not be restored.",
  },
  DatabaseBackupOverdue: {
    expr: queries.backupOverdue,
    for: "8h",
    severity: "warning",
    summary: `Database ${database} has had no backup since one was due`,
    description: "A backup was due more than 8 hours ago, and none has succeeded since.",
  },
  DatabaseBackupNotRestorable: {
    expr: `${queries.notRestorable} == 1`,
    for: "5m",
    severity: "warning",
    summary: `The newest backup of ${database} is no good ({{ $labels.reason }})`,
    description:
      "A restore drill could not restore it, or found something wrong with what it restored. The condition BackupVerified says what.",
  },
  DatabaseDrillOverdue: {
    expr: queries.drillOverdue,
    for: "8h",
    severity: "warning",
    summary: `No backup of ${database} has been restored by a drill since one was due`,
    description:
      "A restore drill was due more than 8 hours ago, and none has passed since: whether backups are any good is not known.",
  },
  DatabaseArchiveNotReady: {
    expr: `${queries.archiveNotReady} == 1`,
    for: "15m",
    severity: "warning",
    summary: `What ${database} writes does not arrive in object storage`,
    description: "What was written since could not be restored. Its condition ArchiveReady says why.",
  },
  DatabaseReplicaNotStreaming: {
    expr: `${queries.notStreaming} == 1`,
    for: "10m",
    severity: "warning",
    summary: `A replica of ${database} does not stream from its primary`,
    description:
      "It answers with the data it had when it stopped, and cannot replace the primary without loss. Its condition ReplicationReady names it.",
  },
  DatabaseReplicationLag: {
    expr: `${queries.replicationLag} > 60`,
    for: "10m",
    severity: "warning",
    summary: `Replica ${member} is behind its primary`,
    description: "It is {{ $value | humanizeDuration }} behind: reads from it are stale, and it is a poor successor.",
  },
  DatabaseConnectionsNearLimit: {
    expr: `${queries.connections} > 0.9`,
    for: "10m",
    severity: "warning",
    summary: `Member ${member} has almost no connections left`,
    description: "{{ $value | humanizePercentage }} of its connections are in use: clients will soon be refused.",
  },
  DatabaseStorageFull: {
    expr: `${queries.storageFull} == 1`,
    for: "5m",
    severity: "critical",
    summary: `A data volume of ${database} is full`,
    description:
      "Its member may stop. Its condition StorageReady names the member, what fills the volume, and what to do.",
  },
  DatabaseStorageNotGrowing: {
    expr: `${queries.storageStuck} == 1`,
    for: "15m",
    severity: "warning",
    summary: `A data volume of ${database} fills up and grows no further`,
    description: "It should grow by itself and cannot. Its condition StorageReady says why, and what to do.",
  },
  DatabaseCertificateExpires: {
    expr: `${queries.certificateLeft} < ${14 * 86_400}`,
    for: "1h",
    severity: "critical",
    summary: `The certificate of ${database} is not renewed`,
    description:
      "It is good for {{ $value | humanizeDuration }}, and should have been renewed by now. Once it has expired, clients that check it cannot connect, and members that require TLS do not follow.",
  },
  DatabaseVolumeNearlyFull: {
    expr: `${queries.volumeFree} < 0.1`,
    for: "15m",
    severity: "critical",
    summary: `Volume {{ $labels.namespace }}/{{ $labels.persistentvolumeclaim }} of ${database} is nearly full`,
    description: "{{ $value | humanizePercentage }} is free. A database whose volume is full takes no writes.",
  },
} as const satisfies Readonly<Record<string, Alert>>;

/** The name of an alert. */
export type AlertName = keyof typeof ofOperator | keyof typeof ofDatabases;

export interface AlertOptions {
  /** Where docs/runbooks.md can be read; each alert points to its section. */
  readonly runbooks: string;
  /** Instead of how long each must have been so; for tests. Default: as long as is sensible. */
  readonly patience?: Partial<Readonly<Record<AlertName, string>>>;
}

/** The groups of a PrometheusRule. */
export function alertGroups({ runbooks, patience = {} }: AlertOptions): AlertGroup[] {
  const waits: Readonly<Record<string, string>> = patience;
  const ruleOf = ([alert, { expr, severity, summary, description, for: wait }]: [string, Alert]): AlertingRule => ({
    ...{ alert, expr, for: waits[alert] ?? wait, labels: { severity } },
    annotations: { summary, description, runbook_url: `${runbooks}#${alert.toLowerCase()}` },
  });
  return [
    { name: "database-operator", rules: Object.entries(ofOperator).map(ruleOf) },
    { name: "databases", rules: Object.entries(ofDatabases).map(ruleOf) },
  ];
}
