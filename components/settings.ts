// What a Database is asked to be, with every default filled in: the plain input of all builders.
import {
  backupDefaults,
  databaseDefaults,
  memberResourcesOf,
  monitoringDefaults,
  synchronousDefaults,
} from "./defaults";

/** The engines of the API. Not all of them are available: see `engineOf`. */
export type EngineName = "postgresql" | "mysql" | "mongodb";

/**
 * Who makes members' pods anew when their template changes. `RollingUpdate`: the StatefulSet's controller, by number,
 * whichever member is primary. `OnDelete`: whoever deletes the pods, in an order of his own.
 */
export type UpdateStrategy = "RollingUpdate" | "OnDelete";

/** From where the superuser may connect: from the pod of its own member alone, or from other pods as well. */
export type SuperuserAccess = "Local" | "Network";

/** CPU and memory of a container, as Kubernetes quantities. */
export interface Resources {
  /** What the scheduler reserves. */
  readonly requests?: Readonly<Record<string, string>>;
  /** What the container may use at most. */
  readonly limits?: Readonly<Record<string, string>>;
}

/** The object that owns the children; deleting it lets the garbage collector remove them. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Who a child belongs to: decides its namespace, labels and owner reference. */
export interface Identity {
  /** Name of the Database; every child's name is made from it. */
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
  /** Whether a ServiceMonitor is made; the cluster must know that kind. Default: false. */
  readonly serviceMonitor: boolean;
}

/** The parts of `DatabaseArgs` that are no secret and have defaults. */
export interface Wishes {
  readonly namespace: string;
  readonly engine: EngineName;
  readonly version: string;
  readonly image: string;
  readonly replicas?: number;
  readonly storage?: string;
  readonly storageClass?: string;
  readonly claimTemplateStorage?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly resources?: Resources;
  readonly synchronousCommit?: boolean;
  readonly synchronous?: Partial<SynchronousSettings>;
  readonly backup?: Partial<BackupSettings>;
  readonly monitoring?: Partial<MonitoringSettings>;
  readonly superuserAccess?: SuperuserAccess;
  readonly owner?: Owner;
  readonly updateStrategy?: UpdateStrategy;
  readonly finalBackup?: string;
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
  /** Missing: as the data has it, which is local for a database that was made with it. */
  readonly superuserAccess?: SuperuserAccess;
  readonly updateStrategy: UpdateStrategy;
  /** Asks for a last backup: the schedule rests, and another text asks for another one. Default: none. */
  readonly finalBackup?: string;
}

/** Fills in the defaults. A field that is given, even as an empty object, wins over its default. */
export function settingsOf(name: string, wishes: Wishes): Settings {
  const storage = wishes.storage ?? databaseDefaults.storage;
  return {
    name,
    namespace: wishes.namespace,
    engine: wishes.engine,
    owner: wishes.owner,
    version: wishes.version,
    image: wishes.image,
    replicas: wishes.replicas ?? databaseDefaults.replicas,
    storage,
    storageClass: wishes.storageClass,
    claimTemplateStorage: wishes.claimTemplateStorage ?? storage,
    config: wishes.config ?? {},
    resources: wishes.resources ?? memberResourcesOf(wishes.engine),
    synchronousCommit: wishes.synchronousCommit ?? false,
    synchronous: { ...synchronousDefaults, ...given(wishes.synchronous) },
    backup: {
      ...backupDefaults,
      size: storage,
      ...given({ storageClass: wishes.storageClass, ...given(wishes.backup) }),
    },
    monitoring: { ...monitoringDefaults, ...given(wishes.monitoring) },
    superuserAccess: wishes.superuserAccess,
    updateStrategy: wishes.updateStrategy ?? "RollingUpdate",
    finalBackup: wishes.finalBackup,
  };
}

/** `wishes` without the keys whose value is undefined, which would otherwise hide a default. */
function given<T extends object>(wishes: T | undefined): Partial<T> {
  const entries = Object.entries(wishes ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
