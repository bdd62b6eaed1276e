// Which children a Database can have: their kinds, their names, and with what data they are kept.
import {
  accessName,
  allConsensusMapNames,
  backupClaimName,
  backupCronJobName,
  configMapName,
  credentialsSecretName,
  dataClaimNames,
  disruptionBudgetName,
  finalBackupJobName,
  firstBackupJobName,
  initJobName,
  jobAccountName,
  memberNames,
  networkPolicyName,
  serviceMonitorName,
  serviceNames,
  statefulSetName,
  systemSecretName,
} from "../../components/naming";
import type { ChildName } from "../domain/children";
import type { Desired } from "../domain/desired";
import { maxMembers } from "../../contract/limits";
import { resources, type Resource } from "./paths";

/** A kind of children. */
export interface ChildKind {
  readonly kind: string;
  readonly resource: Resource;
  /** Names that the Database gives to children of this kind. */
  readonly names: (name: string) => readonly string[];
  /** With what an object of this kind is kept, by its name and its Database's; missing where it can be created again. */
  readonly keptWith?: (object: string, name: string) => "data" | "backups";
}

const jobNames = (name: string): string[] => [initJobName(name), firstBackupJobName(name), finalBackupJobName(name)];

/** What keeps pods alive; swept first. */
export const controllers: readonly ChildKind[] = [
  { kind: "StatefulSet", resource: resources.statefulSets, names: (name) => [statefulSetName(name)] },
  { kind: "CronJob", resource: resources.cronJobs, names: (name) => [backupCronJobName(name)] },
  { kind: "Job", resource: resources.jobs, names: jobNames },
];

/** Watched and asked about only where the cluster knows them. */
export const serviceMonitors: ChildKind = {
  kind: "ServiceMonitor",
  resource: resources.serviceMonitors,
  names: (name) => [serviceMonitorName(name)],
};

/** Swept once the pods are gone, which need them to stop cleanly. */
export const others: readonly ChildKind[] = [
  {
    kind: "Service",
    resource: resources.services,
    names: serviceNames,
  },
  serviceMonitors,
  {
    kind: "PodDisruptionBudget",
    resource: resources.podDisruptionBudgets,
    names: (name) => [disruptionBudgetName(name)],
  },
  { kind: "NetworkPolicy", resource: resources.networkPolicies, names: (name) => [networkPolicyName(name)] },
  { kind: "RoleBinding", resource: resources.roleBindings, names: (name) => [accessName(name)] },
  { kind: "Role", resource: resources.roles, names: (name) => [accessName(name)] },
  {
    kind: "ServiceAccount",
    resource: resources.serviceAccounts,
    names: (name) => [accessName(name), jobAccountName(name)],
  },
  {
    kind: "ConfigMap",
    resource: resources.configMaps,
    names: (name) => [configMapName(name), ...allConsensusMapNames(name)],
    keptWith: () => "data",
  },
  {
    kind: "PersistentVolumeClaim",
    resource: resources.persistentVolumeClaims,
    names: (name) => [...dataClaimNames(name, maxMembers), backupClaimName(name)],
    keptWith: (object, name) => (object === backupClaimName(name) ? "backups" : "data"),
  },
  {
    kind: "Secret",
    resource: resources.secrets,
    names: (name) => [credentialsSecretName(name), systemSecretName(name)],
    keptWith: () => "backups",
  },
];

/** Every kind that a Database has children of. */
export const childKinds: readonly ChildKind[] = [...controllers, ...others];

const kindNamed = (kind: string | undefined): ChildKind | undefined =>
  childKinds.find((candidate) => candidate.kind === kind);

/** A kind by its name. Throws for one that Databases have no children of. */
export function kindOf(kind: string): ChildKind {
  const found = kindNamed(kind);
  if (found === undefined) throw new Error(`Databases have no children of kind ${kind}`);
  return found;
}

/** The name as people and the stored state say it. */
export const childName = ({ kind }: ChildKind, name: string): ChildName => `${kind} ${name}`;

/** Where a child is in the cluster; undefined for a kind of which the operator declares nothing any more. */
export function resourceOf(child: ChildName): { readonly resource: Resource; readonly name: string } | undefined {
  const [kind, name = ""] = child.split(" ");
  const resource = kindNamed(kind)?.resource;
  return resource && { resource, name };
}

/**
 * Whether a Database has children of this kind and name: created by it or by its CronJob. Labels alone prove nothing: people copy them
 * with an object.
 */
export const isChild = ({ kind, names }: ChildKind, object: string, database: string): boolean =>
  names(database).includes(object) || (kind === "Job" && isRunOf(backupCronJobName(database), object));

/** Kubernetes names the Jobs of a CronJob after the minute that they are for. */
const isRunOf = (cronJob: string, job: string): boolean =>
  job.startsWith(`${cronJob}-`) && /^\d+$/.test(job.slice(cronJob.length + 1));

/** Whether a pod of this name is a member, or of a Job. */
export const isChildPod = (pod: string, database: string): boolean =>
  memberNames(database).includes(pod) ||
  [...jobNames(database), backupCronJobName(database)].some((job) => pod.startsWith(`${job}-`));

/** Whether the Database itself gives this name to a child of this kind, and the child can be created again. */
export function isDisposable({ names, keptWith }: ChildKind, object: string, database: string): boolean {
  return keptWith === undefined && names(database).includes(object);
}

/** Names of the children that a run for `desired` may declare: never too few. */
export function possibleChildren(
  desired: Pick<Desired, "owner" | "spec" | "serviceMonitors" | "finalBackup">,
): ChildName[] {
  const { name } = desired.owner;
  const impossible = new Set([
    ...dataClaimNames(name, maxMembers)
      .slice(desired.spec.replicas)
      .map((claim) => `PersistentVolumeClaim ${claim}`),
    ...(desired.serviceMonitors ? [] : [childName(serviceMonitors, serviceMonitorName(name))]),
    ...(desired.finalBackup === undefined ? [`Job ${finalBackupJobName(name)}`] : []),
  ]);
  return childKinds
    .flatMap((kind) => kind.names(name).map((object) => childName(kind, object)))
    .filter((child) => !impossible.has(child));
}
