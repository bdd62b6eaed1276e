// What a Database is asked to be, with every default filled in: the plain input of all builders.
import type { EngineName } from "../contract/engines";
import type { DatabaseOptions, Owner, Resources, SuperuserAccess, UpdateStrategy } from "./args";
import { databaseDefaults, backupDefaults, synchronousDefaults, monitoringDefaults } from "../contract/defaults";
import { memberResourcesOf } from "./defaults";

/** Who a child belongs to: decides its namespace, labels and owner reference. */
export interface Identity {
  /** Name of the Database; every child's name is built from it. */
  readonly name: string;
  /** Namespace of all children. */
  readonly namespace: string;
  /** Engine, for the label `app.kubernetes.io/name`. */
  readonly engine: EngineName;
  /** Controller of the children that hold no data. Default: none. */
  readonly owner?: Owner;
}

/** How backups are taken. */
export interface BackupSettings {
  /** Whether backups are taken. Default: true. */
  readonly enabled: boolean;
  /** Cron expression with five fields, in UTC. Default: "0 2 * * *". */
  readonly schedule: string;
  /** How many complete backups are kept. Default: 7. */
  readonly retention: number;
  /** Size of the backup volume as a quantity. Default: the size of a data volume. */
  readonly size: string;
  /** StorageClass of the backup volume; it cannot change later. Default: that of the data volumes. */
  readonly storageClass?: string;
}

/** How commits wait for other members, where they do. */
export interface SynchronousSettings {
  /** How many others must have a commit. Default: 1. */
  readonly members: number;
  /** Whether commits wait while no other member is there. Default: false. */
  readonly strict: boolean;
}

/** How the database is observed. */
export interface MonitoringSettings {
  /** Whether each member has a metrics exporter beside it. Default: true. */
  readonly enabled: boolean;
  /** Labels of the ServiceMonitor, by which a Prometheus selects it. Default: {release: "kps"}. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether a ServiceMonitor is created; the cluster must know that kind. Default: false. */
  readonly serviceMonitor: boolean;
}

/** A Database with all defaults filled in and no secret in it. */
export interface Settings extends Identity {
  readonly version: string;
  readonly image: string;
  readonly replicas: number;
  readonly storage: string;
  readonly storageClass?: string;
  readonly claimTemplateStorage: string;
  readonly config: Readonly<Record<string, string>>;
  readonly resources: Resources;
  readonly synchronousCommit: boolean;
  readonly synchronous: SynchronousSettings;
  readonly backup: BackupSettings;
  readonly monitoring: MonitoringSettings;
  /** Missing: as the data has it, which is local for a database that was created with it. */
  readonly superuserAccess?: SuperuserAccess;
  readonly updateStrategy: UpdateStrategy;
  /** Asks for a last backup: the schedule rests, and another text asks for another one. Default: none. */
  readonly finalBackup?: string;
}

/** Fills in the defaults. A field that is given, even as an empty object, wins over its default. */
export function settingsOf(name: string, options: DatabaseOptions): Settings {
  const storage = options.storage ?? databaseDefaults.storage;
  return {
    name,
    namespace: options.namespace,
    engine: options.engine,
    owner: options.owner,
    version: options.version,
    image: options.image,
    replicas: options.replicas ?? databaseDefaults.replicas,
    storage,
    storageClass: options.storageClass,
    claimTemplateStorage: options.claimTemplateStorage ?? storage,
    config: options.config ?? {},
    resources: options.resources ?? memberResourcesOf(options.engine),
    synchronousCommit: options.synchronousCommit ?? false,
    synchronous: { ...synchronousDefaults, ...given(options.synchronous) },
    backup: {
      ...backupDefaults,
      size: storage,
      ...given({ storageClass: options.storageClass, ...given(options.backup) }),
    },
    monitoring: { ...monitoringDefaults, serviceMonitor: false, ...given(options.monitoring) },
    superuserAccess: options.superuserAccess,
    updateStrategy: options.updateStrategy ?? "RollingUpdate",
    finalBackup: options.finalBackup,
  };
}

/** `part` without the keys whose value is undefined, which would otherwise hide a default. */
function given<T extends object>(part: T | undefined): Partial<T> {
  const entries = Object.entries(part ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
