// A Database's children in the cluster, found by name and by label, without Pulumi.
import { z } from "zod";
import {
  accessName,
  backupClaimName,
  backupCronJobName,
  childSelector,
  configMapName,
  consensusMapName,
  consensusObjects,
  credentialsSecretName,
  dataClaimName,
  disruptionBudgetName,
  firstBackupJobName,
  headlessServiceName,
  initJobName,
  labelKeys,
  mostMembers,
  networkPolicyName,
  readOnlyServiceName,
  readWriteServiceName,
  serviceMonitorName,
  statefulSetName,
  systemSecretName,
} from "../../components/naming";
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

/** In the order in which leftovers are deleted. Pods come first and are only waited for: their owners take them along. */
const kinds: readonly ChildKind[] = [
  { kind: "Pod", resource: resources.pods, names: () => [] },
  { kind: "StatefulSet", resource: resources.statefulSets, names: (name) => [statefulSetName(name)] },
  { kind: "CronJob", resource: resources.cronJobs, names: (name) => [backupCronJobName(name)] },
  { kind: "Job", resource: resources.jobs, names: (name) => [initJobName(name), firstBackupJobName(name)] },
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

const Labelled = z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }) });
const ClaimTemplates = z.object({
  spec: z.object({
    volumeClaimTemplates: z.array(
      z.object({ spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }) }),
    ),
  }),
});
const Listed = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })).nullish() });

export function createChildren(client: KubeClient): Children {
  return {
    async conflicts(key) {
      const { namespace, name } = partsOf(key);
      const found = await Promise.all(
        kinds.flatMap((child) => child.names(name).map((childName) => conflict(child, childName, { namespace, name }))),
      );
      return found.filter((text) => text !== undefined);
    },
    async claimTemplateStorage(key) {
      const { namespace, name } = partsOf(key);
      const found = await client.find(item(resources.statefulSets, namespace, statefulSetName(name)));
      const template = ClaimTemplates.safeParse(found).data?.spec.volumeClaimTemplates[0];
      return template?.spec.resources.requests.storage;
    },
    async sweep(key, { data }) {
      const { namespace, name } = partsOf(key);
      const [pods, ...others] = kinds.filter((child) => data || child.data !== true);
      // members would make their own objects again while they live
      const running = pods === undefined ? [] : await leftovers(pods, namespace, name);
      if (running.length > 0) return running.map((pod) => `Pod ${pod}`);
      const swept = await Promise.all(others.map((child) => sweepKind(child, namespace, name)));
      return swept.flat();
    },
  };

  async function conflict(
    child: ChildKind,
    childName: string,
    owner: { namespace: string; name: string },
  ): Promise<string | undefined> {
    const found = await client.find(item(child.resource, owner.namespace, childName), { accept: metadataOnly });
    if (found === undefined) return undefined;
    const { labels } = Labelled.parse(found).metadata;
    return labels[labelKeys.database] === owner.name ? undefined : `${child.kind} ${childName}`;
  }

  async function leftovers(child: ChildKind, namespace: string, name: string): Promise<string[]> {
    const labelSelector = Object.entries(childSelector(name))
      .map(([label, value]) => `${label}=${value}`)
      .join(",");
    try {
      const path = collection(child.resource, namespace);
      const answer = await client.get(path, { query: { labelSelector }, accept: metadataListOnly });
      return (Listed.parse(answer).items ?? []).map(({ metadata }) => metadata.name);
    } catch (error) {
      // the cluster does not know the kind
      if (isApiError(error, 404)) return [];
      throw error;
    }
  }

  async function sweepKind(child: ChildKind, namespace: string, name: string): Promise<string[]> {
    const names = await leftovers(child, namespace, name);
    await Promise.all(names.map((left) => client.delete(item(child.resource, namespace, left))));
    return names.map((left) => `${child.kind} ${left}`);
  }
}

function partsOf(key: Key): { namespace: string; name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}
