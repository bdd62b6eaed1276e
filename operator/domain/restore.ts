// What the data of a Database come from: as it is desired, and as the record of its stack keeps it.
import { z } from "zod";
import { tlsModes } from "../../contract/import";
import { consistencies } from "../../contract/backup-report";
import { prefixPattern, storageFields } from "../api/object-storage";

/** Object storage as Databases name it; the prefix is the whole path of the one that was backed up. */
export const BackupStorage = z.object({
  bucket: z.string(),
  prefix: z.string().exactOptional(),
  endpoint: z.string(),
  region: z.string().exactOptional(),
  pathStyle: z.boolean().exactOptional(),
  credentials: z.string(),
  ca: z.string().exactOptional(),
  encryption: z.string().exactOptional(),
});
export type BackupStorage = Readonly<z.infer<typeof BackupStorage>>;

const { bucket, endpoint, region, credentials } = storageFields;
const secretName = credentials.shape.name;
const longestPath = 512;

/** The same as a ConfigMap notes it, which others may write to: what it says goes into a file of settings, by lines. */
export const NotedStorage = BackupStorage.extend({
  bucket,
  // with namespace and name behind the one of the spec
  prefix: z.string().max(longestPath).regex(prefixPattern).exactOptional(),
  endpoint,
  region: region.unwrap().exactOptional(),
  credentials: secretName,
  ca: secretName.exactOptional(),
  encryption: secretName.exactOptional(),
});

const onVolume = {
  /** Name of the DatabaseBackup; missing where nothing but the volume is known. */
  backup: z.string().optional(),
  /** The claim of the volume that it is on. */
  claim: z.string(),
  /** Its name there; missing where it is to be the newest there. */
  label: z.string().optional(),
  /** Up to where what changed after it is taken in, as with object storage. Missing: nothing of that. */
  until: z.string().optional(),
};

const inStorage = {
  /** Name of the DatabaseBackup, and of the Database that it is of; missing where nothing but the storage is known. */
  backup: z.string().optional(),
  database: z.string().optional(),
  stored: z.object({
    storage: BackupStorage,
    /** System identifier of the cluster; missing where it is to be the only one there. */
    cluster: z.string().optional(),
    /** The backup's name there; missing where it is to be chosen there. */
    label: z.string().optional(),
    /** See `StoredBackups` of the components. */
    until: z.string(),
  }),
};

const elsewhere = {
  /** A server that they are imported from. */
  server: z.object({
    host: z.string(),
    port: z.number(),
    databases: z.array(z.string()).readonly(),
    credentials: z.string(),
    tls: z.enum(tlsModes),
    ca: z.string().exactOptional(),
  }),
};

/** What the Job of an import said. */
export const Imported = z.object({
  version: z.string(),
  tables: z.number(),
  rows: z.number(),
  consistency: z.enum(consistencies),
});
export type Imported = Readonly<z.infer<typeof Imported>>;

/** See the header. */
export const DesiredRestore = z.union([z.object(inStorage), z.object(onVolume), z.object(elsewhere)]);
export type DesiredRestore = Readonly<z.infer<typeof DesiredRestore>>;

/** The same, from before the first run of a Database on. */
const noted = {
  /** UID of the Database. */
  uid: z.string(),
  /** Whether all of it is there, so that members may be. */
  isDone: z.boolean(),
};
export const Restored = z.union([
  z.object({ ...inStorage, ...noted }),
  z.object({ ...onVolume, ...noted }),
  /** `imported`: missing until it is known. */
  z.object({ ...elsewhere, ...noted, imported: Imported.exactOptional() }),
]);
export type Restored = Readonly<z.infer<typeof Restored>>;

/** For `until`, beside a moment: what was in the backup, and all that is there. */
export const untilBackup = "backup";
export const untilLast = "last";

/** Where object storage has it, as a DatabaseBackup tells it. */
export const locationOf = ({ bucket, prefix = "" }: BackupStorage): string => `s3://${bucket}/${prefix}`;

/** What is restored, or imported, for people. */
export function titleOf(restore: DesiredRestore): string {
  if ("server" in restore) {
    const { host, port, databases } = restore.server;
    return `${databases.length === 1 ? "database" : "databases"} ${databases.join(", ")} of ${host}:${port}`;
  }
  if (!("stored" in restore)) return titleOnVolume(restore);
  const { backup, stored } = restore;
  const { label, until, storage } = stored;
  const of = label === undefined ? `the backups in ${locationOf(storage)}` : `backup ${label}`;
  const object = backup === undefined ? "" : ` (DatabaseBackup ${backup})`;
  return `${of}${object}${endText(until)}`;
}

function titleOnVolume({ backup, claim, label, until }: Extract<DesiredRestore, { claim: string }>): string {
  const what = label === undefined ? "the newest backup" : `backup ${label}`;
  const from = backup === undefined ? `on volume ${claim}` : `(DatabaseBackup ${backup})`;
  return `${what} ${from}${endText(until ?? untilBackup)}`;
}

const endText = (until: string): string =>
  until === untilBackup ? "" : until === untilLast ? ", and all changes after it," : ` up to ${until}`;

/** Where it is on a volume, as a DatabaseBackup tells it. */
export const volumeLocationOf = (claim: string): string => `volume ${claim}`;
