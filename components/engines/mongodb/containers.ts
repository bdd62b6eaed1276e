// The containers of MongoDB: a member, which serves its metrics itself, and those of the init, backup and restore Jobs.
import type { RestoreOrigin } from "../../args";
import { containerResourcesOf, drillResources } from "../../defaults";
import { ports, startParameters } from "../../member";
import { dataVolumeName, headlessServiceName, readWriteServiceName } from "../../naming";
import { originEnvironment } from "../../origin-environment";
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
import type { MemberPod, RestoreProgram } from "../engine";
import { applicationAccount, systemSecret } from "../secrets";
import { parametersOf } from "./configuration";

/** The user by whom backups are taken. */
const backupAccount = (name: string): Environment => ({
  BACKUP_USER: "backup",
  BACKUP_PASSWORD: systemSecret(name, "replication"),
});

/** The agent in the image. */
const agentProgram = "/opt/database-agent/agent.js";

const dataMount = "/data/db";
const runMount = "/run/mongodb";

/** What a server needs beside its data. */
const serverVolumes: Volume[] = [
  // the members' key is here, so it is never on a disk
  { name: "run", emptyDir: { medium: "Memory" } },
  { name: "tmp", emptyDir: {} },
];
const serverMounts = { [dataVolumeName]: dataMount, run: runMount, tmp: "/tmp" };

/** The pod of a member. */
export function memberPod(settings: Settings): MemberPod {
  return {
    containers: [memberContainer(settings)],
    volumes: serverVolumes,
    // A member that goes for good waits up to 90 s until its set has let it go, and its server writes what it has not yet.
    terminationGracePeriodSeconds: 180,
  };
}

function memberContainer(settings: Settings): Container {
  const { name, namespace, image, monitoring } = settings;
  return {
    name: "mongodb",
    image,
    command: ["node", agentProgram, "mongodb-member"],
    env: {
      POD_NAME: fromField("metadata.name"),
      POD_NAMESPACE: namespace,
      DATABASE_NAME: name,
      SERVER_PORT: String(ports.mongodb.port),
      AGENT_PORT: String(ports.agent.port),
      ...(monitoring.enabled && { METRICS_PORT: String(ports.metrics.port) }),
      DATA_VOLUME: dataMount,
      RUN_DIRECTORY: runMount,
      START_PARAMETERS: `${startParameters.directory}/${startParameters.file}`,
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      KEY_SECRET: systemSecret(name, "rest"),
    },
    ports: {
      [ports.mongodb.name]: ports.mongodb.port,
      [ports.agent.name]: ports.agent.port,
      ...(monitoring.enabled && { [ports.metrics.name]: ports.metrics.port }),
    },
    mounts: { ...serverMounts, [startParameters.volume]: startParameters.directory },
    resources: containerResourcesOf(settings),
    // Alive is the agent alive: neither a recovery nor a first copy of any length is killed. One that is frozen is ended at
    // once, and with it the connections of clients that would wait for it.
    livenessProbe: {
      httpGet: probe("/liveness"),
      periodSeconds: 5,
      timeoutSeconds: 3,
      failureThreshold: 3,
      terminationGracePeriodSeconds: 5,
    },
    startupProbe: { httpGet: probe("/liveness"), periodSeconds: 1, timeoutSeconds: 3, failureThreshold: 120 },
    readinessProbe: { httpGet: probe("/readiness"), periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 3 },
  };
}

const probe = (path: string): { path: string; port: number } => ({ path, port: ports.agent.port });

/** What the init Job runs. */
export function initProgram({ name }: Settings): JobProgram {
  return {
    command: ["node", agentProgram, "mongodb-init"],
    env: {
      MONGODB_HOST: `${readWriteServiceName(name)}:${ports.mongodb.port}`,
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      ...applicationAccount(name),
      ...backupAccount(name),
    },
  };
}

/** What a backup Job runs. */
export function backupProgram({ name, backup }: Settings): JobProgram {
  return {
    command: ["node", agentProgram, "mongodb-backup"],
    env: {
      DATABASE_NAME: name,
      // Any member will do to find the others. Named one by one they would change the Job whenever the number of members does.
      MONGODB_HOSTS: `${headlessServiceName(name)}:${ports.mongodb.port}`,
      ...backupAccount(name),
      BACKUP_DIRECTORY: backupDirectory,
      BACKUP_RETENTION: String(backup.retention),
      TMPDIR: "/tmp",
    },
  };
}

/** What the restore Job runs: a server that no one else reaches, into which it loads the backup. */
export function restoreProgram(settings: Settings, origin: RestoreOrigin): RestoreProgram | undefined {
  if ("stored" in origin) return undefined;
  const { name } = settings;
  return {
    command: underInit(["node", agentProgram, "server" in origin ? "mongodb-import" : "mongodb-restore"]),
    env: {
      ...originEnvironment(origin),
      DATA_VOLUME: dataMount,
      RUN_DIRECTORY: runMount,
      ...compressorOf(settings),
      SUPERUSER_PASSWORD: systemSecret(name, "superuser"),
      ...applicationAccount(name),
      ...backupAccount(name),
    },
    volumes: serverVolumes,
    mounts: serverMounts,
  };
}

/** What a server compresses collections by as it takes them in, where the user chose that: they take up as much room as a member's then. */
function compressorOf(settings: Settings): Environment {
  const compressor = parametersOf(settings)["storage.wiredTiger.collectionConfig.blockCompressor"];
  return compressor === undefined ? {} : { BLOCK_COMPRESSOR: compressor };
}

/** What a restore drill runs: such a server, with a password that it makes itself. */
export const verifyProgram = (settings: Settings): RestoreProgram => ({
  command: underInit(["node", agentProgram, "mongodb-verify"]),
  resources: drillResources,
  env: {
    DATABASE_NAME: settings.name,
    ...compressorOf(settings),
    BACKUP_DIRECTORY: backupDirectory,
    DATA_VOLUME: dataMount,
    RUN_DIRECTORY: runMount,
  },
  volumes: serverVolumes,
  mounts: serverMounts,
});
