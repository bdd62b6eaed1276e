// What the operator may do: what it uses, and what it hands on in the Roles of members. No wildcards. Why it needs each of
// these is in test/judges/rights/reasons.ts, from which docs/rights.md is generated.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { childKinds, groupOf, qualifiedName } from "../components/naming";
import { backupResource, companionResources, databaseResource, revisionResource } from "../contract/resources";
import { operatorName, catalogueMap, leaseName } from "../contract/platform";
import { LEADER_ELECTION_NAME, platformAnnotations, platformLabels, RECORDS_NAME } from "./metadata";
import { READ, rule, type Rule } from "./rules";

/** The operator asks whether the cluster knows it. */
const SERVICE_MONITOR_KIND = qualifiedName(childKinds.ServiceMonitor);

/** What Databases consist of, a rule for each group. */
const childRules: readonly Rule[] = [...new Set(Object.values(childKinds).map(groupOf))].map((group) =>
  rule(
    group,
    Object.values(childKinds).flatMap((child) => (groupOf(child) === group ? [child.plural] : [])),
    [...READ, "create", "patch", "delete"],
  ),
);

/**
 * Where Databases are: in every namespace, or in those of `watchNamespaces`. What is in no namespace is granted in the whole
 * cluster, always; a rule is about one or the other.
 */
export const clusterRules: readonly Rule[] = [
  // "create" is for those of companions; garbage collection deletes them.
  rule(databaseResource.group, ["databases"], [...READ, "create", "patch"]),
  rule(databaseResource.group, ["databases/status"], ["patch"]),
  // Owner references that block the owner's deletion need this.
  rule(databaseResource.group, ["databases/finalizers"], ["update"]),
  // made for backups that no person asked for, and deleted when retention has removed their data; never changed
  rule(backupResource.group, [backupResource.plural], [...READ, "create", "delete"]),
  rule(backupResource.group, [`${backupResource.plural}/status`], ["patch"]),
  // one for each change, the oldest deleted where there are too many; what it says of the change is never changed
  rule(revisionResource.group, [revisionResource.plural], [...READ, "create", "delete"]),
  rule(revisionResource.group, [`${revisionResource.plural}/status`], ["patch"]),
  ...Object.values(companionResources).flatMap(({ group, plural }) => [
    // "get" is for a status that another client overwrote in between
    rule(group, [plural], READ),
    rule(group, [`${plural}/status`], ["patch"]),
    rule(group, [`${plural}/finalizers`], ["update"]),
  ]),
  ...childRules,
  // Patched by the members themselves, whose Role hands on no more than the operator has; deleted where orphaned.
  rule("", ["pods"], ["list", "watch", "patch", "delete"]),
  // What members were created from: those that have what a change asks for are not told to restart.
  rule("apps", ["controllerrevisions"], ["list"]),
  // How members are restarted: unlike a deletion, an eviction minds the disruption budget.
  rule("", ["pods/eviction"], ["create"]),
  // read by the provider beside everything it creates, where the CLI starts it; without the right it asks again and again
  rule("", ["events"], ["create", "list", "watch"]),
  rule("", ["namespaces"], ["get"]),
  rule("apiextensions.k8s.io", ["customresourcedefinitions"], ["list", "watch"], [SERVICE_MONITOR_KIND]),
  // The authority of its own webhooks is written where the API server looks for it.
  rule(
    "apiextensions.k8s.io",
    ["customresourcedefinitions"],
    ["list", "watch", "patch"],
    [`${databaseResource.plural}.${databaseResource.group}`],
  ),
  rule(
    "admissionregistration.k8s.io",
    ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    ["list", "watch", "patch"],
    [operatorName],
  ),
  // Whether any node could take a member, and reach its volume, is asked before one is taken away.
  rule("", ["nodes"], ["list"]),
  // so is whether its pod would be created: of a class that is not there none is
  rule("scheduling.k8s.io", ["priorityclasses"], ["get"]),
  // Listed where a namespace ends: passwords are kept for those that outlive it.
  rule("", ["persistentvolumes"], ["get", "list"]),
  // Whether volumes can grow is asked before a change is let through, and whether those of drills would be left behind.
  rule("storage.k8s.io", ["storageclasses"], ["get"]),
];

/** In the operator's own namespace: the Lease by which operators agree on a leader. The right to create one cannot be limited to a name. */
export const leaseRules: readonly Rule[] = [
  rule("coordination.k8s.io", ["leases"], ["create"]),
  rule("coordination.k8s.io", ["leases"], ["get", "update"], [leaseName]),
];

/** In the operator's own namespace: states, passwords of record and the key, and the catalogue. */
export const recordRules: readonly Rule[] = [
  rule("", ["secrets"], [...READ, "create", "update", "delete"]),
  rule("", ["configmaps"], ["list", "watch"], [catalogueMap.name]),
];

/** Kinds that are in no namespace. */
const clusterScoped: ReadonlySet<string> = new Set([
  "namespaces",
  "customresourcedefinitions",
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "storageclasses",
  "priorityclasses",
  "nodes",
  "persistentvolumes",
]);

/** Whether a rule is about what is in no namespace. */
export const isClusterScoped = ({ resources }: Rule): boolean =>
  resources.every((path) => clusterScoped.has(path.split("/")[0] ?? ""));

/** The rules of the ClusterRole, and those of a Role in each namespace that is watched. */
export function grantsOf(watchNamespaces: readonly string[]): {
  readonly cluster: readonly Rule[];
  readonly namespaced: readonly Rule[];
} {
  if (watchNamespaces.length === 0) return { cluster: clusterRules, namespaced: [] };
  const narrowed = (one: Rule): Rule =>
    one.resources.includes("namespaces") ? { ...one, resourceNames: [...watchNamespaces] } : one;
  return {
    cluster: clusterRules.filter(isClusterScoped).map(narrowed),
    namespaced: clusterRules.filter((one) => !isClusterScoped(one)),
  };
}

/** Whose permissions these are. */
export interface PermissionsArgs {
  /** The operator's namespace. */
  readonly namespace: pulumi.Input<string>;
  /** The namespaces that are watched; they must exist. None: all. */
  readonly watchNamespaces: readonly string[];
}

/** The operator's identity: a ServiceAccount and what it may do. */
export class Permissions extends pulumi.ComponentResource {
  /** The name of the ServiceAccount. */
  readonly serviceAccount: pulumi.Output<string>;

  constructor(name: string, args: PermissionsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:Permissions", name, args, opts);
    const { namespace, watchNamespaces } = args;
    const account = new k8s.core.v1.ServiceAccount(
      operatorName,
      { metadata: { ...shared, name: operatorName, namespace } },
      { parent: this },
    );
    this.serviceAccount = account.metadata.name;
    const subject = { kind: "ServiceAccount", name: account.metadata.name, namespace };
    const { cluster, namespaced } = grantsOf(watchNamespaces);
    this.#clusterRole(cluster, subject);
    for (const watched of watchNamespaces) {
      const place = { name: operatorName, namespace: watched };
      this.#role(`${operatorName}-in-${watched}`, place, namespaced, subject);
    }
    this.#role(LEADER_ELECTION_NAME, { name: LEADER_ELECTION_NAME, namespace }, leaseRules, subject);
    this.#role(RECORDS_NAME, { name: RECORDS_NAME, namespace }, recordRules, subject);
    this.registerOutputs({ serviceAccount: this.serviceAccount });
  }

  #clusterRole(rules: readonly Rule[], subject: Subject): void {
    const metadata = { ...shared, name: operatorName };
    const role = new k8s.rbac.v1.ClusterRole(operatorName, { metadata, rules: [...rules] }, { parent: this });
    const roleRef = { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: role.metadata.name };
    new k8s.rbac.v1.ClusterRoleBinding(operatorName, { metadata, roleRef, subjects: [subject] }, { parent: this });
  }

  #role(resource: string, place: RolePlace, rules: readonly Rule[], subject: Subject): void {
    const metadata = { ...shared, ...place };
    const role = new k8s.rbac.v1.Role(resource, { metadata, rules: [...rules] }, { parent: this });
    const roleRef = { apiGroup: RBAC_GROUP, kind: "Role", name: role.metadata.name };
    new k8s.rbac.v1.RoleBinding(resource, { metadata, roleRef, subjects: [subject] }, { parent: this });
  }
}

type Subject = k8s.types.input.rbac.v1.Subject;

interface RolePlace {
  readonly name: string;
  readonly namespace: pulumi.Input<string>;
}

const RBAC_GROUP = "rbac.authorization.k8s.io";

const shared = { labels: platformLabels, annotations: platformAnnotations };
