// Which children a Database can have: the table of components/naming.ts, as the operator looks at it.
import {
  allConsensusMapNames,
  authoritySecretName,
  backupCronJobName,
  childKinds as table,
  consensusMapNames,
  dataClaimNames,
  disruptionBudgetName,
  finalBackupJobName,
  importJobName,
  isBackupJobName,
  isVerifyJobName,
  memberNames,
  restoreJobName,
  upgradeJobName,
  serviceMonitorName,
  stagingClaimName,
  tlsSecretName,
  verifyCronJobName,
  type ChildKind as Child,
} from "../../components/naming";
import { factsOf } from "../../contract/engines";
import type { ChildName } from "../domain/children";
import type { Desired } from "../domain/desired";
import { modeOf } from "../domain/tls";
import { maxMembers } from "../../contract/limits";
import { childKindNames, childResources, type Resource } from "./paths";

/** A kind of children. */
export interface ChildKind extends Child {
  readonly kind: string;
  readonly resource: Resource;
}

/** Every kind that a Database has children of. */
export const childKinds: readonly ChildKind[] = childKindNames.map((kind) => ({
  ...table[kind],
  kind,
  resource: childResources[kind],
}));

/** What keeps pods alive; swept first. */
export const controllers = childKinds.filter(({ runsPods }) => runsPods);

/** Swept once the pods are gone, which need them to stop cleanly. */
export const others = childKinds.filter(({ runsPods }) => !runsPods);

const kindNamed = (kind: string | undefined): ChildKind | undefined =>
  childKinds.find((candidate) => candidate.kind === kind);

/** A kind by its name. Throws for one that Databases have no children of. */
export function kindOf(kind: string): ChildKind {
  const found = kindNamed(kind);
  if (found === undefined) throw new Error(`Databases have no children of kind ${kind}`);
  return found;
}

/** Watched and asked about only where the cluster knows them. */
export const serviceMonitors = kindOf("ServiceMonitor");

/** The name as people and the stored state say it. */
export const childName = ({ kind }: ChildKind, name: string): ChildName => `${kind} ${name}`;

/** Where a child is in the cluster; undefined for a kind of which the operator declares nothing any more. */
export function resourceOf(child: ChildName): { readonly resource: Resource; readonly name: string } | undefined {
  const [kind, name = ""] = child.split(" ");
  const resource = kindNamed(kind)?.resource;
  return resource && { resource, name };
}

/**
 * Whether a Database has children of this kind and name: created by it, by its CronJobs, or for a DatabaseBackup. Labels alone prove nothing: people copy them
 * with an object.
 */
export const isChild = ({ kind, names }: ChildKind, object: string, database: string): boolean =>
  names(database).includes(object) ||
  (kind === "Job" && (isBackupJobName(database, object) || isVerifyJobName(database, object)));

/** Whether a pod of this name is a member, or of a Job. */
export const isChildPod = (pod: string, database: string): boolean =>
  memberNames(database).includes(pod) ||
  [
    ...kindOf("Job").names(database),
    ...kindOf("Deployment").names(database),
    backupCronJobName(database),
    verifyCronJobName(database),
  ].some((job) => pod.startsWith(`${job}-`));

/** Whether the Database itself gives this name to a child of this kind, and the child can be created again. */
export function isDisposable({ names, keptWith }: ChildKind, object: string, database: string): boolean {
  return keptWith?.(object, database) === undefined && names(database).includes(object);
}

const isRestored = ({ restore }: Pick<Desired, "restore">): boolean => restore !== undefined && !("server" in restore);
const isImported = ({ restore }: Pick<Desired, "restore">): boolean => restore !== undefined && "server" in restore;

/** Whether Jobs make its backups on a volume of their own. */
const isStaged = ({ spec: { engine, backup } }: Pick<Desired, "spec">): boolean =>
  backup.enabled && backup.destination?.s3 !== undefined && factsOf(engine).isStaged;

type Declaring = Pick<Desired, "owner" | "spec" | "serviceMonitors" | "restore" | "upgrade" | "tls" | "finalBackup">;

/** Names of the children that a run for `desired` may declare: never too few. */
export function possibleChildren(desired: Declaring): ChildName[] {
  const { name } = desired.owner;
  const impossible = new Set([...impossibleJobs(desired), ...impossibleOthers(desired)]);
  return childKinds
    .flatMap((kind) => kind.names(name).map((object) => childName(kind, object)))
    .filter((child) => !impossible.has(child));
}

/** What no Database of this engine, size and configuration has, Jobs apart. */
function impossibleOthers(desired: Declaring): ChildName[] {
  const { name } = desired.owner;
  const { engine, replicas } = desired.spec;
  const own = new Set(consensusMapNames(name, engine));
  return [
    ...allConsensusMapNames(name)
      .filter((map) => !own.has(map))
      .map((map) => `ConfigMap ${map}`),
    ...(replicas > 1 ? [] : [`PodDisruptionBudget ${disruptionBudgetName(name)}`]),
    ...dataClaimNames(name, maxMembers)
      .slice(replicas)
      .map((claim) => `PersistentVolumeClaim ${claim}`),
    ...(modeOf(desired) === "Off"
      ? [tlsSecretName(name), authoritySecretName(name)].map((secret) => `Secret ${secret}`)
      : []),
    ...(desired.serviceMonitors ? [] : [childName(serviceMonitors, serviceMonitorName(name))]),
    ...(isStaged(desired) ? [] : [`PersistentVolumeClaim ${stagingClaimName(name)}`]),
  ];
}

/** The Jobs of what is done once, where it is not to be done now. */
function impossibleJobs(desired: Declaring): ChildName[] {
  const { name } = desired.owner;
  return [
    ...(isRestored(desired) ? [] : [`Job ${restoreJobName(name)}`]),
    ...(isImported(desired) ? [] : [`Job ${importJobName(name)}`]),
    ...(desired.upgrade?.job === undefined ? [`Job ${upgradeJobName(name)}`] : []),
    ...((desired.finalBackup ?? desired.upgrade?.backup) === undefined ? [`Job ${finalBackupJobName(name)}`] : []),
  ];
}
