// The closed list of reasons. The same word stands in condition, event and metric; the text goes into the reference page.

/** Every reason with the sentence that completes "It is so …". */
export const REASON_TEXTS = {
  progress: {
    Creating: "because the children of a new Database are being created",
    Updating: "because a change of the spec, of its inputs or of the operator is being applied",
    Restarting:
      "because members are restarted one after the other, the primary last: their settings, image or resources changed, or the operator now creates their pods differently",
    Upgrading:
      "because a major upgrade is in progress; the message says what happens, and whether the database is down meanwhile",
    Restoring: "because the data of a new Database are being copied from a backup; members start once that is done",
    Importing:
      "because the data of a new Database are being imported from a server elsewhere; members start once that is done",
    WaitingForMembers: "because not all members are ready yet",
    WaitingForPrimary: "because the members have not elected a primary yet, or a failover is in progress",
    WaitingForInitialization: "because the application's role and database are still being created in the engine",
    TakingFinalBackup:
      "because the Database is being deleted under deletionPolicy Snapshot, and nothing is destroyed before a last backup has succeeded",
    DriftRepeated:
      "because another client keeps changing a child that was restored several times; it is restored less and less often",
    Deleting: "because the Database is being deleted; its finalizer is removed once everything it created is gone",
  },
  good: {
    AllReplicasReady: "because all members are ready, one of them is primary and the application's role exists",
    PrimaryServing: "because the primary serves while members are restarted, and no more than one is down",
    Reconciled: "because the last change has been applied and nothing is in progress",
    NotStalled: "because nothing needs a person to act",
  },
  initialization: {
    InitializationSucceeded: "because the application's role and database exist in the engine",
    InitializationFailed:
      "because the Job that creates the application's role and database failed permanently; remove the cause and delete the Job, and it is created again",
  },
  stalled: {
    SpecInvalid: "because the spec breaks a rule that the message names; correct the spec",
    VersionUnavailable: "because the catalogue has no image for the version; choose one that the message lists",
    ImageLimited:
      "because the catalogue says that the server in the version's image cannot do what the spec asks for; write what the message says",
    UpgradeUnsupported:
      "because the data was written by another major version or by a newer one, or an earlier upgrade is not confirmed; write the version that the message names",
    UpgradeFailed:
      "because a major upgrade failed, or its rehearsal; the message says where, which version runs, and what to do",
    ConfigSourceMissing: "because the ConfigMap named by spec.configFrom does not exist; the operator waits for it",
    ParameterReserved:
      "because config sets a parameter that replication depends on, or one that the engine does not know, or to an impossible value; correct it",
    NameConflict:
      "because an object that this Database did not create has the name of a child; remove it or choose another name",
    ConfigRejected:
      "because the first member with the new settings does not start; the others keep the previous ones. Correct spec.config or whatever else was changed, or revert it",
    RestoreRefused:
      "because the backup that spec.restore names cannot become the data of this Database; nothing was created. Correct what the message says, or delete the Database",
    RestoreFailed:
      "because the Job that copies the backup failed; nothing of it is used. Remove the cause and delete the Job, and it begins again, or delete the Database",
    ImportRefused:
      "because the data of the server that spec.initFrom names cannot become those of this Database; nothing was created. Do what the message says, or delete the Database",
    ImportFailed:
      "because the Job that imports the data failed; nothing of them is used. Remove the cause and delete the Job, and it begins again, or delete the Database",
    FinalBackupFailed:
      "because the last backup that deletionPolicy Snapshot asks for failed; nothing was destroyed. Remove the cause and delete its Job, or write Retain or Delete to delete the Database without one",
    VolumeGrown:
      "because a volume was grown by hand and cannot shrink; write the size that the message names into the spec",
    VolumesLost:
      "because every data volume was deleted; restore a backup, or delete the Database and create it again to start empty",
    DatabaseRefused:
      "because the API server rejects the Database that a companion asks for; correct the companion, as the message says",
    Paused: "because spec.paused is true; nothing is changed until it is false",
    ChangePending:
      "because a change waits for approval or for a window, by spec.changePolicy or the platform's default; status.pendingChange says what it does and what it waits for, and what ran before is maintained",
  },
  pending: {
    AwaitingApproval: "because a person must approve what the change does; the message says how",
    AwaitingWindow:
      "because what the change does may begin only while a window is open; the message says when one opens",
    ApprovalVoid:
      "because the Database carries an approval that does not count; the message says why, and what to approve instead",
    PreviewFailed:
      "because it cannot be told what the change does, and by the policy some changes wait: it is not carried out, and previewed again every half minute",
    NoChangePending: "because no change waits",
  },
  failure: {
    RunFailed: "because Pulumi could not apply the change; it is retried with increasing delays",
    ReplaceRefused:
      "because the StatefulSet would have to be replaced, which would stop all members at once; they stay as they are. Revert the change",
    RunTimedOut: "because Pulumi did not finish in time and was stopped; the run is retried",
    DestroyFailed: "because children could not be deleted; the finalizer stays and the deletion is retried",
    StateCorrupt: "because the stored Pulumi state cannot be read; it is rebuilt from what exists",
    InternalError: "because the operator met an unexpected error; its log has the details",
  },
  repair: {
    DriftCorrected: "because another client had changed or deleted a child; it was restored",
    TakenOver:
      "because the Database is a new object of its name, as after a restore of the cluster; what was kept of the previous one was adopted, and the other children were recreated",
    StateRebuilt: "because the stored Pulumi state was lost or could not be read; it was rebuilt from what exists",
  },
  renewed: {
    CertificatesRenewed:
      "because certificates of the members, or the authority that signs them, were due: members read them again without a restart",
  },
  upgraded: {
    UpgradeEnded: "because a major upgrade is complete and confirmed, or was called off",
  },
  restored: {
    RestoreSucceeded: "because the data of a new Database were copied from a backup",
    ImportSucceeded: "because the data of a new Database were imported from a server elsewhere",
  },
  backup: {
    BackupDisabled: "because spec.backup.enabled is false",
    BackupScheduled: "because no backup has been taken yet: the first one is taken at once, the others by schedule",
    BackupSucceeded: "because the last backup succeeded",
    BackupFailed: "because the last backup failed; the message says why, and the log of its Job has the details",
  },
  verification: {
    NotYetVerified: "because no restore drill has taken place yet",
    BackupRestored: "because a restore drill restored the newest backup, read all of it, and its queries held",
    BackupDamaged: "because the newest backup cannot be read, or is not what was written when it was taken",
    ArchiveDamaged:
      "because changes behind the newest backup are missing, or cannot be read: no restore gets past them",
    RestoreNotStarted:
      "because a server does not start with the newest backup, or does not take it in; the log of the drill says why",
    DataDamaged:
      "because tables, indexes or collections in the newest backup are damaged, and so perhaps those of the database as well",
    QueryFailed: "because a query of spec.backup.verify does not hold in the newest backup; the message names it",
    VerificationNotPossible:
      "because the last restore drill could not take place, for want of room, time, a node or a backup: that says nothing of the backup",
  },
  archive: {
    ArchivePending: "because no primary has said yet whether what it writes arrives",
    ArchiveArriving: "because what the primary writes arrives in the object storage, or on the backup volume",
    ArchiveWaiting:
      "because what the primary writes does not arrive in the object storage, or on the backup volume: it waits on the data volume, and is tried again; the message says why",
    ArchiveGap:
      "because more waited than a quarter of the data volume holds, and was given up, or what was written was gone before it was copied to the backup volume: no restore gets past that. A backup is taken as soon as something arrives again; from it on there is no gap",
  },
  execution: {
    BackupPending: "because it has not begun: it waits for what the message names",
    BackupRunning: "because its Job is running",
    DatabaseMissing:
      "because there is no Database of the name in spec.database, or it is being deleted; create it, or delete the DatabaseBackup",
    BackupDamaged:
      "because it, or the complete backup that it needs, is not what was sent any more where it lies: a later backup found that, and was taken complete; restore another one",
    BackupVanished: "because its Job was gone before it had ended; nothing of an incomplete backup is left",
  },
  storage: {
    StorageSufficient: "because no data volume is more than 80 % full",
    FillingUp: "because a data volume is more than 80 % full; the message says of what, and whether it grows by itself",
    Full: "because a data volume has almost no room left, so that its member may stop; the message says of what, and what to do",
    MaxSizeReached:
      "because a data volume fills up that spec.storageAutoGrow.maxSize lets grow no further; raise it, or remove data",
    GrowthNotPossible:
      "because a data volume fills up that cannot grow; the message says why, such as a StorageClass without allowVolumeExpansion",
    StorageGrown: "because a data volume filled up, and all data volumes grow within spec.storageAutoGrow.maxSize",
  },
  replication: {
    ReplicasStreaming: "because every replica receives what the primary writes",
    ReplicaNotStreaming:
      "because a replica answers but receives nothing of what the primary writes: reads from it are stale, and it cannot become the primary without loss",
    NoReplicas: "because there is only one member: nothing is replicated",
  },
  monitoring: {
    MonitoringDisabled: "because spec.monitoring.enabled is false",
    ServiceMonitorCreated: "because a ServiceMonitor tells Prometheus where the metrics are",
    ServiceMonitorCRDMissing:
      "because the cluster has no ServiceMonitors; exporters run, and a ServiceMonitor is created once the Prometheus operator is installed",
  },
} as const;

type Texts = typeof REASON_TEXTS;
/** What a group of reasons has in common. */
export type ReasonGroup = keyof Texts;
/** A reason of one group. */
export type ReasonOf<G extends ReasonGroup> = { [K in G]: keyof Texts[K] }[G] & string;
/** Any reason. */
export type Reason = { [G in ReasonGroup]: keyof Texts[G] }[ReasonGroup];

/** A reason of a condition that says "at work". */
export type ProgressReason = ReasonOf<"progress">;
/** A reason why a person must act, or an input must appear. */
export type StalledReason = ReasonOf<"stalled">;
/** A reason of the condition ChangePending. */
export type PendingReason = ReasonOf<"pending">;
/** A reason why an attempt failed that will be repeated. */
export type FailureReason = ReasonOf<"failure">;

const ALL: ReadonlyMap<string, string> = new Map(Object.values(REASON_TEXTS).flatMap((texts) => Object.entries(texts)));

/** Whether `text` is a reason of the closed list. */
export function isReason(text: string): text is Reason {
  return ALL.has(text);
}

/** Every reason, in the order of the reference page. */
export const REASONS: readonly Reason[] = [...ALL.keys()].filter(isReason);

/** The reasons of one group. */
export function reasonsOf(group: ReasonGroup): ReadonlySet<Reason> {
  return new Set(Object.keys(REASON_TEXTS[group]).filter(isReason));
}
