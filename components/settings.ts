// What a Database is asked to be, with every default filled in: the plain input of all builders.
import type { DatabaseOptions } from "./args";
import {
  archiveDefaults,
  databaseDefaults,
  backupDefaults,
  synchronousDefaults,
  monitoringDefaults,
} from "../contract/defaults";
import { memberResourcesOf } from "./defaults";

/** Who a child belongs to: decides its namespace, labels and owner reference. */
export interface Identity extends Pick<DatabaseOptions, "namespace" | "engine" | "owner"> {
  /** Name of the Database; every child's name is built from it. */
  readonly name: string;
}

/** `T` with every default filled in; those of `Optional` have none. */
type Filled<T, Optional extends keyof T = never> = Required<Omit<T, Optional>> & Pick<T, Optional>;

interface Groups {
  readonly synchronous: Filled<NonNullable<DatabaseOptions["synchronous"]>>;
  readonly backup: Filled<NonNullable<DatabaseOptions["backup"]>, "storageClass" | "s3" | "verify" | "pointInTime">;
  readonly monitoring: Filled<NonNullable<DatabaseOptions["monitoring"]>>;
}

type Single = Omit<DatabaseOptions, keyof Identity | keyof Groups>;

/** What has no default. */
type Unset =
  | "storageClass"
  | "memberTemplate"
  | "superuserAccess"
  | "finalBackup"
  | "restore"
  | "upgrade"
  | "placement"
  | "podMetadata"
  | "imagePullSecrets"
  | "services";

/** A Database with all defaults filled in and no secret in it. */
export interface Settings extends Identity, Groups, Filled<Single, Unset> {}

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
    memberTemplate: options.memberTemplate,
    retriesFirstBackup: options.retriesFirstBackup ?? false,
    config: options.config ?? {},
    resources: options.resources ?? memberResourcesOf(options.engine),
    synchronousCommit: options.synchronousCommit ?? false,
    synchronous: { ...synchronousDefaults, ...given(options.synchronous) },
    backup: {
      ...backupDefaults,
      ...archiveDefaults,
      size: storage,
      kept: [],
      ...given({ storageClass: options.storageClass, ...given(options.backup) }),
    },
    monitoring: { ...monitoringDefaults, serviceMonitor: false, ...given(options.monitoring) },
    superuserAccess: options.superuserAccess,
    tls: options.tls ?? "Off",
    updateStrategy: options.updateStrategy ?? "RollingUpdate",
    finalBackup: options.finalBackup,
    restore: options.restore,
    upgrade: options.upgrade,
    placement: options.placement,
    podMetadata: options.podMetadata,
    imagePullSecrets: options.imagePullSecrets,
    services: options.services,
  };
}

/** How many members there are: none before their data are, and less than `replicas` for the time of a major upgrade. */
export function membersOf({ restore, upgrade, replicas }: Pick<Settings, "restore" | "upgrade" | "replicas">): number {
  if (restore !== undefined || upgrade?.members === "none") return 0;
  return upgrade?.members === "one" ? 1 : replicas;
}

/** The same Database with as many replicas as it has members during a major upgrade: what a single one must not wait for is not there. */
export const duringUpgrade = (settings: Settings): Settings =>
  settings.upgrade === undefined ? settings : { ...settings, replicas: Math.max(1, membersOf(settings)) };

/** `part` without the keys whose value is undefined, which would otherwise hide a default. */
function given<T extends object>(part: T | undefined): Partial<T> {
  const entries = Object.entries(part ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
