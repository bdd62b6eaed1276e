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
  dataClaimName,
  disruptionBudgetName,
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
import type { Children, Key } from "../ports";
import { isApiError, metadataListOnly, metadataOnly, type KubeClient } from "./client";
import { collection, item, resources, type Resource } from "./paths";

const memberOrdinals = Array.from({ length: mostMembers }, (_, ordinal) => ordinal);

interface ChildKind {
  readonly kind: string;
  readonly resource: Resource;
  /** Names that the Database gives to children of this kind. */
  readonly names: (name: string) => readonly string[];
  /** Whether the object is data, kept unless the deletion policy says otherwise. */
  readonly data?: boolean;
}

/** What keeps pods alive; swept first. */
const controllers: readonly ChildKind[] = [
  { kind: "StatefulSet", resource: resources.statefulSets, names: (name) => [statefulSetName(name)] },
  { kind: "CronJob", resource: resources.cronJobs, names: (name) => [backupCronJobName(name)] },
  { kind: "Job", resource: resources.jobs, names: (name) => [initJobName(name), firstBackupJobName(name)] },
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
  },
  {
    kind: "PersistentVolumeClaim",
    resource: resources.persistentVolumeClaims,
    names: (name) => [...memberOrdinals.map((ordinal) => dataClaimName(name, ordinal)), backupClaimName(name)],
    data: true,
  },
  {
    kind: "Secret",
    resource: resources.secrets,
    names: (name) => [credentialsSecretName(name), systemSecretName(name)],
    data: true,
  },
];

const kinds: readonly ChildKind[] = [...controllers, ...others];

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }) });
const ClaimTemplates = z.object({
  spec: z.object({
    volumeClaimTemplates: z.array(
      z.object({ spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }) }),
    ),
  }),
});
const Leftover = z.object({ name: z.string(), ownerReferences: z.array(z.unknown()).default([]) });
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
    const unknown = kinds.flatMap((child) =>
      child
        .names(owner.name)
        .filter((childName) => !known.has(`${child.kind} ${childName}`))
        .map((childName) => this.#conflict(child, childName, owner)),
    );
    return (await Promise.all(unknown)).filter((text) => text !== undefined);
  }

  async prepareAdoption(key: Key): Promise<{ claimTemplateStorage?: string }> {
    const { namespace, name } = placeOf(key);
    for (const job of [initJobName(name), firstBackupJobName(name)]) {
      await this.#client.delete(item(resources.jobs, namespace, job));
    }
    const found = await this.#client.find(item(resources.statefulSets, namespace, statefulSetName(name)));
    const template = ClaimTemplates.safeParse(found).data?.spec.volumeClaimTemplates[0];
    return template === undefined ? {} : { claimTemplateStorage: template.spec.resources.requests.storage };
  }

  async sweep(key: Key, { data }: { readonly data: boolean }): Promise<readonly string[]> {
    const owner = placeOf(key);
    const left = [...(await this.#sweepKinds(controllers, owner)), ...(await this.#sweepPods(owner))];
    if (left.length > 0) return left;
    return this.#sweepKinds(
      others.filter((child) => data || child.data !== true),
      owner,
    );
  }

  async #conflict(child: ChildKind, childName: string, { namespace, name }: Place): Promise<string | undefined> {
    const found = await this.#client.find(item(child.resource, namespace, childName), { accept: metadataOnly });
    if (found === undefined) return undefined;
    const { labels } = Labelled.parse(found).metadata;
    const isOurs = Object.entries(managedSelector(name)).every(([label, value]) => labels[label] === value);
    return isOurs ? undefined : `${child.kind} ${childName}`;
  }

  /** Pods go with their controllers and are waited for; one whose controller was orphaned away is deleted. */
  async #sweepPods(owner: Place): Promise<string[]> {
    const pods = await this.#leftovers(resources.pods, owner);
    const orphans = pods.filter(({ ownerReferences }) => ownerReferences.length === 0);
    await Promise.all(orphans.map((pod) => this.#client.delete(item(resources.pods, owner.namespace, pod.name))));
    return pods.map((pod) => `Pod ${pod.name}`);
  }

  async #sweepKinds(wanted: readonly ChildKind[], owner: Place): Promise<string[]> {
    return (await Promise.all(wanted.map((child) => this.#sweepKind(child, owner)))).flat();
  }

  async #sweepKind({ kind, resource }: ChildKind, owner: Place): Promise<string[]> {
    const found = await this.#leftovers(resource, owner);
    await Promise.all(found.map((left) => this.#client.delete(item(resource, owner.namespace, left.name))));
    return found.map((left) => `${kind} ${left.name}`);
  }

  async #leftovers(resource: Resource, { namespace, name }: Place): Promise<Leftover[]> {
    const labelSelector = Object.entries(managedSelector(name))
      .map(([label, value]) => `${label}=${value}`)
      .join(",");
    try {
      const path = collection(resource, namespace);
      const answer = await this.#client.get(path, { query: { labelSelector }, accept: metadataListOnly });
      return (Listed.parse(answer).items ?? []).map(({ metadata }) => metadata);
    } catch (error) {
      // the cluster does not know the kind
      if (isApiError(error, 404)) return [];
      throw error;
    }
  }
}
