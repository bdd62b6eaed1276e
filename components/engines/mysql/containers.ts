// The containers of MySQL: a member under its agent, its metrics exporter, and those of the init and backup Jobs.
import type { ObjectStorage, RestoreOrigin, StoredBackups } from "../../args";
import { isArchived } from "../../archiving";
import {
  archiveResources,
  containerResourcesOf,
  copyingJobResources,
  drillResources,
  exporterResources,
} from "../../defaults";
import { ports, startParameters } from "../../member";
import { dataVolumeName, readOnlyServiceName, readWriteServiceName } from "../../naming";
import {
  accessOf,
  locationOf,
  objectStorageOf,
  ownStorageVariables,
  sourceStorageVariables,
} from "../../object-storage";
import { originEnvironment } from "../../origin-environment";
import {
  backupDirectory,
  fromField,
  fromResource,
  underInit,
  type Container,
  type Environment,
  type JobProgram,
  type Volume,
} from "../../pod";
import type { Settings } from "../../settings";
import type { MemberPod, RestoreProgram } from "../engine";
import { applicationAccount, systemSecret } from "../secrets";
import { redoLogBytesOf } from "./configuration";
import { archiveMebibytesOf, replayParametersOf } from "./replay";

/** Accounts of the server beside those that the agent creates. */
const monitorUser = "monitor";

const dataMount = "/var/lib/mysql";
const runMount = "/run/mysqld";
const accountMount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Mebibytes that a program may have on its heap. A manifest has a line on each file of a server, which may have a hundred thousand. */
const heaps = { usual: 48, withManifests: 192 } as const;

/** Runs one of the agent's programs, with options of Node for a small heap. */
const agent = (program: string, heap: number = heaps.usual): string[] => [
  "node",
  `--max-old-space-size=${heap}`,
  "--max-semi-space-size=1",
  "--single-threaded",
  "--optimize-for-size",
  "/opt/database-agent/agent.js",
  program,
];

/** What a server needs beside its data. */
const serverVolumes: Volume[] = [
  { name: "run", emptyDir: {} },
  { name: "tmp", emptyDir: {} },
];
const serverMounts = { [dataVolumeName]: dataMount, run: runMount, tmp: "/tmp" };

/** The pod of a member. */
export function memberPod(settings: Settings): MemberPod {
  const exporter = settings.monitoring.enabled ? [exporterContainer(settings)] : [];
  return {
    containers: [memberContainer(settings), ...exporter],
    volumes: serverVolumes,
    // The successor executes what it has received, and a clean end writes everything that is dirty.
    terminationGracePeriodSeconds: 600,
  };
}

function memberContainer(settings: Settings): Container {
  const { name, namespace, image } = settings;
  return {
    name: "mysql",
    image,
    command: agent("mysql-member"),
    env: {
      POD_NAME: fromField("metadata.name"),
      POD_NAMESPACE: namespace,
      DATABASE_NAME: name,
      MEMORY_LIMIT: fromResource("limits.memory"),
      SERVER_PORT: String(ports.mysql.port),
      AGENT_PORT: String(ports.agent.port),
      DATA_VOLUME: dataMount,
      RUN_DIRECTORY: runMount,
      START_PARAMETERS: `${startParameters.directory}/${startParameters.file}`,
      ACCOUNT_DIRECTORY: accountMount,
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      REPLICATION_PASSWORD: systemSecret(name, "replication"),
    },
    ports: { [ports.mysql.name]: ports.mysql.port, [ports.agent.name]: ports.agent.port },
    mounts: { ...serverMounts, [startParameters.volume]: startParameters.directory },
    resources: containerResourcesOf(settings),
    // Alive is the agent alive. The server's own state never counts, so that neither a crash recovery nor a copy is killed; but a
    // member whose processes are all frozen is ended after some 20 seconds, and soon: its clients' connections end with it.
    startupProbe: { httpGet: probe("/liveness"), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 1800 },
    livenessProbe: {
      httpGet: probe("/liveness"),
      periodSeconds: 5,
      timeoutSeconds: 3,
      failureThreshold: 3,
      terminationGracePeriodSeconds: 5,
    },
    // A server that is back within a few seconds does not count as gone, and one that does is found soon after it is back.
    readinessProbe: { httpGet: probe("/readiness"), periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 3 },
  };
}

const probe = (path: string): { path: string; port: number } => ({ path, port: ports.agent.port });

function exporterContainer(settings: Settings): Container {
  return {
    name: "metrics",
    image: settings.image,
    command: ["prometheus-mysqld-exporter"],
    args: [
      `--web.listen-address=:${ports.metrics.port}`,
      `--mysqld.address=127.0.0.1:${ports.mysql.port}`,
      `--mysqld.username=${monitorUser}`,
      "--collect.perf_schema.replication_group_members",
      "--collect.perf_schema.replication_group_member_stats",
      "--collect.perf_schema.replication_applier_status_by_worker",
    ],
    env: { MYSQLD_EXPORTER_PASSWORD: systemSecret(settings.name, "monitor") },
    ports: { [ports.metrics.name]: ports.metrics.port },
    resources: exporterResources,
  };
}

/** What the init Job runs. */
export function initProgram({ name }: Settings): JobProgram {
  return {
    command: agent("mysql-init"),
    env: {
      PRIMARY_HOST: readWriteServiceName(name),
      SERVER_PORT: String(ports.mysql.port),
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      ...applicationAccount(name),
      MONITOR_USER: monitorUser,
      MONITOR_PASSWORD: systemSecret(name, "monitor"),
    },
  };
}

/** What a backup Job runs: a server, with its files in the pod, that copies a member's data. */
export function backupProgram(settings: Settings): JobProgram {
  const storage = objectStorageOf(settings);
  if (storage !== undefined) return objectBackupProgram(settings, storage);
  return {
    command: underInit(agent("mysql-backup", heaps.withManifests)),
    resources: copyingJobResources,
    env: {
      ...copyingVariables(settings),
      BACKUP_RETENTION: String(settings.backup.retention),
      ...(isArchived(settings) && { BINARY_LOGS: "kept" }),
    },
  };
}

/** The same for object storage: the copy is made on a volume of the Jobs. Where the place changes, one is taken at once. */
const objectBackupProgram = (settings: Settings, storage: ObjectStorage): JobProgram => ({
  command: underInit(agent("mysql-object-backup", heaps.withManifests)),
  resources: copyingJobResources,
  env: {
    ...memberVariables(settings),
    ...ownStorageVariables(settings),
    STAGING_DIRECTORY: backupDirectory,
    BACKUP_LOCATION: locationOf(storage, settings),
    BACKUP_ACCESS: accessOf(storage),
    BACKUP_RETENTION: String(settings.backup.retention),
  },
});

/** Which members are copied from. */
const memberVariables = ({ name }: Settings): Environment => ({
  DATABASE_NAME: name,
  REPLICA_HOST: readOnlyServiceName(name),
  PRIMARY_HOST: readWriteServiceName(name),
  SERVER_PORT: String(ports.mysql.port),
  REPLICATION_PASSWORD: systemSecret(name, "replication"),
});

/** The same, and where to. */
const copyingVariables = (settings: Settings): Environment => ({
  ...memberVariables(settings),
  BACKUP_DIRECTORY: backupDirectory,
});

/** What keeps the binary logs. */
export const archiveProgram = (settings: Settings): JobProgram => ({
  command: agent("mysql-archive"),
  resources: { ...archiveResources, limits: { memory: `${archiveMebibytesOf(settings)}Mi` } },
  env: { ...copyingVariables(settings), BACKUP_RETENTION: String(settings.backup.retention) },
});

/** What the restore Job runs: a server that no one else reaches, which gives the accounts their new passwords. */
export function restoreProgram(settings: Settings, origin: RestoreOrigin): RestoreProgram {
  const { name } = settings;
  return {
    command: underInit("server" in origin ? agent("mysql-import") : agent("mysql-restore", heaps.withManifests)),
    env: {
      ...("stored" in origin ? storedVariables(origin.stored) : originEnvironment(origin)),
      DATA_VOLUME: dataMount,
      RUN_DIRECTORY: runMount,
      REDO_LOG_BYTES: String(redoLogBytesOf(settings)),
      ...("claim" in origin &&
        origin.until !== undefined && { REPLAY_PARAMETERS: JSON.stringify(replayParametersOf(settings)) }),
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      REPLICATION_PASSWORD: systemSecret(name, "replication"),
      ...applicationAccount(name),
      MONITOR_USER: monitorUser,
      MONITOR_PASSWORD: systemSecret(name, "monitor"),
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}

/** Which backup in object storage the restore Job restores. */
const storedVariables = ({ storage, cluster, label, until }: StoredBackups): Environment => ({
  ...sourceStorageVariables(storage),
  ...(cluster !== undefined && { BACKUP_CLUSTER: cluster }),
  ...(label !== undefined && { BACKUP_LABEL: label }),
  RESTORE_UNTIL: until,
});

/** What a restore drill runs: such a server, with a password that it makes itself. */
export const verifyProgram = (settings: Settings): RestoreProgram => ({
  command: underInit(agent("mysql-verify", heaps.withManifests)),
  resources: isArchived(settings) ? replayingDrillResourcesOf(settings) : drillResources,
  env: {
    DATABASE_NAME: settings.name,
    ...(objectStorageOf(settings) === undefined
      ? { BACKUP_DIRECTORY: backupDirectory }
      : ownStorageVariables(settings)),
    DATA_VOLUME: dataMount,
    RUN_DIRECTORY: runMount,
    ...(isArchived(settings) && {
      BINARY_LOGS: "kept",
      REPLAY_PARAMETERS: JSON.stringify(replayParametersOf(settings)),
    }),
  },
  volumes: serverVolumes,
  mounts: serverMounts,
});

/** Of the server, and of the largest event that it replays. */
const drillServerMebibytes = 512;

function replayingDrillResourcesOf(settings: Settings): NonNullable<JobProgram["resources"]> {
  const mebibytes = drillServerMebibytes + archiveMebibytesOf(settings);
  return mebibytes <= 1024 ? drillResources : { ...drillResources, limits: { memory: `${mebibytes}Mi` } };
}
