// From where the data of a new Database come: a part of the spec.
import { z } from "zod";
import { titlesOf, type EngineName } from "../../contract/engines";
import { maxNameLength, namePattern } from "../../contract/limits";
import { nameOf, patterned } from "./fields";
import { Encryption, storageFields, storing } from "./object-storage";
import { isSentAlong, keepingChanges } from "./point-in-time";
import { isOneOf, rule, type CelRule, type CheckedRule } from "./rules";

const From = z
  .object({
    name: patterned(
      namePattern,
      maxNameLength,
      "must be the name of a Database, which may be gone: a lower-case letter, then a-z, 0-9 and -, for example my-postgres",
    ).meta({
      description: "Name of the Database, in the same namespace. It may be gone, as long as its backups are there.",
    }),
  })
  .meta({ description: "The newest backup of a Database, and where they were kept, all changes after it." });

const Backup = z
  .object({
    name: nameOf("a DatabaseBackup", "before-migration").meta({
      description: "Name of the DatabaseBackup, in the same namespace.",
    }),
  })
  .meta({ description: "One backup, by its object, without what came after it." });

/** What labels of backups on volumes are, and of MySQL's in object storage: the name of the Database, and when it began. */
const label = /^[a-z][-a-z0-9]*-[0-9]{8}T[0-9]{6}Z$/;

/** The same in object storage: of PostgreSQL they are when it began, and of a differential one after that of the complete one. */
const storedLabel = /^([0-9]{8}-[0-9]{6}F(_[0-9]{8}-[0-9]{6}[DI])?|[a-z][-a-z0-9]*-[0-9]{8}T[0-9]{6}Z)$/;

const FromVolume = z
  .object({
    claim: z
      .object({
        name: nameOf("a PersistentVolumeClaim", "orders-backup").meta({
          description: "Name of the PersistentVolumeClaim, in the same namespace. It is only read.",
        }),
      })
      .meta({ description: "The claim of the volume that backups are on." }),
    label: patterned(label, 128, "must be the name of a directory on the volume, such as orders-20261121T020003Z")
      .optional()
      .meta({
        description:
          "The backup, by its name on the volume. Default: the newest one, where all there are of one Database.",
      }),
  })
  .meta({
    description:
      "Backups on a volume of which nothing else needs to be left: a copy of it, from another namespace or cluster, or one whose DatabaseBackups are gone.",
  });

/** But for the 29th of February in other years, which the server refuses, these are days that there are. */
const day =
  /(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))/;
const time = /(?:[01][0-9]|2[0-3]):[0-5][0-9]/;

const PointInTime = patterned(
  new RegExp(`^[0-9]{4}-${day.source}T${time.source}:[0-5][0-9](?:\\.[0-9]{1,6})?(?:Z|[-+]${time.source})$`),
  40,
  "must be a moment in RFC 3339 with Z or an offset, for example 2026-11-25T08:34:00Z or 2026-11-25T09:34:00.5+01:00",
).meta({
  description:
    "With from or s3, where changes between backups were kept: the moment up to which changes are taken in, such as 2026-11-25T08:34:00Z, to the microsecond. What was committed later is not there. Default: all that is there.",
});

const { prefix, ...others } = storageFields;

const FromS3 = z
  .object({
    ...others,
    prefix: prefix.unwrap().meta({
      description:
        "What all names of the backups begin with: that of spec.backup.destination.s3, namespace and name of the Database that was backed up, for example prod/shop/orders.",
    }),
    encryption: Encryption.optional().meta({
      description: "By what they are encrypted: spec.backup.encryption of that Database. Default: they are not.",
    }),
    cluster: patterned(
      /^([0-9]{1,20}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
      36,
      "must be what DatabaseBackups have in status.cluster: of PostgreSQL up to 20 digits, in quotes, of MySQL a UUID",
    )
      .optional()
      .meta({
        description:
          "Which cluster was backed up, where there were several under this name: DatabaseBackups have it in status.cluster (of PostgreSQL the system identifier, of MySQL the group). Default: the only one.",
      }),
    label: patterned(
      storedLabel,
      128,
      "must be what DatabaseBackups have in status.label, such as 20261121-020003F, or of MySQL orders-20261121T020003Z",
    )
      .optional()
      .meta({
        description:
          "A certain backup, without what came after it: DatabaseBackups have it in status.label. Default: the newest.",
      }),
  })
  .meta({
    description: `${titlesOf(storing)} only: backups in object storage, also of another cluster, of which nothing else needs to be left. The newest is taken, or with pointInTime the newest before it.`,
  });

/** See its description. */
export const Restore = rule(
  rule(
    z.object({
      from: From.optional(),
      backup: Backup.optional(),
      s3: FromS3.optional(),
      volume: FromVolume.optional(),
      pointInTime: PointInTime.optional(),
    }),
    {
      rule: "[has(self.from), has(self.backup), has(self.s3), has(self.volume)].filter(given, given).size() == 1",
      message:
        "must have one of from (the newest backup of a Database), backup (a certain one), s3 and volume (backups of which nothing else is left)",
      holds: ({ from, backup, s3, volume }) =>
        [from, backup, s3, volume].filter((given) => given !== undefined).length === 1,
    },
  ),
  {
    rule: "!has(self.pointInTime) || !has(self.backup) && !has(self.volume) && !(has(self.s3) && has(self.s3.label))",
    message: "goes with from, or with s3 without a label: which backup it takes follows from the moment",
    fieldPath: ".pointInTime",
    holds: ({ backup, s3, volume, pointInTime }) =>
      pointInTime === undefined || (backup === undefined && volume === undefined && s3?.label === undefined),
  },
).meta({
  description:
    "The backup that a new Database begins with. It is copied once, before there are members; what it was taken of stays as it is. The passwords are new ones. It cannot be added or changed later; it can be removed, which changes nothing once the data are there.",
});
export type Restore = z.infer<typeof Restore>;

/** What the rule about it looks at. */
interface Whole {
  readonly engine: EngineName;
  readonly restore?: Restore | undefined;
}

/** A rule of the whole spec. */
export const isStoredForItsEngine: CheckedRule<Whole> = {
  rule: `!has(self.restore) || (!has(self.restore.s3) || ${isOneOf(storing)}) && (!has(self.restore.pointInTime) || ${isOneOf(keepingChanges)})`,
  message: `s3 is for ${titlesOf(storing)}, whose backups go to object storage, and pointInTime for ${titlesOf(keepingChanges)}`,
  fieldPath: ".restore",
  holds: ({ engine, restore }) =>
    (restore?.s3 === undefined || storing.includes(engine)) &&
    (restore?.pointInTime === undefined || keepingChanges.includes(engine)),
};

/** A rule of the whole spec. */
export const replaysWhatIsThere: CheckedRule<Whole> = {
  rule: `!has(self.restore) || !has(self.restore.pointInTime) || !has(self.restore.s3) || ${isOneOf(storing.filter(isSentAlong))}`,
  message: `with s3, pointInTime is for ${titlesOf(storing.filter(isSentAlong))}: of other engines nothing but backups is in object storage; leave pointInTime out`,
  fieldPath: ".restore.pointInTime",
  holds: ({ engine, restore }) => restore?.pointInTime === undefined || restore.s3 === undefined || isSentAlong(engine),
};

/** A rule over the old and the new spec. */
export const restoreStays: CelRule = {
  rule: "!has(self.restore) || (has(oldSelf.restore) && self.restore == oldSelf.restore)",
  message: "cannot be added or changed: create another Database with it",
  fieldPath: ".restore",
};
