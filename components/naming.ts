// The one place where names, labels, selectors and annotations of a Database's children are defined; it imports no SDK.
import { createHash } from "node:crypto";
import { engineNames, engines, type EngineName } from "../contract/engines";
import { operatorName } from "../contract/platform";
import { keyPrefix } from "../contract/resources";
import { maxNameLength, maxMembers, namePattern } from "../contract/limits";

/** Says what is wrong with `name` as the name of a Database, or nothing when it is fine. */
export function nameProblem(name: string): string | undefined {
  if (name.length > maxNameLength)
    return `"${name}" has ${name.length} characters; at most ${maxNameLength} are allowed`;
  if (namePattern.test(name)) return undefined;
  return `"${name}" must begin with a letter and hold only lower-case letters, digits and "-", not at its end`;
}

/** The name of the StatefulSet; its pods are `<name>-0`, `<name>-1`, … */
export const statefulSetName = (name: string): string => name;
/** The name of the member with this ordinal (its pod). */
export const memberName = (name: string, ordinal: number): string => `${name}-${ordinal}`;
/** The names of every pod a Database can ever have. */
export const memberNames = (name: string): string[] =>
  Array.from({ length: maxMembers }, (_, ordinal) => memberName(name, ordinal));
/** The claim of a member's data; the StatefulSet's claim template `data` resolves to exactly this name. */
export const dataClaimName = (name: string, ordinal: number): string => claimOfMember(memberName(name, ordinal));
/** The claim of a member's data, by the name of its pod. */
export const claimOfMember = (member: string): string => `${dataVolumeName}-${member}`;
/** The claims of the first `count` members. */
export const dataClaimNames = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, ordinal) => dataClaimName(name, ordinal));
/** The name of the claim template and of the data volume in a member's pod. */
export const dataVolumeName = "data";

/** The Service for reading and writing: it leads to the primary. */
export const readWriteServiceName = (name: string): string => name;
/** The Service for reading: it leads to the replicas, or to the primary when there is only one member. */
export const readOnlyServiceName = (name: string): string => `${name}-ro`;
/** The Service for reading from any member that is ready, the primary too. */
export const anyMemberServiceName = (name: string): string => `${name}-any`;
/** The headless Service that gives every member a host name and carries the metrics port. */
export const headlessServiceName = (name: string): string => `${name}-headless`;
/** Endings by which the name of one Database is that of another one's Service: no other kinds of children can have a name in common. */
const serviceEndings = [readOnlyServiceName(""), anyMemberServiceName(""), headlessServiceName("")];
/** The Services of a Database. */
export const serviceNames = (name: string): string[] => [
  readWriteServiceName(name),
  ...serviceEndings.map((ending) => name + ending),
];

/** The Databases with which one of this name would have a Service in common, and that Service. */
export function sharedServices(name: string): { readonly name: string; readonly service: string }[] {
  const longer = serviceEndings.map((ending) => ({ name: name + ending, service: name + ending }));
  const shorter = serviceEndings
    .filter((ending) => name.endsWith(ending) && name.length > ending.length)
    .map((ending) => ({ name: name.slice(0, -ending.length), service: name }));
  return [...longer, ...shorter];
}

/** The host names of the first `count` members as clients of any namespace reach them. */
export const memberHostsOf = (name: string, namespace: string, count: number): string[] =>
  memberNames(name)
    .slice(0, count)
    .map((member) => `${member}.${headlessServiceName(name)}.${namespace}.svc`);
/** The host of the read-write Service as clients of any namespace reach it. */
export const hostOf = (name: string, namespace: string): string => `${readWriteServiceName(name)}.${namespace}.svc`;

/** The names by which a certificate of the members is asked for: of each Service, of each member, and inside a pod. */
export function certificateHosts(name: string, namespace: string): string[] {
  const places = serviceNames(name).map((service) =>
    service === headlessServiceName(name) ? `*.${service}` : service,
  );
  const endings = ["", `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  return [...places.flatMap((place) => endings.map((ending) => place + ending)), "localhost"];
}

/** The Secret for applications: username, password, host, port, database, uri. */
export const credentialsSecretName = (name: string): string => `${name}-credentials`;
/** The Secret of the members themselves: superuser, replication, monitor and REST passwords. */
export const systemSecretName = (name: string): string => `${name}-system`;
/** Keys of the Secret `<name>-system`. */
export const systemSecretKeys = {
  superuser: "superuser-password",
  replication: "replication-password",
  monitor: "monitor-password",
  rest: "rest-password",
  /** Only where backups go to object storage. */
  backup: "backup-key",
} as const;

/** The Secret by which members are known: certificate, key and authorities. */
export const tlsSecretName = (name: string): string => `${name}-server-tls`;
/** The Secret by which clients know them: authorities alone. */
export const authoritySecretName = (name: string): string => `${name}-ca`;

/** The ConfigMap with the engine's dynamic configuration. For PostgreSQL Patroni's own `<scope>-config`. */
export const configMapName = (name: string): string => `${name}-config`;
/** A ConfigMap in which the engine's consensus keeps its state, such as `<name>-leader`. */
export const consensusMapName = (name: string, object: string): string => `${name}-${object}`;
/** The ConfigMaps in which the consensus of this engine keeps its state. */
export const consensusMapNames = (name: string, engine: EngineName): string[] =>
  engines[engine].consensusObjects.map((object) => consensusMapName(name, object));
/** Those of all engines: a name that another engine uses is free of ours as well. */
export const allConsensusMapNames = (name: string): string[] =>
  engineNames.flatMap((engine) => consensusMapNames(name, engine));
/** The ServiceAccount, the Role and the RoleBinding of the members. */
export const accessName = (name: string): string => name;
/**
 * The ServiceAccount of the Jobs. With a dot, which no name of a Database has: the members of a Database `<name>-jobs` would
 * have the same account otherwise.
 */
export const jobAccountName = (name: string): string => `${name}.jobs`;
/** The Job that creates the application's role and database. */
export const initJobName = (name: string): string => `${name}-init`;
/** The Job that fills the first member's volume from a backup. */
export const restoreJobName = (name: string): string => `${name}-restore`;
/** The Job that fills it from a server elsewhere. */
export const importJobName = (name: string): string => `${name}-import`;
/** The Job of a major upgrade, whatever it does: there is one at a time. */
export const upgradeJobName = (name: string): string => `${name}-upgrade`;
/** The annotation on that Job's pods that says which step of which upgrade it is. */
export const upgradeAnnotation = `${keyPrefix}/upgrade`;
/** The CronJob that takes backups. */
export const backupCronJobName = (name: string): string => `${name}-backup`;
/** The CronJob of restore drills. */
export const verifyCronJobName = (name: string): string => `${name}-verify`;
/** Whether that CronJob made a Job of this name, for a minute of its schedule. */
export const isVerifyJobName = (name: string, job: string): boolean =>
  job.startsWith(`${verifyCronJobName(name)}-`) && /^\d+$/.test(job.slice(verifyCronJobName(name).length + 1));
/** The Job that takes the first backup as soon as the database is there. */
export const firstBackupJobName = (name: string): string => `${name}-backup-first`;
/** The Job that takes the last backup, before a deletion under the policy Snapshot destroys anything. */
export const finalBackupJobName = (name: string): string => `${name}-backup-final`;
/** The annotation on that Job's pods that says which wish for a last backup it answers. */
export const finalBackupAnnotation = `${keyPrefix}/final-backup`;
/** The annotation on the pods of a restore or import Job that says for which Database it is: its uid. */
export const restoreAnnotation = `${keyPrefix}/restore`;
/** Between the name of the CronJob and what tells its Jobs apart, of those that DatabaseBackups asked for. */
const manualPrefix = "m";
/** The Job of a DatabaseBackup that a person made. It follows from that object alone, so that there is one however often it is created. */
export const manualBackupJobName = (name: string, uid: string): string =>
  `${backupCronJobName(name)}-${manualPrefix}${uid.replaceAll(/[^0-9a-f]/g, "").slice(0, 9)}`;
/** The same, of those that the operator begins where WAL was given up. */
const gapPrefix = "g";
/**
 * A Job that takes a backup because WAL was given up: the `attempt`-th, from 0, after the segment `segment` was at `at`. It follows from
 * these alone, so that there is one however often it is created.
 */
export const gapBackupJobName = (
  name: string,
  gap: { readonly segment: string; readonly at: string },
  attempt: number,
): string => {
  const hash = createHash("sha256").update(`${gap.segment} ${gap.at} ${attempt}`).digest("hex");
  return `${backupCronJobName(name)}-${gapPrefix}${hash.slice(0, 9)}`;
};
/** The same, of those by which the operator tries again what failed. */
const againPrefix = "r";
/** A Job that tries again what the Job of that name, created then, failed to do: the `attempt`-th, from 0. It follows from these alone. */
export const againBackupJobName = (
  name: string,
  failed: { readonly name: string; readonly createdAt: string },
  attempt: number,
): string => {
  const hash = createHash("sha256").update(`${failed.name} ${failed.createdAt} ${attempt}`).digest("hex");
  return `${backupCronJobName(name)}-${againPrefix}${hash.slice(0, 9)}`;
};
const isMadeFor = (name: string, job: string, tail: string): boolean =>
  job.startsWith(`${backupCronJobName(name)}-`) &&
  new RegExp(`^(${tail})$`).test(job.slice(backupCronJobName(name).length + 1));
/** Whether the operator began a Job of this name because WAL was given up. */
export const isGapBackupJobName = (name: string, job: string): boolean =>
  isMadeFor(name, job, `${gapPrefix}[0-9a-f]{9}`);
/** Whether the operator began a Job of this name because another one had failed. */
export const isAgainBackupJobName = (name: string, job: string): boolean =>
  isMadeFor(name, job, `${againPrefix}[0-9a-f]{9}`);
/** Whether the CronJob made a Job of this name, for a minute of its schedule. */
export const isScheduledBackupJobName = (name: string, job: string): boolean => isMadeFor(name, job, "\\d+");
/** The same, or the operator, for a DatabaseBackup, a gap, or one that had failed. */
export const isBackupJobName = (name: string, job: string): boolean =>
  isScheduledBackupJobName(name, job) ||
  isMadeFor(name, job, `${manualPrefix}[0-9a-f]{1,9}`) ||
  isGapBackupJobName(name, job) ||
  isAgainBackupJobName(name, job);
/** The annotation on such a Job: the name of the DatabaseBackup. */
export const backupAnnotation = `${keyPrefix}/backup`;
/** The annotation on a DatabaseBackup that the operator made: the uid of the Job that it records. */
export const backupJobAnnotation = `${keyPrefix}/job-uid`;
/** The annotation on one whose record was lost and that was found where it lies: what is known of it, as JSON. */
export const foundBackupAnnotation = `${keyPrefix}/found`;
/** The ConfigMap that says which backups retention must not remove, and, for who reads them later, in which object storage they are; and the keys in it. */
export const keptBackupsMap = {
  name: (name: string): string => `${name}-backup`,
  key: "kept",
  storageKey: "storage",
} as const;
/** The claim that holds the backups. */
export const backupClaimName = (name: string): string => `${name}-backup`;
/** The claim on which Jobs make backups that they send to object storage: it holds nothing between them. */
export const stagingClaimName = (name: string): string => `${name}-backup-staging`;
/** The Database whose backups are on the volume of a claim of that name; undefined where it is named after none. */
export function databaseOfBackups(claim: string): string | undefined {
  const name = claim.slice(0, -backupClaimName("").length);
  return name !== "" && claim === backupClaimName(name) ? name : undefined;
}
/** The Deployment that keeps what changes between backups on their volume. */
export const archiveName = (name: string): string => `${name}-archive`;
/** The label of pods that have the backup volume of the Database that it names: one node has it at a time. */
export const backupVolumeLabel = `${keyPrefix}/backup-volume`;
/** The PodDisruptionBudget of the members. */
export const disruptionBudgetName = (name: string): string => name;
/** The NetworkPolicy of the members. */
export const networkPolicyName = (name: string): string => name;
/** The ServiceMonitor of the members' metrics. */
export const serviceMonitorName = (name: string): string => name;

/** A kind of children. */
export interface ChildKind {
  /** Group and version of its API, such as `apps/v1`. */
  readonly api: string;
  readonly plural: string;
  /** What those of this kind are for; completes the row of docs/rights.md. */
  readonly purpose: string;
  /** Names that the Database gives to children of this kind: never too few. */
  readonly names: (name: string) => readonly string[];
  /** Set where they keep pods alive: they are destroyed first, as pods need all others to stop cleanly. */
  readonly runsPods?: true;
  /** With what an object of this kind is kept, by its name and its Database's. Default, or undefined: it can be created again, and has an owner. */
  readonly keptWith?: (object: string, name: string) => "data" | "backups" | undefined;
}

function claimIsKeptWith(object: string, name: string): "data" | "backups" | undefined {
  if (object === stagingClaimName(name)) return undefined;
  return object === backupClaimName(name) ? "backups" : "data";
}

/** Every kind that a Database has children of: rights, watches, sweeps and adoption go over this table. */
export const childKinds = {
  Service: { api: "v1", plural: "services", purpose: "the ways to the members", names: serviceNames },
  ConfigMap: {
    ...{ api: "v1", plural: "configmaps" },
    purpose:
      "configuration and consensus of members, backups to keep and what is asked of them; what `configFrom` names is read",
    names: (name) => [configMapName(name), keptBackupsMap.name(name), ...allConsensusMapNames(name)],
    keptWith: (object, name) => (object === keptBackupsMap.name(name) ? "backups" : "data"),
  },
  Secret: {
    ...{ api: "v1", plural: "secrets" },
    purpose:
      "the passwords and certificates beside a Database; read back where those of record are lost. Which keys a Secret for object storage has is looked at. A right cannot be limited by label, so it is for all Secrets",
    names: (name) => [
      ...[credentialsSecretName(name), systemSecretName(name)],
      ...[tlsSecretName(name), authoritySecretName(name)],
    ],
    keptWith: () => "backups",
  },
  PersistentVolumeClaim: {
    ...{ api: "v1", plural: "persistentvolumeclaims" },
    purpose: "data and backups; deleted only as the `deletionPolicy` says",
    names: (name) => [...dataClaimNames(name, maxMembers), backupClaimName(name), stagingClaimName(name)],
    keptWith: claimIsKeptWith,
  },
  ServiceAccount: {
    ...{ api: "v1", plural: "serviceaccounts", purpose: "the identities of members and of Jobs" },
    names: (name) => [accessName(name), jobAccountName(name)],
  },
  StatefulSet: {
    ...{ api: "apps/v1", plural: "statefulsets", purpose: "the members" },
    names: (name) => [statefulSetName(name)],
    runsPods: true,
  },
  Deployment: {
    ...{ api: "apps/v1", plural: "deployments", purpose: "what keeps the changes between backups on their volume" },
    names: (name) => [archiveName(name)],
    runsPods: true,
  },
  Job: {
    ...{
      api: "batch/v1",
      plural: "jobs",
      purpose:
        "initialization, restore, import, major upgrade, first and last backup, and those that DatabaseBackups ask for",
    },
    names: (name) => [
      ...[initJobName(name), restoreJobName(name), importJobName(name), upgradeJobName(name)],
      ...[firstBackupJobName(name), finalBackupJobName(name)],
    ],
    runsPods: true,
  },
  CronJob: {
    ...{ api: "batch/v1", plural: "cronjobs", purpose: "backups and restore drills by schedule" },
    names: (name) => [backupCronJobName(name), verifyCronJobName(name)],
    runsPods: true,
  },
  PodDisruptionBudget: {
    ...{ api: "policy/v1", plural: "poddisruptionbudgets", purpose: "one member at a time" },
    names: (name) => [disruptionBudgetName(name)],
  },
  NetworkPolicy: {
    ...{ api: "networking.k8s.io/v1", plural: "networkpolicies", purpose: "who may connect" },
    names: (name) => [networkPolicyName(name)],
  },
  Role: {
    ...{ api: "rbac.authorization.k8s.io/v1", plural: "roles" },
    purpose: "what members may do; the API server lets no one grant more than they hold",
    names: (name) => [accessName(name)],
  },
  RoleBinding: {
    ...{ api: "rbac.authorization.k8s.io/v1", plural: "rolebindings" },
    purpose: "who gets the members' Role: their own account",
    names: (name) => [accessName(name)],
  },
  /** Watched and asked about only where the cluster knows them. */
  ServiceMonitor: {
    ...{ api: "monitoring.coreos.com/v1", plural: "servicemonitors" },
    purpose: "metrics, where the cluster knows the kind",
    names: (name) => [serviceMonitorName(name)],
  },
} as const satisfies Readonly<Record<string, ChildKind>>;

/** The group in `apps/v1`; empty for `v1`. */
export const groupOf = ({ api }: Pick<ChildKind, "api">): string =>
  api.includes("/") ? (api.split("/")[0] ?? "") : "";

/** A kind as rights and `kubectl get` name it, such as `statefulsets.apps`. */
export const qualifiedName = (kind: Pick<ChildKind, "api" | "plural">): string =>
  groupOf(kind) === "" ? kind.plural : `${kind.plural}.${groupOf(kind)}`;

/** What a child is for; the value of the label `app.kubernetes.io/component`. */
export type ChildRole =
  "database" | "initialization" | "restore" | "import" | "upgrade" | "backup" | "verification" | "archive";

/** The keys of labels that are used in selectors or by others. */
export const labelKeys = {
  app: "app",
  database: "database",
  component: "app.kubernetes.io/component",
  engine: "app.kubernetes.io/name",
  role: "role",
} as const;

/** The value of the label `app` on everything that belongs to a Database. */
export const appLabelValue = "database";

/** The values of the label `role`, which each member's consensus agent writes on its own pod. */
export const roles = { primary: "primary", replica: "replica" } as const;

/** The labels of a child and, where it has some, of its pods. */
export function labelsOf(name: string, engine: string, role: ChildRole = "database"): Record<string, string> {
  return {
    [labelKeys.app]: appLabelValue,
    [labelKeys.database]: name,
    [labelKeys.engine]: engine,
    "app.kubernetes.io/instance": name,
    [labelKeys.component]: role,
    "app.kubernetes.io/managed-by": operatorName,
  };
}

/** Selects everything that belongs to a Database, Job pods included. */
export const childSelector = (name: string): Record<string, string> => ({
  [labelKeys.app]: appLabelValue,
  [labelKeys.database]: name,
});

/** Selects what the operator itself created for a Database: other objects may carry the short labels too. */
export const managedSelector = (name: string): Record<string, string> => ({
  ...childSelector(name),
  "app.kubernetes.io/managed-by": operatorName,
});

/** Selects the member pods and nothing else: pods of the init and backup Jobs have another component. */
export const memberSelector = (name: string): Record<string, string> => ({
  ...childSelector(name),
  [labelKeys.component]: "database",
});

/** Selects the pods of backup Jobs. */
export const backupSelector = (name: string): Record<string, string> => ({
  ...childSelector(name),
  [labelKeys.component]: "backup",
});

/** Selects the pod that keeps what changes between backups. */
export const archiveSelector = (name: string): Record<string, string> => ({
  ...childSelector(name),
  [labelKeys.component]: "archive",
});

/** Selects the pods of one role among the members. */
export const roleSelector = (name: string, role: keyof typeof roles): Record<string, string> => ({
  ...memberSelector(name),
  [labelKeys.role]: roles[role],
});

/** A pod may connect to a database of another namespace when it or its namespace has this label with the value "true". */
export const clientLabel = `${keyPrefix}/client`;

/** The field manager of everything the operator's programs apply. */
export const fieldManager = "database-operator";

/** The field manager of what a companion says in its Database. */
export const companionFieldManager = "database-operator-companion";

/** The field manager of certificates that are renewed outside of a run. */
export const renewalFieldManager = "database-operator-renewal";

/**
 * Annotations of every child: no run waits for readiness (watches show it), nor long for a deletion that another owner's
 * finalizer holds up, and a fixed field manager that takes its own fields again makes the state rebuildable from the spec.
 */
export const childAnnotations: Readonly<Record<string, string>> = {
  "pulumi.com/skipAwait": "true",
  "pulumi.com/timeoutSeconds": "15",
  "pulumi.com/patchForce": "true",
  "pulumi.com/patchFieldManager": fieldManager,
  "pulumi.com/deletionPropagationPolicy": "background",
};
