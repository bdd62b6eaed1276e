// The status of a Database: what the operator observed. Nothing that changes by itself is in it; those are metrics.
import { z } from "zod";
import { consistencies } from "../../contract/backup-report";
import { PendingChange } from "./pending-change";
import { dateTime, OPEN_ENUM } from "./status-fields";
import { REASONS } from "./reasons";

/** Where a Database is in its life. */
export const Phase = z.enum(["Pending", "Running", "Updating", "Failed", "Deleting"]);
export type Phase = z.infer<typeof Phase>;

/** The condition types, each with what it says. Reconciling and Stalled follow kstatus: True while something is not normal. */
export const CONDITION_TEXTS = {
  Ready: "True: the database can be used and has all the members that the spec asks for.",
  Initialized: "True: the application's role and database exist in the engine; it stays True.",
  Reconciling: "True: a change is being applied or waited for.",
  Stalled: "True: nothing happens until a person acts or a missing input appears.",
  ChangePending:
    "True: a change waits for approval or for a window; what ran before is maintained meanwhile. It is missing until one does.",
  BackupReady: "True: there is a backup, and the last one that was tried succeeded.",
  BackupVerified:
    "With restore drills. True: the last one restored the newest backup. False: it found that the backup is no good. Unknown: none has told yet.",
  ArchiveReady:
    "Where changes between backups are kept, in object storage or on the backup volume. True: what the primary writes arrives there.",
  ReplicationReady: "True: every replica that the spec asks for receives what the primary writes.",
  StorageReady: "True: no data volume fills up. It is missing until members say how full theirs are.",
  MonitoringReady: "True: Prometheus knows where the metrics are.",
} as const;

/** The type of a condition. */
export type ConditionType = keyof typeof CONDITION_TEXTS;

const isConditionType = (text: string): text is ConditionType => Object.hasOwn(CONDITION_TEXTS, text);

/** Every condition type, in the order in which they are shown. */
export const CONDITION_TYPES: readonly ConditionType[] = Object.keys(CONDITION_TEXTS).filter(isConditionType);

/** One condition, in the form of Kubernetes' metav1.Condition. */
export const Condition = z.object({
  type: z
    .enum(CONDITION_TYPES)
    .meta({ [OPEN_ENUM]: true, description: "What the condition is about, for example Ready." }),
  status: z.enum(["True", "False", "Unknown"]).meta({ description: "Whether it holds." }),
  // any string where it is read: an operator that goes back a version finds reasons that it does not know
  reason: z.string().meta({
    enum: REASONS,
    [OPEN_ENUM]: true,
    description: "Why, as one word of a closed list; the event and the metric use the same word.",
  }),
  message: z.string().max(1024).meta({ description: "Why, as a sentence for people, and what to do." }),
  lastTransitionTime: dateTime("When status last changed."),
  observedGeneration: z.int().optional().meta({ description: "The metadata.generation that this was judged from." }),
});
export type Condition = z.infer<typeof Condition>;

const LastChange = z
  .object({
    revision: z.int().meta({ description: "Counts the changes of this Database, from 1." }),
    summary: z.string().max(1024).meta({ description: "What the change did, for example: 1 updated, 12 unchanged." }),
    at: dateTime("When the change was applied."),
    by: z.string().max(128).optional().meta({
      description:
        "Field manager that asked for it, for example kubectl-client-side-apply; where a child was restored, the one that had changed it.",
    }),
    name: z.string().max(253).optional().meta({
      description: "Name of its DatabaseRevision; missing where an earlier operator carried it out.",
    }),
  })
  .meta({ description: "The last change that the operator applied." });

const LastBackup = z
  .object({
    name: z.string().meta({ description: "Name of its DatabaseBackup." }),
    label: z.string().optional().meta({
      description:
        "Its name where it lies, by which a restore asks for it; missing where the Job's pod could not be asked.",
    }),
    job: z.string().optional().meta({ description: "Name of the Job that took it." }),
    completedAt: dateTime("When it was complete."),
  })
  .meta({ description: "The last successful backup." });

const LastVerifiedBackup = z
  .object({
    name: z.string().optional().meta({ description: "Name of its DatabaseBackup; missing where it is not known." }),
    label: z.string().max(128).meta({ description: "Its name where it lies." }),
    at: dateTime("When the drill ended."),
    recoverySeconds: z.int().meta({ description: "Seconds from its begin until the restored server took queries." }),
  })
  .meta({ description: "The last backup that a restore drill restored with success." });

const RestoredFrom = z
  .object({
    backup: z
      .string()
      .max(253)
      .optional()
      .meta({ description: "Name of the DatabaseBackup, which may be gone by now." }),
    label: z.string().max(128).optional().meta({ description: "Name of the backup where it lies." }),
    location: z.string().max(1024).optional().meta({
      description: "The object storage that it was in; missing where it was on a volume.",
    }),
    pointInTime: z.string().max(64).optional().meta({
      description: "The moment up to which changes after it were taken in; missing where none was asked for.",
    }),
  })
  .meta({ description: "The backup that the data were copied from when the Database was new." });

const InitializedFrom = z
  .object({
    host: z.string().max(253).meta({ description: "Where the server was." }),
    port: z.int().meta({ description: "Its port." }),
    databases: z.array(z.string().max(63)).max(20).meta({
      "x-kubernetes-list-type": "atomic",
      description: "Which of its databases.",
    }),
    version: z.string().max(64).optional().meta({ description: "Version of the server." }),
    tables: z.int().optional().meta({ description: "How many tables were imported, or collections." }),
    rows: z
      .int()
      .optional()
      .meta({ description: "How many rows they have together, or documents: as many as were counted at the source." }),
    consistency: z
      .enum(consistencies)
      .optional()
      .meta({
        [OPEN_ENUM]: true,
        description: "OneMoment: all of it is of one moment. Torn: what was written meanwhile may be in it in part.",
      }),
  })
  .meta({
    description:
      "The server that the data were imported from when the Database was new. What its Job said of them is missing where its pod was gone before it was read.",
  });

const GrownStorage = z
  .object({
    size: z.string().max(64).meta({ description: "Size of each data volume, as it is asked for." }),
    reason: z.string().max(1024).meta({ description: "Why they grew." }),
  })
  .meta({
    description: "To which size the data volumes have grown by themselves; missing where spec.storage is as large.",
  });

const MajorUpgrade = z
  .object({
    from: z.string().max(16).meta({ description: "The version that is left." }),
    to: z.string().max(16).meta({ description: "The version that it leads to." }),
    phase: z.string().max(32).meta({ description: "What happens now, such as Rehearsing or AwaitingConfirmation." }),
    announcedSeconds: z.int().optional().meta({
      description:
        "How long the conversion took in the rehearsal, in seconds: the downtime to come, but for the stop and the start.",
    }),
    downtimeSeconds: z.int().optional().meta({ description: "How long no member served, in seconds." }),
    wayBack: z.literal("Gone").optional().meta({
      description:
        "Gone where the first member has the former files no more: nothing leads back to the former version.",
    }),
  })
  .meta({ description: "The major upgrade in progress, or that is not confirmed yet; missing where there is none." });

const TlsOfMembers = z
  .object({
    mode: z.string().max(16).meta({ description: "What members are to have now: Prefer or Require." }),
    allMembers: z.boolean().meta({ description: "Whether all of them have it." }),
    certificateExpires: dateTime(
      "Until when the certificate is good that the members show, the first of them to expire; it is renewed when a third of its time is left, or a little earlier.",
    ),
    authorityExpires: dateTime("Until when the newest authority is good that clients trust."),
  })
  .meta({ description: "TLS of the members; missing where there is none." });

/** What the operator observed; every part may be missing. */
export const DatabaseStatus = z
  .object({
    ready: z.boolean().optional().meta({
      description: "Whether the database can be used and has all its members: the condition Ready as a boolean.",
    }),
    phase: Phase.optional().meta({ description: "Where the Database is in its life cycle." }),
    observedGeneration: z.int().optional().meta({
      description:
        "The metadata.generation that the operator last acted on. Older than the current one: a change is still to come.",
    }),
    replicas: z.int().optional().meta({ description: "How many members exist." }),
    readyReplicas: z.int().optional().meta({ description: "How many members are ready." }),
    streamingReplicas: z
      .int()
      .optional()
      .meta({ description: "How many replicas receive what the primary writes, the primary itself not counted." }),
    labelSelector: z
      .string()
      .optional()
      .meta({ description: "Selects the members' pods; kubectl scale and autoscalers read it." }),
    primary: z.string().optional().meta({ description: "Name of the pod that takes writes." }),
    endpoint: z.string().optional().meta({ description: "Host and port for reading and writing, inside the cluster." }),
    credentialsSecret: z
      .string()
      .optional()
      .meta({ description: "Name of the Secret with username, password, host, port, database and uri." }),
    version: z
      .string()
      .max(16)
      .optional()
      .meta({ description: "The version that the last successful change declared: the one that runs." }),
    conditions: z
      .array(Condition)
      .optional()
      .meta({
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        description: "The current conditions, one entry per type.",
      }),
    pendingChange: PendingChange.optional(),
    storage: GrownStorage.optional(),
    tls: TlsOfMembers.optional(),
    upgrade: MajorUpgrade.optional(),
    lastChange: LastChange.optional(),
    lastBackup: LastBackup.optional(),
    lastVerifiedBackup: LastVerifiedBackup.optional(),
    recoverableFrom: dateTime(
      "Where changes between backups are kept: the earliest moment that a restore can go back to.",
    ).optional(),
    restoredFrom: RestoredFrom.optional(),
    initializedFrom: InitializedFrom.optional(),
  })
  .meta({ description: "What the operator observed. Only the operator writes it." });
export type DatabaseStatus = z.infer<typeof DatabaseStatus>;
