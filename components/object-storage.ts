// Backups in object storage: what pods have of it, and what pgBackRest is told.
import { hkdfSync } from "node:crypto";
import { factsOf } from "../contract/engines";
import { backupFiles, backupServer, scratchDirectory } from "../contract/object-storage";
import type { ObjectStorage } from "./args";
import { keptBackupsMap, systemSecretKeys, systemSecretName } from "./naming";
import { filesOf, fromConfigMap, fromSecret, type Environment, type Volume } from "./pod";
import { bytesOf } from "./quantities";
import type { Settings } from "./settings";

/** Where backups go; undefined where none are taken, or onto a volume. */
export const objectStorageOf = ({ backup }: Settings): ObjectStorage | undefined =>
  backup.enabled ? backup.s3 : undefined;

/** The same, where members send backups themselves, with what changes between them. */
export const sentByMembers = (settings: Settings): ObjectStorage | undefined =>
  factsOf(settings.engine).isStaged ? undefined : objectStorageOf(settings);

/** The same, where Jobs make backups on a volume of their own, and send them. */
export const sentByJobs = (settings: Settings): ObjectStorage | undefined =>
  factsOf(settings.engine).isStaged ? objectStorageOf(settings) : undefined;

/** The path of everything of one Database, which begins with `/`. */
const pathOf = (
  { prefix }: Pick<ObjectStorage, "prefix">,
  { namespace, name }: Pick<Settings, "namespace" | "name">,
): string => `/${[prefix, namespace, name].filter(Boolean).join("/")}`;

/** The same, as it is told to people. */
export const locationOf = (
  storage: Pick<ObjectStorage, "bucket" | "prefix">,
  settings: Pick<Settings, "namespace" | "name">,
): string => `s3://${storage.bucket}${pathOf(storage, settings)}`;

/** How it is reached: where that changes, a backup is taken at once, as all that is there may be elsewhere. */
export const accessOf = (storage: ObjectStorage): string =>
  `${storage.endpoint} ${storage.region ?? defaultRegion} ${uriStyleOf(storage)}`;

const uriStyleOf = ({ pathStyle }: Pick<ObjectStorage, "pathStyle">): string => (pathStyle === true ? "path" : "host");

const defaultRegion = "us-east-1";

/** How long a backup waits for its last segment of WAL, in seconds: longer than a member takes to learn of another place. */
const archiveTimeoutSeconds = 180;

/** The key in the ConfigMap of the backups. */
export const repositoryKey = backupFiles.repository.file;

/** pgBackRest's settings, for members and Jobs; without any secret. */
export const repositoryOf = (settings: Settings, storage: ObjectStorage): string =>
  linesOf({
    ...placeOptions(storage, pathOf(storage, settings)),
    "repo1-bundle": "y",
    "repo1-block": "y",
    // ours alone removes anything, by what it knows of what is kept
    "repo1-retention-full": "9999999",
    "compress-type": "zst",
    ...processOptions,
    "start-fast": "y",
    resume: "y",
    "archive-push-queue-max": String(queueOf(settings)),
    "archive-timeout": String(archiveTimeoutSeconds),
  });

/** The same, for what only reads. The whole path is the prefix. */
export const sourceRepositoryOf = (storage: ObjectStorage): string =>
  linesOf({ ...placeOptions(storage, `/${storage.prefix ?? ""}`), ...processOptions });

/** Of this Database's own place, for what only reads there. */
export const ownSourceOf = (settings: Settings, storage: ObjectStorage): string =>
  sourceRepositoryOf({ ...storage, prefix: pathOf(storage, settings).slice(1) });

type Options = Readonly<Record<string, string | undefined>>;

/** Where the storage is, and how it is reached. */
function placeOptions(storage: ObjectStorage, path: string): Options {
  const { directory, file } = backupFiles.authority;
  return {
    "repo1-type": "s3",
    "repo1-path": path,
    "repo1-s3-bucket": storage.bucket,
    "repo1-s3-endpoint": storage.endpoint,
    "repo1-s3-region": storage.region ?? defaultRegion,
    "repo1-s3-uri-style": uriStyleOf(storage),
    // the passphrase goes by the environment of each process
    "repo1-cipher-type": storage.encryption === undefined ? undefined : "aes-256-cbc",
    "repo1-storage-ca-file": storage.ca === undefined ? undefined : `${directory}/${file}`,
  };
}

/** How it works in its container. */
const processOptions: Options = {
  "process-max": "2",
  "archive-async": "y",
  "lock-path": `${scratchDirectory}/lock`,
  "spool-path": `${scratchDirectory}/spool`,
  "log-level-file": "off",
  "log-level-console": "off",
  "log-level-stderr": "warn",
};

function linesOf(options: Options): string {
  const lines = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return `[global]\n${lines.join("\n")}\n`;
}

/** What there is to know of the storage of a Database, for one that begins with its backups: they may outlive it. Without any secret. */
export const storageNote = (settings: Settings, storage: ObjectStorage): string =>
  noteOf({ ...storage, prefix: pathOf(storage, settings).slice(1) });

/** In one order, whatever that of its fields is. */
function noteOf({ bucket, prefix, endpoint, region, pathStyle, credentials, ca, encryption }: ObjectStorage): string {
  return JSON.stringify({ bucket, prefix, endpoint, region, pathStyle, credentials, ca, encryption });
}

/** How many bytes of WAL may wait: a quarter of the data volume. What is more is given up, as a full volume stops the database. */
const queueOf = ({ storage }: Settings): number => Math.floor((bytesOf(storage) ?? 0) / 4) || 1024 ** 3;

/** The key that the programs of this Database's backups have in common. To have it is to be the superuser, as with the password it is made from. */
export const backupKeyOf = (superuser: string): string =>
  Buffer.from(hkdfSync("sha256", superuser, "", "database backup key", 32)).toString("base64url");

/** Who they are, and by which key they know each other. */
export const identityVariables = ({ name, namespace }: Settings): Environment => ({
  DATABASE_NAME: name,
  NAMESPACE: namespace,
  [backupServer.keyVariable]: fromSecret(systemSecretName(name), systemSecretKeys.backup),
});

/** What pods have of the object storage. */
export const storageVolumes = ({ name }: Settings, storage: ObjectStorage): Volume[] => [
  { name: "backup-repository", configMap: { name: keptBackupsMap.name(name), ...filesOf(repositoryKey) } },
  ...keyVolumes(storage),
];

/** What opens it. */
export function keyVolumes({ credentials, encryption, ca }: ObjectStorage): Volume[] {
  const { id, secret } = backupFiles.credentials;
  return [
    ...secretVolume("backup-credentials", credentials, id, secret),
    ...secretVolume("backup-encryption", encryption, backupFiles.encryption.file),
    ...secretVolume("backup-ca", ca, backupFiles.authority.file),
  ];
}

const secretVolume = (name: string, secretName: string | undefined, ...keys: readonly string[]): Volume[] =>
  secretName === undefined ? [] : [{ name, secret: { secretName, ...filesOf(...keys) } }];

/** Where. */
export const storageMounts = (storage: ObjectStorage): Readonly<Record<string, string>> => ({
  "backup-repository": backupFiles.repository.directory,
  ...keyMounts(storage),
});

/** Where what opens it is. */
export const keyMounts = ({ ca, encryption }: ObjectStorage): Readonly<Record<string, string>> => ({
  "backup-credentials": backupFiles.credentials.directory,
  ...(encryption !== undefined && { "backup-encryption": backupFiles.encryption.directory }),
  ...(ca !== undefined && { "backup-ca": backupFiles.authority.directory }),
});

/** In the environment of the programs of Jobs: where backups are, as `storageNote` has it. Secrets are mounted. */
const storageVariable = "BACKUP_STORAGE";

/** Of this Database's own place, as it is when the pod starts. */
export const ownStorageVariables = ({ name }: Settings): Environment => ({
  [storageVariable]: fromConfigMap(keptBackupsMap.name(name), keptBackupsMap.storageKey),
});

/** Of the place that a new Database begins with. */
export const sourceStorageVariables = (storage: ObjectStorage): Environment => ({
  [storageVariable]: noteOf({ ...storage, prefix: storage.prefix ?? "" }),
});
