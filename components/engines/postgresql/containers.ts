// The containers of PostgreSQL: a member under Patroni, its metrics exporter, and those of the init and backup Jobs.
import { application } from "../../../contract/defaults";
import { isArchived } from "../../archiving";
import type { ObjectStorage, RestoreOrigin, SourceServer } from "../../args";
import { backupServerResources, containerResourcesOf, exporterResources } from "../../defaults";
import { peerVariables, tlsFile } from "../../../contract/tls";
import { ports, startParameters } from "../../member";
import {
  appLabelValue,
  dataVolumeName,
  labelKeys,
  readOnlyServiceName,
  readWriteServiceName,
  roles,
} from "../../naming";
import {
  accessOf,
  identityVariables,
  locationOf,
  objectStorageOf,
  ownSourceOf,
  sourceRepositoryOf,
  storageMounts,
  storageVolumes,
} from "../../object-storage";
import { volumeEnvironment } from "../../origin-environment";
import {
  backupDirectory,
  fromField,
  underInit,
  type Container,
  type Environment,
  type JobProgram,
  type Volume,
} from "../../pod";
import type { Settings } from "../../settings";
import { sourceEnvironment } from "../../source-server";
import { authorityEnvironment, requiresTls, tlsEnvironment, tlsMounts, tlsVolumes } from "../../tls";
import type { MemberPod, RestoreProgram } from "../engine";
import { applicationAccount, systemSecret } from "../secrets";
import { socketDirectory } from "./configuration";

/** Roles of the server and of Patroni's REST API; `postgres` is what initdb creates. */
export const users = { superuser: "postgres", replication: "replicator", monitor: "monitor", rest: "patroni" } as const;

const dataMount = "/var/lib/postgresql/data";

/** What a server needs beside its data. */
export const serverVolumes: Volume[] = [
  { name: "run", emptyDir: {} },
  { name: "tmp", emptyDir: {} },
  // Parallel queries share memory here; the 64 MiB of a container's own /dev/shm make them fail.
  { name: "shm", emptyDir: { medium: "Memory" } },
];
export const serverMounts = { [dataVolumeName]: dataMount, run: socketDirectory, tmp: "/tmp", shm: "/dev/shm" };
export const dataDirectory = `${dataMount}/pgdata`;

/** The pod of a member. */
export function memberPod(settings: Settings): MemberPod {
  const exporter = settings.monitoring.enabled ? [exporterContainer(settings)] : [];
  const storage = objectStorageOf(settings);
  return {
    containers: [memberContainer(settings), ...exporter, ...(storage === undefined ? [] : [backupContainer(settings)])],
    volumes: [
      ...serverVolumes,
      ...tlsVolumes(settings),
      ...(storage === undefined ? [] : [{ name: "backup-tmp", emptyDir: {} }, ...storageVolumes(settings, storage)]),
    ],
    // For the hand-over, which takes two minutes at most, and for a fast shutdown: it ends connections, but its checkpoint
    // must write everything that is dirty.
    terminationGracePeriodSeconds: 600,
  };
}

function memberContainer(settings: Settings): Container {
  const storage = objectStorageOf(settings);
  return {
    name: "postgresql",
    image: settings.image,
    command: ["postgresql-member"],
    env: memberEnvironment(settings),
    ports: { [ports.postgresql.name]: ports.postgresql.port, [ports.patroni.name]: ports.patroni.port },
    mounts: {
      ...serverMounts,
      [startParameters.volume]: startParameters.directory,
      ...tlsMounts(settings),
      ...(storage !== undefined && storageMounts(storage)),
    },
    resources: containerResourcesOf(settings),
    // Up to an hour until Patroni answers, then: alive is Patroni alive. The server's own state never counts here, so
    // that neither a crash recovery nor a copy of any length is killed.
    startupProbe: { httpGet: probe("/liveness"), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 1800 },
    livenessProbe: {
      httpGet: probe("/liveness"),
      // A frozen primary ends about when another one is elected, and with it the sessions of its clients. Patroni answers
      // from memory: who gets no answer within 5 s three times over looks at a process that does not run.
      periodSeconds: 5,
      timeoutSeconds: 5,
      failureThreshold: 3,
      // What is frozen never sees a signal to stop. The pod's own time is for servers that have something to write.
      terminationGracePeriodSeconds: 5,
    },
    readinessProbe: { httpGet: probe("/readiness"), periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
    lifecycle: { preStop: { exec: { command: ["postgresql-handover"] } } },
  };
}

const probe = (path: string): { path: string; port: number } => ({ path, port: ports.patroni.port });

/** Patroni reads its settings from the environment; what is the same for every database is in the image. */
function memberEnvironment(settings: Settings): Environment {
  const { name, namespace } = settings;
  const { component, database, role, app } = labelKeys;
  return {
    POD_IP: fromField("status.podIP"),
    PATRONI_NAME: fromField("metadata.name"),
    PATRONI_SCOPE: name,
    PATRONI_KUBERNETES_NAMESPACE: namespace,
    // Pods with these labels and the scope label are members; without the component Job pods would be taken for some.
    PATRONI_KUBERNETES_LABELS: `{${app}: ${appLabelValue}, ${component}: database}`,
    PATRONI_KUBERNETES_SCOPE_LABEL: database,
    PATRONI_KUBERNETES_ROLE_LABEL: role,
    PATRONI_KUBERNETES_LEADER_LABEL_VALUE: roles.primary,
    PATRONI_KUBERNETES_FOLLOWER_LABEL_VALUE: roles.replica,
    PATRONI_KUBERNETES_STANDBY_LEADER_LABEL_VALUE: roles.primary,
    PATRONI_KUBERNETES_USE_ENDPOINTS: "false",
    PATRONI_KUBERNETES_POD_IP: "$(POD_IP)",
    PATRONI_POSTGRESQL_DATA_DIR: dataDirectory,
    PATRONI_POSTGRESQL_LISTEN: `*:${ports.postgresql.port}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `$(POD_IP):${ports.postgresql.port}`,
    PATRONI_RESTAPI_LISTEN: `*:${ports.patroni.port}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `$(POD_IP):${ports.patroni.port}`,
    PATRONI_RESTAPI_USERNAME: users.rest,
    PATRONI_RESTAPI_PASSWORD: systemSecret(name, "rest"),
    PATRONI_SUPERUSER_USERNAME: users.superuser,
    PATRONI_SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
    PATRONI_REPLICATION_USERNAME: users.replication,
    PATRONI_REPLICATION_PASSWORD: systemSecret(name, "replication"),
    // Otherwise a connection has TLS where the other member has it. Members know each other by addresses: the authority is this Database's alone.
    ...(requiresTls(settings) && {
      [peerVariables.mode]: "verify-ca",
      [peerVariables.authorities]: tlsFile("authorities"),
    }),
  };
}

function exporterContainer(settings: Settings): Container {
  return {
    name: "metrics",
    image: settings.image,
    command: ["prometheus-postgres-exporter"],
    args: [`--web.listen-address=:${ports.metrics.port}`],
    env: {
      // The statistics of tables are those of the database that it is connected to; most others are of the whole server.
      DATA_SOURCE_URI: `localhost:${ports.postgresql.port}/${application.database}?sslmode=disable`,
      DATA_SOURCE_USER: users.monitor,
      DATA_SOURCE_PASS: systemSecret(settings.name, "monitor"),
    },
    ports: { [ports.metrics.name]: ports.metrics.port },
    resources: exporterResources,
  };
}

/** The server by which backup Jobs read the files of this member, and reach its server as the superuser of its pod. */
function backupContainer(settings: Settings): Container {
  return {
    name: "backup",
    image: settings.image,
    command: ["postgresql-backup-server"],
    env: identityVariables(settings),
    ports: { [ports.backup.name]: ports.backup.port },
    mounts: { [dataVolumeName]: dataMount, run: socketDirectory, "backup-tmp": "/tmp" },
    resources: backupServerResources,
  };
}

/** What the init Job runs. */
export function initProgram(settings: Settings): JobProgram {
  const { name } = settings;
  return {
    command: ["postgresql-init"],
    env: {
      PGHOST: readWriteServiceName(name),
      PGPORT: String(ports.postgresql.port),
      PGUSER: users.superuser,
      PGPASSWORD: systemSecret(name, "superuser"),
      ...tlsEnvironment(settings),
      ...applicationAccount(name),
      MONITOR_USER: users.monitor,
      MONITOR_PASSWORD: systemSecret(name, "monitor"),
    },
  };
}

/** What a backup Job runs. */
export function backupProgram(settings: Settings): JobProgram {
  const { name, backup } = settings;
  const storage = objectStorageOf(settings);
  if (storage !== undefined) return objectBackupProgram(settings, storage);
  return {
    command: ["postgresql-backup"],
    env: {
      DATABASE_NAME: name,
      REPLICA_HOST: readOnlyServiceName(name),
      ...primaryVariables(name),
      ...tlsEnvironment(settings),
      BACKUP_DIRECTORY: backupDirectory,
      BACKUP_RETENTION: String(backup.retention),
      ...(isArchived(settings) && walKept),
    },
  };
}

/** By whom to connect to the primary. */
const primaryVariables = (name: string): Environment => ({
  PRIMARY_HOST: readWriteServiceName(name),
  PGPORT: String(ports.postgresql.port),
  PGUSER: users.replication,
  PGPASSWORD: systemSecret(name, "replication"),
});

/** Where WAL is kept beside backups on their volume. */
const walKept = { WRITE_AHEAD_LOG: "kept" } as const;

/** What keeps the WAL. */
export function archiveProgram(settings: Settings): JobProgram {
  const { name, backup } = settings;
  return {
    command: ["postgresql-archive"],
    env: {
      DATABASE_NAME: name,
      ...primaryVariables(name),
      ...authorityEnvironment(settings),
      BACKUP_DIRECTORY: backupDirectory,
      BACKUP_RETENTION: String(backup.retention),
    },
  };
}

function objectBackupProgram(settings: Settings, storage: ObjectStorage): JobProgram {
  const { name, backup } = settings;
  return {
    command: ["postgresql-object-backup"],
    env: {
      ...identityVariables(settings),
      PGUSER: users.replication,
      PGPASSWORD: systemSecret(name, "replication"),
      ...tlsEnvironment(settings),
      BACKUP_LOCATION: locationOf(storage, settings),
      BACKUP_ACCESS: accessOf(storage),
      BACKUP_RETENTION: String(backup.retention),
      BACKUP_FULL_EVERY: String(backup.fullEvery),
      BACKUP_JOB: fromField("metadata.labels['batch.kubernetes.io/job-name']"),
    },
  };
}

/** What the restore Job runs: a server that no one else reaches, which gives the roles their new passwords. */
export function restoreProgram(settings: Settings, origin: RestoreOrigin): RestoreProgram {
  const { name } = settings;
  if ("server" in origin) return importProgram(settings, origin.server);
  return {
    command: underInit(["postgresql-restore"]),
    env: {
      ...originVariables(origin),
      DATA_DIRECTORY: dataDirectory,
      SUPERUSER: users.superuser,
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      REPLICATION_USER: users.replication,
      REPLICATION_PASSWORD: systemSecret(name, "replication"),
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}

/** What the import Job runs: such a server, which begins empty. */
function importProgram({ name }: Settings, server: SourceServer): RestoreProgram {
  return {
    command: underInit(["postgresql-import"]),
    env: {
      ...sourceEnvironment(server),
      DATA_DIRECTORY: dataDirectory,
      SUPERUSER: users.superuser,
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      REPLICATION_USER: users.replication,
      REPLICATION_PASSWORD: systemSecret(name, "replication"),
      ...applicationAccount(name),
      MONITOR_USER: users.monitor,
      MONITOR_PASSWORD: systemSecret(name, "monitor"),
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}

/** Which backup the restore Job restores, and from where. */
function originVariables(origin: Exclude<RestoreOrigin, { readonly server: SourceServer }>): Environment {
  if (!("stored" in origin)) return volumeEnvironment(origin);
  const { storage, cluster, label, until } = origin.stored;
  return {
    BACKUP_REPOSITORY: sourceRepositoryOf(storage),
    BACKUP_LOCATION: `s3://${storage.bucket}/${storage.prefix ?? ""}`,
    ...(cluster !== undefined && { BACKUP_CLUSTER: cluster }),
    ...(label !== undefined && { BACKUP_LABEL: label }),
    RESTORE_UNTIL: until,
  };
}

/** What a restore drill runs: it needs no password, as no one but itself gets in where it works. */
export function verifyProgram(settings: Settings): RestoreProgram {
  const storage = objectStorageOf(settings);
  const place: Environment =
    storage === undefined
      ? { BACKUP_DIRECTORY: backupDirectory, ...(isArchived(settings) && walKept) }
      : { BACKUP_REPOSITORY: ownSourceOf(settings, storage), BACKUP_LOCATION: locationOf(storage, settings) };
  return {
    command: underInit(["postgresql-verify"]),
    env: {
      DATABASE_NAME: settings.name,
      ...place,
      DATA_DIRECTORY: dataDirectory,
      SUPERUSER: users.superuser,
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}
