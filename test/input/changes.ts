// Changes of a Database that may be made, and those that may not, with what kubectl must show for each.
import { laterImports } from "./beginnings";
import { versionSteps, type VersionStep } from "./version-steps";

type Spec = Record<string, unknown>;

const volume = (fields: Spec): Spec => ({ backup: { destination: { volume: fields } } });

const stored = (prefix: string | undefined, passphrase?: string): Spec => ({
  backup: {
    destination: { s3: { bucket: "backups", endpoint: "https://s3", credentials: { name: "s3" }, prefix } },
    ...(passphrase !== undefined && { encryption: { secret: { name: passphrase } } }),
  },
});
const oneWay = "cannot be changed, added or removed where backups are already";

/** See the header. */
export const changes: Readonly<Record<string, VersionStep>> = {
  "the engine": { from: {}, to: { engine: "mysql" }, says: "cannot be changed: create another Database" },
  ...versionSteps,
  "to no version": { from: { version: "17.6" }, runs: "17.6", to: { version: "17" }, says: "must be two numbers" },
  "to no size": { from: {}, to: { storage: "5GB" }, says: "must be whole gibibytes" },
  "less storage": {
    from: { storage: "100Gi" },
    to: { storage: "20Gi" },
    says: "must not shrink: write the current size",
  },
  "more storage": { from: { storage: "20Gi" }, to: { storage: "100Gi" } },
  "another storage class": {
    from: { storageClass: "fast" },
    to: { storageClass: "slow" },
    says: "cannot be changed, added or removed",
  },
  "a storage class added": { from: {}, to: { storageClass: "fast" }, says: "cannot be changed, added or removed" },
  "a storage class removed": { from: { storageClass: "fast" }, to: {}, says: "cannot be changed, added or removed" },
  "a smaller backup volume": { from: volume({ size: "50Gi" }), to: volume({ size: "40Gi" }), says: "must not shrink" },
  "a backup volume smaller than the default it has": { from: {}, to: volume({ size: "5Gi" }), says: "must not shrink" },
  "a backup volume back to a smaller default": { from: volume({ size: "50Gi" }), to: {}, says: "must not shrink" },
  "a larger backup volume": { from: volume({ size: "50Gi" }), to: volume({ size: "60Gi" }) },
  "another backup class": {
    from: volume({ storageClass: "slow" }),
    to: volume({ storageClass: "fast" }),
    says: "the backup volume's storageClass cannot be changed",
  },
  "a backup class added": { from: {}, to: volume({ storageClass: "slow" }), says: "the backup volume's storageClass" },
  "encryption added": { from: stored("a"), to: stored("a", "key"), says: oneWay },
  "encryption removed": { from: stored("a", "key"), to: stored("a"), says: oneWay },
  "another passphrase": { from: stored(undefined, "key"), to: stored(undefined, "other"), says: oneWay },
  "encryption added with another prefix": { from: stored(undefined), to: stored("a", "key") },
  "encryption removed with the prefix": { from: stored("a", "key"), to: stored(undefined) },
  "encryption that comes with object storage": { from: {}, to: stored("a", "key") },
  "encryption that goes with object storage": { from: stored("a", "key"), to: {} },
  "encryption of a volume": {
    from: {},
    to: { backup: { encryption: { secret: { name: "key" } } } },
    says: "a volume is encrypted by its StorageClass",
  },
  "fewer members than commits wait for": {
    from: { highAvailability: { synchronousCommit: true, synchronous: { members: 2 } } },
    to: { replicas: 2, highAvailability: { synchronousCommit: true, synchronous: { members: 2 } } },
    says: "must be less than replicas, as the primary does not count",
  },
  "commits that were synchronous by the only word of before": {
    from: { highAvailability: { synchronousCommit: true } },
    to: { highAvailability: { synchronousCommit: true, synchronous: { strict: true } } },
  },
  ...laterImports,
  "everything else": {
    from: {},
    to: {
      replicas: 1,
      config: { max_connections: "200" },
      configFrom: { name: "shared" },
      resources: { limits: { memory: "1Gi" } },
      highAvailability: { synchronousCommit: true },
      backup: { enabled: false },
      monitoring: { enabled: false },
      deletionPolicy: "Delete",
      paused: true,
    },
  },
};
