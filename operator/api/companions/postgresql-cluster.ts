// PostgreSQLCluster: a Database in the words of those who think in instances. Each field has the rules of the Database's.
import { z } from "zod";
import { companionResources } from "../../../contract/resources";
import { onUpdate, rule } from "../rules";
import { Backup, DatabaseFields, Resources, sameOrMissing, storageClass } from "../spec";
import { Version, VERSION_RULES } from "../version";
import type { CompanionKind } from "./kind";

const Storage = z
  .object({
    size: DatabaseFields.shape.storage.unwrap().optional().meta({
      description: "Size of each instance's data volume in whole gibibytes. It may grow, never shrink. Default: 10Gi.",
    }),
    storageClass: storageClass(
      "StorageClass of the data volumes. Default: the cluster's default class. It cannot be changed, nor added later.",
    ).optional(),
  })
  .meta({ description: "The data volume of each instance." });

const Backups = z
  .object({
    enabled: z.boolean().optional().meta({ description: "Whether backups are taken. Default: true." }),
    schedule: Backup.shape.schedule.unwrap().optional().meta({
      description:
        'When backups are taken: five cron fields (minute hour day month weekday), in UTC. Default: "0 2 * * *".',
    }),
    retention: Backup.shape.retention.unwrap().optional().meta({
      description: "How many backups are kept; older ones are removed after the next successful one. Default: 7.",
    }),
  })
  .meta({ description: "Scheduled backups of the whole cluster." });

const HighAvailability = z
  .object({
    enabled: z.boolean().optional().meta({
      description:
        "Whether a failed primary is replaced automatically, which needs another instance. true: fewer than two instances are refused. false: more than one is refused. Left out: true from two instances on.",
    }),
    synchronousCommit: z.boolean().optional().meta({
      description:
        "true: a commit returns only when another instance has it, so that a failover loses no acknowledged row; writes are slower. Default: false.",
    }),
  })
  .meta({ description: "What a failover may cost." });

const Fields = z.object({
  version: Version,
  instances: DatabaseFields.shape.replicas.meta({
    description: "How many instances the cluster has: one primary, the others its replicas.",
  }),
  storage: Storage.optional(),
  backup: Backups.optional(),
  resources: Resources.optional(),
  highAvailability: HighAvailability.optional(),
});

const enabled = "self.highAvailability.enabled";
const says = (value: boolean): string =>
  `has(self.highAvailability) && has(${enabled}) && ${enabled} == ${String(value)}`;

const Available = rule(Fields, {
  rule: `!(${says(true)}) || self.instances > 1`,
  message: "must be at least 2 with highAvailability.enabled: true; write more, or highAvailability.enabled: false",
  fieldPath: ".instances",
  holds: ({ highAvailability, instances }) => highAvailability?.enabled !== true || instances > 1,
});

const Single = rule(Available, {
  rule: `!(${says(false)}) || self.instances == 1`,
  message: "must be 1 with highAvailability.enabled: false: several instances always fail over; write 1, or true",
  fieldPath: ".instances",
  holds: ({ highAvailability, instances }) => highAvailability?.enabled !== false || instances === 1,
});

const Consistent = rule(Single, {
  rule: `!(${says(false)}) || !has(self.highAvailability.synchronousCommit) || !self.highAvailability.synchronousCommit`,
  message: "waits for another instance, and without high availability there is none: leave it out",
  fieldPath: ".highAvailability.synchronousCommit",
  holds: ({ highAvailability }) => highAvailability?.enabled !== false || highAvailability.synchronousCommit !== true,
});

const hasClass = (spec: string): string => `has(${spec}.storage) && has(${spec}.storage.storageClass)`;

/** What a person asks for; what is left out is the Database's own to default. */
export const PostgreSQLClusterSpec = onUpdate(Consistent, [
  {
    rule: sameOrMissing(hasClass, "storage.storageClass"),
    message: "cannot be changed, added or removed: create another cluster with it and move the data",
    fieldPath: ".storage",
  },
]).meta({ description: "The desired PostgreSQL cluster." });
export type PostgreSQLClusterSpec = z.infer<typeof PostgreSQLClusterSpec>;

export const postgreSQLCluster: CompanionKind<typeof PostgreSQLClusterSpec> = {
  ...companionResources.postgreSQLCluster,
  version: "v1",
  singular: "postgresqlcluster",
  shortNames: ["pgc"],
  description: "A PostgreSQL cluster: it is translated to a Database of the same name, which it owns.",
  spec: PostgreSQLClusterSpec,
  replicasPath: ".spec.instances",
  rules: VERSION_RULES,
  columns: [
    { name: "Version", type: "string", jsonPath: ".spec.version", description: "The desired version." },
    {
      name: "Instances",
      type: "integer",
      jsonPath: ".spec.instances",
      description: "The desired number of instances.",
    },
  ],
  example: `spec:
  version: "17.6" # one that the operator's catalogue has
  instances: 3
  storage: { size: 100Gi }`,
};
