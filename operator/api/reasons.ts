// The closed list of reasons. The same word stands in condition, event and metric; the text goes into the reference page.

/** Every reason with the sentence that completes "It is so …". */
export const REASON_TEXTS = {
  progress: {
    Creating: "because the children of a new Database are being made",
    Updating: "because a change of the spec, of its inputs or of the operator is being carried out",
    Restarting:
      "because members are restarted one after the other, the primary last: their settings, image or resources changed, or the operator makes their pods differently now",
    WaitingForMembers: "because not all members are ready yet",
    WaitingForPrimary: "because the members have not elected a primary yet, or a failover is under way",
    WaitingForInitialization: "because the application's role and database are still being made in the engine",
    TakingFinalBackup:
      "because the Database is being deleted under deletionPolicy Snapshot, and nothing is destroyed before a last backup has succeeded",
    DriftRepeated:
      "because somebody keeps changing a child that was put back several times; it is put back less and less often",
    Deleting: "because the Database is being deleted; its finalizer goes when everything it made is gone",
  },
  good: {
    AllReplicasReady: "because all members are ready, one of them is primary and the application's role exists",
    PrimaryServing: "because the primary serves while members are restarted, and no more than one is away",
    Reconciled: "because the last change has been carried out and nothing is under way",
    NotStalled: "because nothing stands in the way that a person would have to remove",
  },
  initialization: {
    InitializationSucceeded: "because the application's role and database exist in the engine",
    InitializationFailed:
      "because the Job that makes the application's role and database failed for good; remove the cause and delete the Job, and it is made again",
  },
  stalled: {
    SpecInvalid: "because the spec breaks a rule that the message names; correct the spec",
    EngineUnavailable: "because this operator cannot run the engine yet; choose an engine that the message lists",
    VersionUnavailable: "because the catalogue has no image for the version; choose one that the message lists",
    ImageLimited:
      "because the server in the version's image cannot do what the spec asks for, by the catalogue; write what the message says",
    UpgradeUnsupported:
      "because the data were written by another major version or a newer one; write a version of the same major that is not lower",
    ConfigSourceMissing: "because the ConfigMap named by spec.configFrom does not exist; it is waited for",
    ParameterReserved:
      "because config sets a parameter that replication depends on, or one that the engine does not know, or to an impossible value; correct it",
    NameConflict:
      "because an object that this Database did not make has the name of a child; remove it or choose another name",
    ConfigRejected:
      "because the first member with the new settings does not start; the others keep the former ones. Correct spec.config or what else was changed, or write it back",
    FinalBackupFailed:
      "because the last backup that deletionPolicy Snapshot asks for failed; nothing was destroyed. Remove the cause and delete its Job, or write Retain or Delete to let the Database go without",
    VolumeGrown:
      "because a volume was grown by hand and cannot shrink; write the size that the message names into the spec",
    VolumesLost:
      "because every data volume was deleted; restore a backup, or delete the Database and create it again to start empty",
    DatabaseRefused:
      "because the API server refuses the Database that a companion asks for; correct the companion, as the message says",
    Paused: "because spec.paused is true; nothing is changed until it is false",
  },
  failure: {
    RunFailed: "because Pulumi could not carry the change out; it is tried again, later each time",
    ReplaceRefused:
      "because the StatefulSet would have to be replaced, which would end all members at once; they stay as they are. Take the change back",
    RunTimedOut: "because Pulumi did not finish in time and was stopped; it is tried again",
    DestroyFailed: "because children could not be deleted; the finalizer stays and it is tried again",
    StateCorrupt: "because the stored Pulumi state cannot be read; it is rebuilt from what exists",
    InternalError: "because the operator met an error it has no name for; its log has the details",
  },
  repair: {
    DriftCorrected: "because a child had been changed or deleted by somebody else; it was put back",
    TakenOver:
      "because the Database is a new object of its name, as after a restore of the cluster; what was kept of the former one was taken over, and the other children were made again",
    StateRebuilt: "because the stored Pulumi state was lost or could not be read; it was rebuilt from what exists",
  },
  backup: {
    BackupDisabled: "because spec.backup.enabled is false",
    BackupScheduled: "because no backup has been taken yet: the first one is at once, the others are by schedule",
    BackupSucceeded: "because the last backup succeeded",
    BackupFailed: "because the last backup failed; the message says why, and the log of its Job has the details",
  },
  replication: {
    ReplicasStreaming: "because every replica takes over what the primary writes",
    ReplicaNotStreaming:
      "because a replica answers and takes over nothing of what the primary writes: reads from it are old, and it cannot take the primary's place without loss",
    NoReplicas: "because there is one member only: nothing is replicated",
  },
  monitoring: {
    MonitoringDisabled: "because spec.monitoring.enabled is false",
    ServiceMonitorCreated: "because a ServiceMonitor tells Prometheus where the metrics are",
    ServiceMonitorCRDMissing:
      "because the cluster does not know ServiceMonitors; exporters run, and a ServiceMonitor is made once the Prometheus operator is installed",
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
/** A reason why an attempt failed that will be repeated. */
export type FailureReason = ReasonOf<"failure">;

const ALL: ReadonlyMap<string, string> = new Map(Object.values(REASON_TEXTS).flatMap((texts) => Object.entries(texts)));

/** Whether `text` is a reason of the closed list. */
export function isReason(text: string): text is Reason {
  return ALL.has(text);
}

/** Every reason, in the order of the reference page. */
export const REASONS: readonly Reason[] = [...ALL.keys()].filter(isReason);

/** The sentence that explains a reason; it begins with "because". */
export function becauseOf(reason: Reason): string {
  return ALL.get(reason) ?? reason;
}

/** The reasons of one group. */
export function reasonsOf(group: ReasonGroup): ReadonlySet<Reason> {
  return new Set(Object.keys(REASON_TEXTS[group]).filter(isReason));
}
