// The spec of a Database: one zod schema from which come the TypeScript type, the CRD, its CEL rules and the reference page.
import { z } from "zod";
import { fitsIn } from "./quantity";
import { onUpdate, rule } from "./rules";

/** The database engines the API knows. */
export const Engine = z.enum(["postgresql", "mysql", "mongodb"]);
export type Engine = z.infer<typeof Engine>;

/** What happens to the data when its Database is deleted. */
export const DeletionPolicy = z.enum(["Retain", "Delete"]);
export type DeletionPolicy = z.infer<typeof DeletionPolicy>;

const GIBIBYTES = /^[0-9]+Gi$/;
const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const PARAMETER = /^[A-Za-z][-A-Za-z0-9_.]{0,127}$/;
const CRON = cronPattern();

/** A pattern for the five fields of cron, in the dialect CronJobs accept (no seconds, no macros, Sunday is 0). */
function cronPattern(): RegExp {
  const field = (value: string): string => {
    const item = `(\\*|(${value})(-(${value}))?)(/[1-9][0-9]*)?`;
    return `${item}(,${item})*`;
  };
  const months = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC";
  const minute = field("[0-5]?[0-9]");
  const hour = field("[01]?[0-9]|2[0-3]");
  const day = field("0?[1-9]|[12][0-9]|3[01]");
  const month = field(`0?[1-9]|1[0-2]|${months}`);
  const weekday = field("[0-6]|SUN|MON|TUE|WED|THU|FRI|SAT");
  return new RegExp(`^${[minute, hour, day, month, weekday].join(" ")}$`);
}

/** A CEL expression for the number of gibibytes in the CEL string `text`. */
const gibibytes = (text: string): string => `int(${text}.replace('Gi', ''))`;

const size = (description: string): z.ZodString =>
  rule(z.string().regex(GIBIBYTES, "must look like 10Gi: whole gibibytes").max(12), {
    rule: `${gibibytes("self")} > 0`,
    message: "must be greater than 0Gi, for example 10Gi",
    holds: (text) => Number.parseInt(text, 10) > 0,
  }).meta({ description });

const storageClass = (description: string): z.ZodString =>
  z.string().min(1).max(253).regex(DNS_NAME, "must be the name of a StorageClass").meta({ description });

const Version = z
  .string()
  .regex(/^[0-9]+\.[0-9]+$/, "must look like 17.6")
  .max(16)
  .meta({
    description:
      "Version of the engine, as in the operator's catalogue, for example 17.6. Quote it: YAML reads 17.10 as 17.1. While a version runs, it may go up within its major version, never down.",
  });

const Config = rule(
  z.record(
    z.string(),
    z
      .string()
      .max(1024)
      .regex(/^[^\r\n]*$/, "must be a single line"),
  ),
  {
    rule: `size(self) <= 100 && self.all(name, name.matches(r'${PARAMETER.source}'))`,
    message: "must have at most 100 entries, each named like an engine parameter, for example max_connections",
    holds: (config) => Object.keys(config).length <= 100 && Object.keys(config).every((name) => PARAMETER.test(name)),
  },
).meta({
  maxProperties: 100,
  description:
    'Engine parameters, for example max_connections: "200". Values are strings: quote numbers. They win over configFrom. Parameters that replication depends on are reserved.',
});

const ConfigFrom = z
  .object({
    name: z
      .string()
      .min(1)
      .max(253)
      .regex(DNS_NAME, "must be the name of a ConfigMap")
      .meta({ description: "Name of the ConfigMap, in the namespace of the Database." }),
  })
  .meta({
    description:
      "A ConfigMap of the same namespace whose data are engine parameters, shared by several Databases. Its change reaches every Database that names it.",
  });

const cpu = (description: string): z.ZodString =>
  z
    .string()
    .max(16)
    .regex(/^([0-9]+m|[0-9]+(\.[0-9]{1,3})?)$/, 'must look like "2", "0.5" or 500m')
    .meta({ description });

const memory = (description: string): z.ZodString =>
  z
    .string()
    .max(16)
    .regex(/^[0-9]+(Ki|Mi|Gi|Ti)$/, "must look like 512Mi or 4Gi")
    .meta({ description });

const Requests = z
  .object({
    cpu: cpu('CPU reserved for each member, in cores, for example "2" or 500m. Quote whole numbers.').optional(),
    memory: memory("Memory reserved for each member, for example 4Gi.").optional(),
  })
  .meta({ description: "What each member is guaranteed." });

const Limits = z
  .object({
    cpu: cpu('CPU a member may use at most, in cores, for example "4" or 500m. Quote whole numbers.').optional(),
    memory: memory("Memory a member may use at most, for example 8Gi. A member that exceeds it is killed.").optional(),
  })
  .meta({ description: "What each member may use at most." });

const bounded = (name: "cpu" | "memory"): string =>
  `!has(self.requests) || !has(self.requests.${name}) || !has(self.limits) || !has(self.limits.${name}) || quantity(self.requests.${name}).compareTo(quantity(self.limits.${name})) <= 0`;

const Resources = rule(
  rule(z.object({ requests: Requests.optional(), limits: Limits.optional() }), {
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
    "CPU and memory of the engine's container in each member. Left out entirely: a floor that runs a small database.",
});

const HighAvailability = z
  .object({
    synchronousCommit: z.boolean().default(false).meta({
      description:
        "true: a commit returns only when another member has it, so that a failover loses no acknowledged row; writes are slower. It has no effect with one replica.",
    }),
  })
  .meta({ description: "What a failover may cost. From two replicas on, a failed primary is replaced by itself." });

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
    description: "A persistent volume, <name>-backup, which outlives the Database under deletionPolicy Retain.",
  });

const Backup = z
  .object({
    enabled: z.boolean().default(true).meta({ description: "Whether backups are taken." }),
    schedule: rule(z.string().max(100), {
      rule: `self.matches(r'${CRON.source}')`,
      message: 'must be five cron fields (minute hour day month weekday), for example "0 2 * * *"',
      holds: (schedule) => CRON.test(schedule),
    })
      .default("0 2 * * *")
      .meta({ description: "When backups are taken: five cron fields (minute hour day month weekday), in UTC." }),
    retention: z.int().min(1).max(1000).default(7).meta({
      description: "How many backups of this database are kept; older ones are removed after the next successful one.",
    }),
    destination: z
      .object({ volume: BackupVolume.optional() })
      .optional()
      .meta({ description: "Where backups are kept. Default: a volume of the size of spec.storage." }),
  })
  .meta({ description: "Scheduled backups of the whole database." });

const Monitoring = z
  .object({
    enabled: z.boolean().default(true).meta({
      description:
        "Whether an exporter runs beside each member and, where the cluster knows ServiceMonitors, a ServiceMonitor selects it.",
    }),
    labels: rule(z.record(z.string(), z.string().max(63).regex(LABEL_VALUE, "must be a label value")), {
      rule: `self.all(key, key.matches(r'${LABEL_KEY.source}'))`,
      message: "must be label keys, for example release",
      holds: (labels) => Object.keys(labels).every((key) => LABEL_KEY.test(key)),
    })
      .default({ release: "kps" })
      .meta({
        maxProperties: 16,
        description: "Labels of the ServiceMonitor, by which a Prometheus finds it.",
      }),
  })
  .meta({ description: "Metrics for Prometheus." });

const Fields = z.object({
  engine: onUpdate(Engine.meta({ description: "The database engine. It cannot be changed." }), [
    { rule: "self == oldSelf", message: "cannot be changed: create another Database and move the data" },
  ]),
  version: Version,
  replicas: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .meta({ description: "How many members the database has: one primary, the others its replicas." }),
  storage: onUpdate(size("Size of each member's data volume in whole gibibytes. It may grow, never shrink."), [
    {
      rule: `${gibibytes("self")} >= ${gibibytes("oldSelf")}`,
      message: "must not shrink: write the present size or a larger one",
    },
  ]).default("10Gi"),
  storageClass: storageClass(
    "StorageClass of the data volumes. Default: the cluster's default class. It cannot be changed, nor added later.",
  ).optional(),
  config: Config.optional(),
  configFrom: ConfigFrom.optional(),
  resources: Resources.optional(),
  highAvailability: HighAvailability.prefault({}),
  backup: Backup.prefault({}),
  monitoring: Monitoring.prefault({}),
  deletionPolicy: DeletionPolicy.default("Retain").meta({
    description:
      "What happens to data volumes, backups and credentials when the Database is deleted: Retain keeps them, and a Database of the same name takes them up again; Delete removes them for good.",
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
  `(${hasVolume(spec, "size")} ? ${gibibytes(`${spec}.backup.destination.volume.size`)} : ${gibibytes(`${spec}.storage`)})`;
const sameOrMissing = (has: (spec: string) => string, path: string): string =>
  `(${has("self")}) == (${has("oldSelf")}) && (!(${has("self")}) || self.${path} == oldSelf.${path})`;

/** What a person asks for: the spec of a Database after defaulting. */
export const DatabaseSpec = onUpdate(Fields, [
  {
    rule: sameOrMissing((spec) => `has(${spec}.storageClass)`, "storageClass"),
    message: "cannot be changed, added or removed: create another Database with it and move the data",
    fieldPath: ".storageClass",
  },
  {
    rule: `${backupSize("self")} >= ${backupSize("oldSelf")}`,
    message: "must not shrink: write the present size of the backup volume (by default spec.storage) or a larger one",
    fieldPath: ".backup",
  },
  {
    rule: sameOrMissing((spec) => hasVolume(spec, "storageClass"), "backup.destination.volume.storageClass"),
    message: "the backup volume's storageClass cannot be changed, added or removed",
    fieldPath: ".backup",
  },
]).meta({ description: "The database that is wanted." });
export type DatabaseSpec = z.infer<typeof DatabaseSpec>;

/** The spec as a person writes it: everything with a default may be left out. */
export type DatabaseSpecInput = z.input<typeof DatabaseSpec>;

/** Longest name of a Database: its CronJob `<name>-backup` may have 52 characters. */
export const NAME_MAX_LENGTH = 45;
/** What the name of a Database looks like: its Services must begin with a letter. */
export const NAME_PATTERN = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
/** Rules over the whole object; CEL sees nothing of the metadata but the name. */
export const NAME_RULES = [
  {
    rule: `size(self.metadata.name) <= ${NAME_MAX_LENGTH}`,
    message: `metadata.name must have at most ${NAME_MAX_LENGTH} characters: names of children are made from it`,
  },
  {
    rule: `self.metadata.name.matches(r'${NAME_PATTERN.source}')`,
    message: "metadata.name must begin with a lower-case letter and hold only a-z, 0-9 and -, for example my-postgres",
  },
] as const;

/** A CEL expression for part `index` of the version in the CEL string `text`. */
const versionPart = (text: string, index: 0 | 1): string => `int(${text}.split('.')[${index}])`;
const running = "oldSelf.status.version";
/** Only a change of the version is judged, and only against what runs: a version that never ran can be taken back. */
const isNoStep = `self.spec.version == oldSelf.spec.version || !has(oldSelf.status) || !has(${running}) || !${running}.matches('^[0-9]+[.][0-9]+$')`;

/** Rules over spec and status: which versions the data files of the running one admit. */
export const VERSION_RULES = [
  {
    rule: `${isNoStep} || ${versionPart("self.spec.version", 0)} == ${versionPart(running, 0)}`,
    message:
      "spec.version must stay within the major version that runs (status.version): to move to another, create another Database and move the data",
  },
  {
    rule: `${isNoStep} || ${versionPart("self.spec.version", 0)} != ${versionPart(running, 0)} || ${versionPart("self.spec.version", 1)} >= ${versionPart(running, 1)}`,
    message:
      "spec.version must not go below the version that runs (status.version): an engine cannot read the files of a newer one",
  },
] as const;
