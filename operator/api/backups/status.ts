// The status of a DatabaseBackup: what is known for certain of one backup. What is not known is missing.
import { z } from "zod";
import { consistencies } from "../../../contract/backup-report";
import { Condition } from "../status";
import { OPEN_ENUM } from "../status-fields";

/** Where a backup is. Succeeded and Failed are final. */
export const BackupPhase = z.enum(["Pending", "Running", "Succeeded", "Failed"]);
export type BackupPhase = z.infer<typeof BackupPhase>;

/** What asked for a backup. */
export const BackupTrigger = z.enum(["Initial", "Scheduled", "Manual", "ArchiveGap", "Retry", "Final"]);
export type BackupTrigger = z.infer<typeof BackupTrigger>;

/** The conditions of a backup, each with what it says. */
export const BACKUP_CONDITION_TEXTS = {
  Ready: "True: the backup is complete and was verified; a restore can use it.",
  Stalled: "True: nothing happens until a person acts: it failed, or what it waits for does not come by itself.",
} as const;

const text = (description: string, max = 253): z.ZodOptional<z.ZodString> =>
  z.string().max(max).optional().meta({ description });

const time = (description: string): z.ZodOptional<z.ZodString> =>
  z.string().optional().meta({ format: "date-time", description });

/** What the operator knows of it; every part may be missing. */
export const BackupStatus = z
  .object({
    phase: BackupPhase.optional().meta({
      [OPEN_ENUM]: true,
      description: "Where it is: Pending, Running, and at the end Succeeded or Failed.",
    }),
    trigger: BackupTrigger.optional().meta({
      [OPEN_ENUM]: true,
      description:
        "What asked for it: Initial (the Database was new, or changed), Scheduled, Manual (a person), ArchiveGap (changes were lost to the archive), Retry (that of the schedule had failed) or Final (the last one before the Database is deleted, or before a major upgrade).",
    }),
    observedGeneration: z.int().optional().meta({
      description: "The metadata.generation that the operator last acted on.",
    }),
    startedAt: time("When its program began to copy."),
    completedAt: time("When it was complete, or had failed for good."),
    durationSeconds: z.int().optional().meta({ description: "Seconds from startedAt to completedAt." }),
    size: z.int().optional().meta({ description: "Size of its files in bytes." }),
    storedSize: z.int().optional().meta({
      description: "Bytes that it took up in addition where it lies: compressed, and without what lies there already.",
    }),
    sizeText: text("The same for people, such as 1.4 GiB.", 32),
    engine: text("The database engine.", 32),
    version: text("The version of the server that it was copied from.", 64),
    cluster: text(
      "What it is a copy of, as the engine says it; a Database that was recreated over an empty volume is another one.",
      128,
    ),
    label: text("Its name where it lies, by which a restore asks for it, such as orders-20261121T020003Z.", 128),
    base: text("The label of the complete backup that this one is not whole without.", 128),
    recoverableFrom: time(
      "Where changes are kept: the earliest moment that a restore could go back to when it was complete.",
    ),
    location: text("Where it lies, such as: volume orders-backup, or s3://backups/prod/shop/orders.", 1024),
    consistency: z
      .enum(consistencies)
      .optional()
      .meta({
        [OPEN_ENUM]: true,
        description:
          "Of MongoDB: OneMoment, as of a replica set, or Torn, where the server has no oplog, as FerretDB: what was written while it was taken may be in it in part.",
      }),
    member: text("The member that it was copied from."),
    job: text("Name of the Job that took it, or tried."),
    verifiedAt: time(
      "When a restore drill last restored it with success; missing where none did, or the last one failed.",
    ),
    verification: z
      .object({
        at: z.string().meta({ format: "date-time", description: "When the drill ended." }),
        succeeded: z.boolean().meta({ description: "Whether it was restored and is as it should be." }),
        seconds: z.int().optional().meta({ description: "Seconds until the restored server took queries." }),
        message: z.string().max(1024).meta({ description: "What was found, as a sentence for people." }),
      })
      .optional()
      .meta({ description: "What the last restore drill of this backup found." }),
    message: text("What it is, or why it waits or failed, as a sentence for people.", 1024),
    conditions: z
      .array(Condition)
      .optional()
      .meta({
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        description: "The current conditions, one entry per type.",
      }),
  })
  .meta({ description: "What the operator knows of it. Only the operator writes it." });
export type BackupStatus = z.infer<typeof BackupStatus>;
