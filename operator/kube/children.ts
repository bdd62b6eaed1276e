// A Database's children in the cluster, found by name and by label, without Pulumi.
import { z } from "zod";
import {
  accessName,
  backupClaimName,
  backupCronJobName,
  configMapName,
  consensusMapName,
  consensusObjects,
  credentialsSecretName,
  dataClaimNames,
  disruptionBudgetName,
  fieldManager,
  finalBackupJobName,
  firstBackupJobName,
  headlessServiceName,
  initJobName,
  managedSelector,
  mostMembers,
  networkPolicyName,
  readOnlyServiceName,
  readWriteServiceName,
  serviceMonitorName,
  statefulSetName,
  systemSecretName,
} from "../../components/naming";
import { placeOf, type Place } from "../key";
import { changerOf, ownFieldsOf } from "../managed-fields";
import type { ChildName, Children, DeclaredChild, Drift, Inspection, Keep, Key } from "../ports";
import { isApiError, metadataListOnly, metadataOnly, type KubeClient } from "./client";
import { collection, item, resources, selectorText, type Resource } from "./paths";

interface ChildKind {
  readonly kind: string;
  readonly resource: Resource;
  /** Names that the Database gives to children of this kind. */
  readonly names: (name: string) => readonly string[];
  /** With what an object of this kind is kept, by its name and its Database's; missing where it can be made again. */
  readonly keptWith?: (object: string, name: string) => "data" | "backups";
}

const jobNames = (name: string): string[] => [initJobName(name), firstBackupJobName(name), finalBackupJobName(name)];

/** What keeps pods alive; swept first. */
const controllers: readonly ChildKind[] = [
  { kind: "StatefulSet", resource: resources.statefulSets, names: (name) => [statefulSetName(name)] },
  { kind: "CronJob", resource: resources.cronJobs, names: (name) => [backupCronJobName(name)] },
  { kind: "Job", resource: resources.jobs, names: jobNames },
];

/** Swept once the pods are gone, which need them to stop cleanly. */
const others: readonly ChildKind[] = [
  {
    kind: "Service",
    resource: resources.services,
    names: (name) => [readWriteServiceName(name), readOnlyServiceName(name), headlessServiceName(name)],
  },
  { kind: "ServiceMonitor", resource: resources.serviceMonitors, names: (name) => [serviceMonitorName(name)] },
  {
    kind: "PodDisruptionBudget",
    resource: resources.podDisruptionBudgets,
    names: (name) => [disruptionBudgetName(name)],
  },
  { kind: "NetworkPolicy", resource: resources.networkPolicies, names: (name) => [networkPolicyName(name)] },
  { kind: "RoleBinding", resource: resources.roleBindings, names: (name) => [accessName(name)] },
  { kind: "Role", resource: resources.roles, names: (name) => [accessName(name)] },
  { kind: "ServiceAccount", resource: resources.serviceAccounts, names: (name) => [accessName(name)] },
  {
    kind: "ConfigMap",
    resource: resources.configMaps,
    names: (name) => [configMapName(name), ...consensusObjects.map((object) => consensusMapName(name, object))],
    keptWith: () => "data",
  },
  {
    kind: "PersistentVolumeClaim",
    resource: resources.persistentVolumeClaims,
    names: (name) => [...dataClaimNames(name, mostMembers), backupClaimName(name)],
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

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }) });
const ClaimTemplates = z.object({
  spec: z.object({
    volumeClaimTemplates: z.array(
      z.object({ spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }) }),
    ),
  }),
});
const Leftover = z.object({
  name: z.string(),
  deletionTimestamp: z.string().optional(),
  ownerReferences: z.array(z.unknown()).default([]),
  finalizers: z.array(z.string()).default([]),
});
type Leftover = z.infer<typeof Leftover>;
const Listed = z.object({ items: z.array(z.object({ metadata: Leftover })).nullish() });
/** See the header. */
export class ClusterChildren implements Children {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async conflicts(key: Key, known: ReadonlySet<string>): Promise<readonly string[]> {
    const owner = placeOf(key);
    const unknown = childKinds.flatMap((child) =>
      child
        .names(owner.name)
        .filter((childName) => !known.has(`${child.kind} ${childName}`))
        .map((childName) => this.#conflict(child, childName, owner)),
    );
    return (await Promise.all(unknown)).filter((text) => text !== undefined);
  }

  async inspect(key: Key, suspects: ReadonlyMap<ChildName, DeclaredChild>): Promise<Inspection> {
    const owner = placeOf(key);
    const findings = await Promise.all([...suspects].map(([name, child]) => this.#inspectOne(name, child, owner)));
    return {
      drift: findings.filter((finding) => typeof finding === "object"),
      conflicts: [...suspects.keys()].filter((_, index) => findings[index] === "foreign"),
      terminating: [...suspects.keys()].filter((_, index) => findings[index] === "terminating"),
    };
  }

  async #inspectOne(
    child: ChildName,
    declared: DeclaredChild,
    owner: Place,
  ): Promise<Drift | "asLeft" | "foreign" | "terminating"> {
    const [kind, name = ""] = child.split(" ");
    const resource = childKinds.find((candidate) => candidate.kind === kind)?.resource;
    // a kind of which the operator declares nothing any more
    if (resource === undefined) return "asLeft";
    const path = item(resource, owner.namespace, name);
    const found = await this.#client.find(path, { accept: metadataOnly });
    if (found === undefined) return driftOf(child, declared, undefined);
    const finding = judgeLive(child, declared, found, owner);
    const isClaim = resource === resources.persistentVolumeClaims && typeof finding === "object";
    return isClaim
      ? { ...finding, size: Claim.safeParse(await this.#client.find(path)).data?.spec.resources.requests.storage }
      : finding;
  }

  async claimTemplate(key: Key): Promise<{ claimTemplateStorage?: string }> {
    const { namespace, name } = placeOf(key);
    const found = await this.#client.find(item(resources.statefulSets, namespace, statefulSetName(name)));
    const template = ClaimTemplates.safeParse(found).data?.spec.volumeClaimTemplates[0];
    return template === undefined ? {} : { claimTemplateStorage: template.spec.resources.requests.storage };
  }

  async prepareAdoption(key: Key): Promise<{ claimTemplateStorage?: string }> {
    const { namespace, name } = placeOf(key);
    for (const job of jobNames(name)) {
      await this.#client.delete(item(resources.jobs, namespace, job));
    }
    await this.#forgetConsensus(placeOf(key));
    return this.claimTemplate(key);
  }

  /** What consensus kept of data files that are all gone would keep new ones from being made. */
  async #forgetConsensus(owner: Place): Promise<void> {
    const claims = await this.#leftovers(resources.persistentVolumeClaims, owner);
    if (claims.some(({ name }) => name !== backupClaimName(owner.name))) return;
    const maps = await this.#leftovers(resources.configMaps, owner);
    await Promise.all(maps.map(({ name }) => this.#client.delete(item(resources.configMaps, owner.namespace, name))));
  }

  async sweep(key: Key, keep: Keep): Promise<readonly string[]> {
    const owner = placeOf(key);
    const left = [...(await this.#sweepKinds(controllers, owner, keep)), ...(await this.#sweepPods(owner))];
    return left.length > 0 ? left : this.#sweepKinds(others, owner, keep);
  }

  async #conflict(child: ChildKind, childName: string, { namespace, name }: Place): Promise<string | undefined> {
    const found = await this.#client.find(item(child.resource, namespace, childName), { accept: metadataOnly });
    if (found === undefined) return undefined;
    return isOurs(found, name) ? undefined : `${child.kind} ${childName}`;
  }

  /** Pods go with their controllers and are waited for; one whose controller was orphaned away is deleted. */
  async #sweepPods(owner: Place): Promise<string[]> {
    const pods = await this.#leftovers(resources.pods, owner);
    const orphans = pods.filter(({ ownerReferences }) => ownerReferences.length === 0);
    await Promise.all(orphans.map((pod) => this.#client.delete(item(resources.pods, owner.namespace, pod.name))));
    return pods.map((pod) => leftoverText("Pod", pod));
  }

  async #sweepKinds(wanted: readonly ChildKind[], owner: Place, keep: Keep): Promise<string[]> {
    return (await Promise.all(wanted.map((child) => this.#sweepKind(child, owner, keep)))).flat();
  }

  async #sweepKind({ kind, resource, keptWith }: ChildKind, owner: Place, keep: Keep): Promise<string[]> {
    const isKept = ({ name }: Leftover): boolean =>
      keptWith !== undefined && kept[keep].has(keptWith(name, owner.name));
    const found = (await this.#leftovers(resource, owner)).filter((left) => !isKept(left));
    await Promise.all(found.map((left) => this.#client.delete(item(resource, owner.namespace, left.name))));
    return found.map((left) => leftoverText(kind, left));
  }

  #leftovers(resource: Resource, owner: Place): Promise<Leftover[]> {
    return leftoversOf(this.#client, resource, owner);
  }
}

/** What there is of a kind with the labels of a Database's children. */
export function leftoversOf(client: KubeClient, resource: Resource, { namespace, name }: Place): Promise<Leftover[]> {
  return labelled(client, collection(resource, namespace), managedSelector(name));
}

/** Metadata of what has these labels in a collection; nothing where the cluster does not know the kind. */
export async function labelled(
  client: KubeClient,
  path: string,
  labels: Readonly<Record<string, string>>,
): Promise<Leftover[]> {
  const labelSelector = selectorText(labels);
  try {
    const answer = await client.get(path, { query: { labelSelector }, accept: metadataListOnly });
    return (Listed.parse(answer).items ?? []).map(({ metadata }) => metadata);
  } catch (error) {
    if (isApiError(error, 404)) return [];
    throw error;
  }
}

const kept: Readonly<Record<Keep, ReadonlySet<"data" | "backups">>> = {
  "all data": new Set(["data", "backups"]),
  backups: new Set(["backups"]),
  nothing: new Set(),
};

/** `Kind name`, and what holds it. */
export function leftoverText(kind: string, { name, finalizers }: Leftover): string {
  const held = holdersOf(finalizers);
  return held.length === 0 ? `${kind} ${name}` : `${kind} ${name} (held by ${held.join(", ")})`;
}

/** The finalizers that do not go by themselves. */
export const holdersOf = (finalizers: readonly string[]): string[] =>
  finalizers.filter((finalizer) => !ownFinalizers.has(finalizer));

/** Of Kubernetes itself, and soon gone by themselves. */
const ownFinalizers: ReadonlySet<string> = new Set([
  "foregroundDeletion",
  "orphan",
  "batch.kubernetes.io/job-tracking",
]);

function isOurs(object: unknown, name: string): boolean {
  const { labels } = Labelled.parse(object).metadata;
  return Object.entries(managedSelector(name)).every(([label, value]) => labels[label] === value);
}

const Claim = z.object({
  spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }),
});
const Live = z.object({ metadata: z.object({ uid: z.string(), deletionTimestamp: z.string().optional() }) });

/** How a child that exists compares with what is declared; one that was made anew by somebody else is not ours. */
function judgeLive(
  child: ChildName,
  declared: DeclaredChild,
  object: unknown,
  { name }: Place,
): Drift | "asLeft" | "foreign" | "terminating" {
  const { uid, deletionTimestamp } = Live.parse(object).metadata;
  const isSame = uid === declared.uid;
  if (!isSame && !isOurs(object, name)) return "foreign";
  if (deletionTimestamp !== undefined) return "terminating";
  return isSame && ownFieldsOf(object, fieldManager).digest === declared.applied
    ? "asLeft"
    : driftOf(child, declared, object);
}

function driftOf(child: ChildName, declared: DeclaredChild, live: unknown): Drift {
  const { urn } = declared;
  if (live === undefined) return { child, urn, kind: "deleted", fields: [], by: undefined };
  const isSame = Live.parse(live).metadata.uid === declared.uid;
  const { paths } = ownFieldsOf(live, fieldManager);
  const fields = [...declared.fields].filter((path) => !paths.has(path));
  const by = changerOf(live, fields, fieldManager);
  if (!isSame) return { child, urn, kind: "replaced", fields: [], by };
  // the same fields at another time: our own field manager applied something that the stored state does not know of
  return fields.length > 0
    ? { child, urn, kind: "edited", fields, by }
    : { child, urn, kind: "outdated", fields: [], by: undefined };
}
