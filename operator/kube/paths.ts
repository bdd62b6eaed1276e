// Where each kind lives in the API.

import { databaseResource, storedVersion } from "../../contract/resources";

/** A kind that the operator reads or writes itself. */
export interface Resource {
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly prefix: string;
  readonly plural: string;
}

const core = "/api/v1";

export const resources = {
  databases: {
    prefix: `/apis/${databaseResource.group}/${storedVersion}`,
    plural: databaseResource.plural,
  },
  statefulSets: { prefix: "/apis/apps/v1", plural: "statefulsets" },
  controllerRevisions: { prefix: "/apis/apps/v1", plural: "controllerrevisions" },
  pods: { prefix: core, plural: "pods" },
  services: { prefix: core, plural: "services" },
  secrets: { prefix: core, plural: "secrets" },
  configMaps: { prefix: core, plural: "configmaps" },
  persistentVolumeClaims: { prefix: core, plural: "persistentvolumeclaims" },
  persistentVolumes: { prefix: core, plural: "persistentvolumes" },
  nodes: { prefix: core, plural: "nodes" },
  serviceAccounts: { prefix: core, plural: "serviceaccounts" },
  events: { prefix: core, plural: "events" },
  namespaces: { prefix: core, plural: "namespaces" },
  leases: { prefix: "/apis/coordination.k8s.io/v1", plural: "leases" },
  jobs: { prefix: "/apis/batch/v1", plural: "jobs" },
  cronJobs: { prefix: "/apis/batch/v1", plural: "cronjobs" },
  roles: { prefix: "/apis/rbac.authorization.k8s.io/v1", plural: "roles" },
  roleBindings: { prefix: "/apis/rbac.authorization.k8s.io/v1", plural: "rolebindings" },
  networkPolicies: { prefix: "/apis/networking.k8s.io/v1", plural: "networkpolicies" },
  podDisruptionBudgets: { prefix: "/apis/policy/v1", plural: "poddisruptionbudgets" },
  serviceMonitors: { prefix: "/apis/monitoring.coreos.com/v1", plural: "servicemonitors" },
  storageClasses: { prefix: "/apis/storage.k8s.io/v1", plural: "storageclasses" },
  validatingWebhookConfigurations: {
    prefix: "/apis/admissionregistration.k8s.io/v1",
    plural: "validatingwebhookconfigurations",
  },
  customResourceDefinitions: { prefix: "/apis/apiextensions.k8s.io/v1", plural: "customresourcedefinitions" },
} as const satisfies Record<string, Resource>;

/** Path of a kind's collection: of one namespace, or over all where `namespace` is left out. */
export function collection(resource: Resource, namespace?: string): string {
  return namespace === undefined
    ? `${resource.prefix}/${resource.plural}`
    : `${resource.prefix}/namespaces/${segment(namespace)}/${resource.plural}`;
}

/** Path of one object of a namespace. Throws a RangeError where a name is no part of a path. */
export function item(resource: Resource, namespace: string, name: string): string {
  return `${collection(resource, namespace)}/${segment(name)}`;
}

/** Throws for what would lead to another path than that of its object. */
function segment(name: string): string {
  if (/^\.{0,2}$|\//.test(name)) throw new RangeError(`${JSON.stringify(name)} cannot name an object`);
  return encodeURIComponent(name).replaceAll("%3A", ":");
}

/** Path of a namespace. Throws as `item` does. */
export function namespacePath(name: string): string {
  return `${collection(resources.namespaces)}/${segment(name)}`;
}

/** A label selector as the API takes it. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");
}
