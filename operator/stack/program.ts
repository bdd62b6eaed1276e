// From what a Database should be to the Pulumi program that declares it, and to the digest that shows whether it changed.
import { createHash } from "node:crypto";
import type { ComponentResourceOptions, ResourceTransformation } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { API_VERSION } from "../api/crd";
import { Database, type DatabaseArgs } from "../../components";
import type { RestoreOrigin } from "../../components/args";
import { databaseOfBackups } from "../../components/naming";
import { keepsLogs } from "../api/point-in-time";
import { canonical } from "../objects/json";
import { workloadType } from "../checkpoint/checkpoint";
import { databaseResource } from "../../contract/resources";
import type { DatabaseProgram, Desired } from "../domain/desired";

/** The component's arguments, without the passwords. */
export type PlainArgs = Omit<DatabaseArgs, "passwords" | "certificates">;

/** Pure: the same desired state gives the same arguments. */
export function argsOf({
  owner,
  spec,
  image,
  config,
  serviceMonitors,
  keptBackups,
  restore,
  upgrade,
  finalBackup,
  tls,
}: Desired): PlainArgs {
  const { name, namespace, uid } = owner;
  return {
    namespace,
    engine: spec.engine,
    version: spec.version,
    image,
    replicas: spec.replicas,
    storage: spec.storage,
    storageClass: spec.storageClass,
    config,
    resources: spec.resources,
    synchronousCommit: spec.highAvailability.synchronousCommit,
    synchronous: spec.highAvailability.synchronous,
    backup: {
      enabled: spec.backup.enabled,
      schedule: spec.backup.schedule,
      retention: spec.backup.retention,
      size: spec.backup.destination?.volume?.size,
      storageClass: spec.backup.destination?.volume?.storageClass,
      kept: keptBackups ?? [],
      s3: s3Of(spec.backup),
      fullEvery: spec.backup.fullEvery,
      everySeconds: spec.backup.pointInTime?.everySeconds,
      pointInTime: keepsLogs(spec) ? true : undefined,
      verify: spec.backup.verify,
    },
    monitoring: {
      enabled: spec.monitoring.enabled,
      labels: spec.monitoring.labels,
      serviceMonitor: serviceMonitors,
    },
    superuserAccess: spec.superuserAccess,
    tls: tlsOf({ tls, spec }),
    ...podsOf(spec),
    // else `kubectl delete --cascade=foreground` would remove the members before the last backup
    owner:
      spec.deletionPolicy === "Snapshot"
        ? undefined
        : { apiVersion: API_VERSION, kind: databaseResource.kind, name, uid },
    // operator/rollout restarts members, the primary last
    updateStrategy: "OnDelete",
    restore: restore && { ...originOf(restore), request: uid },
    upgrade,
    finalBackup,
  };
}

/** Missing: nothing is on record, nor said. */
const tlsOf = ({ tls, spec }: Pick<Desired, "tls" | "spec">): PlainArgs["tls"] => tls ?? spec.tls?.mode;

/** Where they run, what they carry, and how clients reach them. */
function podsOf({ placement, podMetadata, imagePullSecrets, services }: Desired["spec"]): Partial<PlainArgs> {
  return { placement, podMetadata, imagePullSecrets: imagePullSecrets?.map(({ name }) => name), services };
}

function originOf(restore: NonNullable<Desired["restore"]>): RestoreOrigin {
  if ("server" in restore) return { server: restore.server };
  if ("stored" in restore) return { stored: restore.stored };
  const { backup, claim, label, until } = restore;
  // any claim may be named where nothing but the volume is known
  const takenBy = backup === undefined ? undefined : databaseOfBackups(claim);
  return { claim, label, ...(takenBy !== undefined && { takenBy }), ...(until !== undefined && { until }) };
}

type Backups = Desired["spec"]["backup"];

function s3Of({ destination, encryption }: Backups): NonNullable<DatabaseArgs["backup"]>["s3"] {
  const s3 = destination?.s3;
  return s3 && { ...s3, credentials: s3.credentials.name, ca: s3.ca?.name, encryption: encryption?.secret.name };
}

/**
 * The engine refuses to replace the members' StatefulSet: that would end all of them at once. Of the other children that a
 * replacement could cost data, each is left in the cluster by its deletion (`retainOnDelete`).
 */
const keepWorkload: ResourceTransformation = ({ type, props, opts }) =>
  type === workloadType ? { props, opts: { ...opts, protect: true } } : undefined;

/** Options of a Database whose members are never replaced all at once. */
export const keptWorkload: ComponentResourceOptions = { transformations: [keepWorkload] };

/** The inline program of one Database. `options`: of its component. */
export function programOf(
  { desired, passwords, ...kept }: DatabaseProgram,
  options: ComponentResourceOptions = keptWorkload,
): PulumiFn {
  return () => {
    new Database(desired.owner.name, { ...argsOf(desired), ...kept, passwords }, options);
    return Promise.resolve({});
  };
}

/** The strings of a program that no message may contain. */
export function secretsOf({ passwords, certificates }: DatabaseProgram): readonly string[] {
  const { app, superuser, replication, monitor, rest } = passwords;
  return [app, superuser, replication, monitor, rest, ...(certificates === undefined ? [] : [certificates.key])];
}

/** Digests a desired state together with the version of the code that applies it. */
export function digestOf(programVersion: string): (desired: Desired) => string {
  return (desired) =>
    createHash("sha256")
      .update(canonical({ programVersion, args: argsOf(desired) }))
      .digest("hex");
}
