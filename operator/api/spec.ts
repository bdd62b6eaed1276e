// The spec of a Database: one zod schema from which come the TypeScript type, the CRD, its CEL rules and the reference page.
import { z } from "zod";
import { backupDefaults, databaseDefaults } from "../../contract/defaults";
import { engineNames, enginesThat, factsOf, leastLargeMemory, titlesOf } from "../../contract/engines";
import {
  LARGE_MEMORY_RULE,
  cpuLimit,
  cpuRequest,
  doesNotShrink,
  isWithin,
  matches,
  memoryLimit,
  memoryRequest,
  nameOf,
  size,
} from "./fields";
import { ChangePolicy } from "./change-policy";
import { HighAvailability, waitsForOthers, waitsInPostgresql } from "./high-availability";
import { Monitoring } from "./monitoring";
import { ImagePullSecrets, Placement, PodMetadata } from "./placement";
import { fitsIn } from "./quantity";
import { hasS3 } from "./destination";
import {
  encryptionStays,
  hasObjectStorage,
  encryptsObjects,
  isForItsEngine,
  isOnePlace,
  objectBackups,
  objectStorage,
  takesDifferences,
} from "./object-storage";
import { fitsItsPlace, keepsItsChanges, keepsThemInStorage } from "./point-in-time";
import { asksWhatItUnderstands, hasWhatToVerify, Verify } from "./verification";
import { beginsOnce, InitFrom, initFromStays, takesInData, takesInOne } from "./init-from";
import { isStoredForItsEngine, replaysWhatIsThere, Restore, restoreStays } from "./restore";
import { isNoneOf, onUpdate, rule } from "./rules";
import { schedule } from "./schedule";
import { Services } from "./services";
import { maxNameLength, namePattern, maxMembers } from "../../contract/limits";
import { hasClosableSuperuser, SuperuserAccess } from "./superuser-access";
import { hasTlsForIt, Tls } from "./tls";
import { UpgradableVersion, Upgrade } from "./version";

/** The database engines the API knows. */
export const Engine = z.enum(engineNames);
export type Engine = z.infer<typeof Engine>;

/** What happens to the data when its Database is deleted. */
export const DeletionPolicy = z.enum(["Retain", "Snapshot", "Delete"]);
export type DeletionPolicy = z.infer<typeof DeletionPolicy>;

const PARAMETER = /^[A-Za-z][-A-Za-z0-9_.]{0,127}$/;
const PARAMETERS = 100;
const VALUE_CHARACTERS = 1024;
// A value becomes one line of a configuration file.
const ONE_LINE = /^\P{Cc}*$/u;

/** The name of a StorageClass. */
export const storageClass = (description: string): z.ZodString =>
  nameOf("a StorageClass", "fast-ssd").meta({ description });

const ParameterValue = rule(
  // in characters, as the API server counts: JavaScript counts those outside the first plane twice
  z.string().refine((value) => Array.from(value).length <= VALUE_CHARACTERS, {
    message: `must be at most ${VALUE_CHARACTERS} characters long`,
  }),
  {
    rule: matches("self", ONE_LINE),
    message: "must be a single line without control characters",
    holds: (value) => ONE_LINE.test(value),
  },
).meta({ maxLength: VALUE_CHARACTERS });

const Config = rule(
  z.record(z.string(), ParameterValue).refine((config) => Object.keys(config).length <= PARAMETERS, {
    message: `must have at most ${PARAMETERS} entries`,
  }),
  {
    rule: `self.all(name, ${matches("name", PARAMETER)})`,
    message:
      "every name must look like max_connections: a letter, then letters, digits, _, - and ., at most 128 characters",
    holds: (config) => Object.keys(config).every((name) => PARAMETER.test(name)),
  },
).meta({
  maxProperties: PARAMETERS,
  description:
    'Engine parameters, for example max_connections: "200". Values are strings: quote numbers. They win over configFrom. Parameters that replication depends on are reserved.',
});

const ConfigFrom = z
  .object({
    name: nameOf("a ConfigMap", "tuning").meta({
      description: "Name of the ConfigMap, in the namespace of the Database.",
    }),
  })
  .meta({
    description:
      "A ConfigMap of the same namespace whose data are engine parameters, shared by several Databases. Its change reaches every Database that names it.",
  });

const Requests = z
  .object({
    cpu: cpuRequest('CPU reserved for each member, in cores, for example "2" or 500m. Quote whole numbers.').optional(),
    memory: memoryRequest("Memory reserved for each member, for example 4Gi.").optional(),
  })
  .meta({ description: "What each member is guaranteed." });

const ResourceLimits = z
  .object({
    cpu: cpuLimit('CPU a member may use at most, in cores, for example "4" or 500m. Quote whole numbers.').optional(),
    memory: memoryLimit(
      `Memory a member may use at most, for example 8Gi. A member that exceeds it is killed. ${titlesOf(enginesThat(({ memory }) => memory === "large"))}: ${leastLargeMemory} at least.`,
    ).optional(),
  })
  .meta({ description: "What each member may use at most." });

const bounded = (name: "cpu" | "memory"): string =>
  `!has(self.requests) || !has(self.requests.${name}) || !has(self.limits) || !has(self.limits.${name}) || ${isWithin(`self.requests.${name}`, `self.limits.${name}`)}`;

/** See its description; companions have the same. */
export const Resources = rule(
  rule(z.object({ requests: Requests.optional(), limits: ResourceLimits.optional() }), {
    rule: bounded("cpu"),
    message: "requests.cpu must not exceed limits.cpu: lower the request or raise the limit",
    fieldPath: ".requests.cpu",
    holds: ({ requests, limits }) => fitsIn(requests?.cpu, limits?.cpu),
  }),
  {
    rule: bounded("memory"),
    message: "requests.memory must not exceed limits.memory: lower the request or raise the limit",
    fieldPath: ".requests.memory",
    holds: ({ requests, limits }) => fitsIn(requests?.memory, limits?.memory),
  },
).meta({
  description:
    "CPU and memory of the engine's container in each member. Left out entirely: a floor that runs a small database. Memory alone: the CPU request stays that of the floor, 250m.",
});

const StorageAutoGrow = z
  .object({
    maxSize: size(
      "Up to which size each data volume grows, in whole gibibytes: at least spec.storage. Lower than what they have grown to: they grow no further.",
    ),
  })
  .meta({
    description:
      "Lets the data volumes grow by themselves: by a fifth, and at least 1Gi, when one is more than 80 % full of data, and not again for 6 hours unless one is 95 % full. Their StorageClass must allow it. The size that they have stays, also when spec.storage says less or this is removed. Default: they are only watched.",
  });

const BackupVolume = z
  .object({
    size: size(
      "Size of the volume in whole gibibytes. Default: the value of spec.storage. It may grow, never shrink.",
    ).optional(),
    storageClass: storageClass(
      "StorageClass of the volume. Default: the value of spec.storageClass. It cannot be changed, nor added later.",
    ).optional(),
  })
  .meta({
    description:
      "A persistent volume, <name>-backup, which outlives the Database under the deletion policies Retain and Snapshot.",
  });

const Destination = rule(z.object({ volume: BackupVolume.optional(), ...objectStorage }), isOnePlace).meta({
  description: "Where backups are kept. Default: a volume of the size of spec.storage.",
});

const BackupFields = z.object({
  enabled: z.boolean().default(backupDefaults.enabled).meta({ description: "Whether backups are taken." }),
  schedule: schedule.default(backupDefaults.schedule).meta({
    description: "When backups are taken: five cron fields (minute hour day month weekday), in UTC.",
  }),
  retention: z.int().min(1).max(1000).default(backupDefaults.retention).meta({
    description: "How many backups of this database are kept; older ones are removed after the next successful one.",
  }),
  destination: Destination.optional(),
  ...objectBackups,
  verify: Verify.optional(),
});

/** See its description. */
export const Backup = rule(
  rule(rule(rule(BackupFields, hasObjectStorage), fitsItsPlace), encryptsObjects),
  hasWhatToVerify,
).meta({
  description: "Scheduled backups of the whole database.",
});

/** Every field of the spec, before the rules that concern several. */
export const DatabaseFields = z.object({
  engine: onUpdate(Engine.meta({ description: "The database engine. It cannot be changed." }), [
    { rule: "self == oldSelf", message: "cannot be changed: create another Database and move the data" },
  ]),
  version: UpgradableVersion,
  replicas: z
    .int()
    .min(1)
    .max(maxMembers)
    .default(databaseDefaults.replicas)
    .meta({ description: "How many members the database has: one primary, the others its replicas." }),
  storage: onUpdate(size("Size of each member's data volume in whole gibibytes. It may grow, never shrink."), [
    {
      rule: doesNotShrink("self", "oldSelf"),
      message: "must not shrink: write the current size or a larger one",
    },
  ])
    .meta({ pattern: "^[0-9]+Gi$" })
    .default(databaseDefaults.storage),
  storageClass: storageClass(
    "StorageClass of the data volumes. Default: the cluster's default class. It cannot be changed, nor added later.",
  ).optional(),
  storageAutoGrow: StorageAutoGrow.optional(),
  config: Config.optional(),
  configFrom: ConfigFrom.optional(),
  resources: Resources.optional(),
  highAvailability: HighAvailability.prefault({}),
  backup: Backup.prefault({}),
  restore: Restore.optional(),
  initFrom: InitFrom.optional(),
  monitoring: Monitoring.prefault({}),
  placement: Placement.optional(),
  podMetadata: PodMetadata.optional(),
  imagePullSecrets: ImagePullSecrets.optional(),
  services: Services.optional(),
  superuserAccess: SuperuserAccess.optional(),
  tls: Tls.optional(),
  upgrade: Upgrade.optional(),
  changePolicy: ChangePolicy.optional(),
  deletionPolicy: DeletionPolicy.default("Retain").meta({
    description:
      "What happens to data volumes, backups and credentials when the Database is deleted: Retain keeps them, and a Database of the same name adopts them; Snapshot takes a last backup, which must succeed before anything is destroyed, then removes the data volumes and keeps backups and credentials; Delete removes everything for good.",
  }),
  paused: z.boolean().default(false).meta({
    description:
      "true: the operator leaves everything as it is until this is false again. The database keeps running and keeps failing over. Deletion is still carried out.",
  }),
});

// Spelt out with has(): the API server's cost estimate loses the bounds of optional values.
const hasVolume = (spec: string, field: string): string =>
  `has(${spec}.backup.destination) && has(${spec}.backup.destination.volume) && has(${spec}.backup.destination.volume.${field})`;
const backupSize = (spec: string): string =>
  `(${hasVolume(spec, "size")} ? ${spec}.backup.destination.volume.size : ${spec}.storage)`;
/** A CEL rule that what is at `path` neither changes nor comes nor goes; `has` says in CEL whether it is there. */
export const sameOrMissing = (has: (spec: string) => string, path: string): string =>
  `(${has("self")}) == (${has("oldSelf")}) && (!(${has("self")}) || self.${path} == oldSelf.${path})`;

const Consistent = rule(DatabaseFields, {
  rule: "self.deletionPolicy != 'Snapshot' || self.backup.enabled",
  message:
    "Snapshot takes a last backup and so needs backup.enabled: true; switch backups on, or write Retain or Delete",
  fieldPath: ".deletionPolicy",
  holds: ({ deletionPolicy, backup }) => deletionPolicy !== "Snapshot" || backup.enabled,
});
const Growing = rule(Consistent, {
  rule: `!has(self.storageAutoGrow) || ${doesNotShrink("self.storageAutoGrow.maxSize", "self.storage")}`,
  message: "must be at least spec.storage: write a larger maxSize",
  fieldPath: ".storageAutoGrow",
  holds: ({ storage, storageAutoGrow }) => fitsIn(storage, storageAutoGrow?.maxSize),
});
const Grouped = engineNames.reduce((schema, name) => {
  const { memberLimit } = factsOf(name);
  if (memberLimit === undefined) return schema;
  const { most, by } = memberLimit;
  return rule(schema, {
    rule: `${isNoneOf([name])} || self.replicas <= ${most}`,
    message: `${by} has at most ${most} members: write ${most} or less`,
    fieldPath: ".replicas",
    holds: ({ engine, replicas }) => engine !== name || replicas <= most,
  });
}, Growing);

const Roomy = rule(Grouped, LARGE_MEMORY_RULE);

const Waiting = rule(rule(Roomy, waitsInPostgresql), waitsForOthers);

const Closable = rule(rule(rule(Waiting, hasClosableSuperuser), hasTlsForIt), isForItsEngine);
const Verifiable = rule(rule(rule(Closable, isStoredForItsEngine), asksWhatItUnderstands), keepsItsChanges);
const Stored = rule(rule(rule(Verifiable, takesDifferences), keepsThemInStorage), replaysWhatIsThere);
const Begun = rule(rule(rule(Stored, beginsOnce), takesInOne), takesInData);

/** What is said of the volume counts where there is one, before and after. */
const unlessS3 = (condition: string): string => `${hasS3("self")} || ${hasS3("oldSelf")} || (${condition})`;

/** What a person asks for: the spec of a Database after defaulting. */
export const DatabaseSpec = onUpdate(Begun, [
  restoreStays,
  initFromStays,
  encryptionStays,
  {
    rule: sameOrMissing((spec) => `has(${spec}.storageClass)`, "storageClass"),
    message: "cannot be changed, added or removed: create another Database with it and move the data",
    fieldPath: ".storageClass",
  },
  {
    rule: unlessS3(doesNotShrink(backupSize("self"), backupSize("oldSelf"))),
    message: "must not shrink: write the current size of the backup volume (by default spec.storage) or a larger one",
    fieldPath: ".backup",
  },
  {
    rule: unlessS3(sameOrMissing((spec) => hasVolume(spec, "storageClass"), "backup.destination.volume.storageClass")),
    message: "the backup volume's storageClass cannot be changed, added or removed",
    fieldPath: ".backup",
  },
]).meta({ description: "The desired database." });
export type DatabaseSpec = z.infer<typeof DatabaseSpec>;

/** The spec as a person writes it: everything with a default may be left out. */
export type DatabaseSpecInput = z.input<typeof DatabaseSpec>;
/** Rules over the whole object; CEL sees nothing of the metadata but the name. */
export const NAME_RULES = [
  {
    rule: `size(self.metadata.name) <= ${maxNameLength}`,
    message: `must have at most ${maxNameLength} characters: names of children are made from it`,
    fieldPath: ".metadata.name",
  },
  {
    rule: matches("self.metadata.name", namePattern),
    message:
      "must begin with a lower-case letter, hold only a-z, 0-9 and -, and not end with -, for example my-postgres",
    fieldPath: ".metadata.name",
  },
] as const;
