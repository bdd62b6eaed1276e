// Where each kind lives in the API.

import { childKinds, type ChildKind } from "../../components/naming";
import { backupResource, databaseResource, revisionResource, storedVersion } from "../../contract/resources";

/** A kind that the operator reads or writes itself. */
export interface Resource {
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly prefix: string;
  readonly plural: string;
}

const core = "/api/v1";

const child = ({ api, plural }: ChildKind): Resource => ({
  prefix: api.includes("/") ? `/apis/${api}` : `/api/${api}`,
  plural,
});

type ChildKindName = keyof typeof childKinds;
const isChildKind = (kind: string): kind is ChildKindName => Object.hasOwn(childKinds, kind);
export const childKindNames: readonly ChildKindName[] = Object.keys(childKinds).filter(isChildKind);

/** Kinds of children, by their names. */
export const childResources = Object.fromEntries(
  childKindNames.map((kind) => [kind, child(childKinds[kind])]),
) as Readonly<Record<ChildKindName, Resource>>;

export const resources = {
  databases: {
    prefix: `/apis/${databaseResource.group}/${storedVersion}`,
    plural: databaseResource.plural,
  },
  databaseBackups: {
    prefix: `/apis/${backupResource.group}/${storedVersion}`,
    plural: backupResource.plural,
  },
  databaseRevisions: {
    prefix: `/apis/${revisionResource.group}/${storedVersion}`,
    plural: revisionResource.plural,
  },
  statefulSets: childResources.StatefulSet,
  controllerRevisions: { prefix: "/apis/apps/v1", plural: "controllerrevisions" },
  pods: { prefix: core, plural: "pods" },
  services: childResources.Service,
  secrets: childResources.Secret,
  configMaps: childResources.ConfigMap,
  persistentVolumeClaims: childResources.PersistentVolumeClaim,
  persistentVolumes: { prefix: core, plural: "persistentvolumes" },
  nodes: { prefix: core, plural: "nodes" },
  events: { prefix: core, plural: "events" },
  namespaces: { prefix: core, plural: "namespaces" },
  leases: { prefix: "/apis/coordination.k8s.io/v1", plural: "leases" },
  jobs: childResources.Job,
  cronJobs: childResources.CronJob,
  roles: childResources.Role,
  serviceMonitors: childResources.ServiceMonitor,
  priorityClasses: { prefix: "/apis/scheduling.k8s.io/v1", plural: "priorityclasses" },
  storageClasses: { prefix: "/apis/storage.k8s.io/v1", plural: "storageclasses" },
  mutatingWebhookConfigurations: {
    prefix: "/apis/admissionregistration.k8s.io/v1",
    plural: "mutatingwebhookconfigurations",
  },
  validatingWebhookConfigurations: {
    prefix: "/apis/admissionregistration.k8s.io/v1",
    plural: "validatingwebhookconfigurations",
  },
  apiServices: { prefix: "/apis/apiregistration.k8s.io/v1", plural: "apiservices" },
  subjectAccessReviews: { prefix: "/apis/authorization.k8s.io/v1", plural: "subjectaccessreviews" },
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
