// What the operator may do: what it uses, and what it hands on in the Roles of members. No wildcards.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { LEADER_ELECTION_NAME, OPERATOR_NAME, platformAnnotations, platformLabels } from "./metadata";
import { COMPANIONS, DATABASES_GROUP, READ, rule, type Rule } from "./rules";

const OWN = [...READ, "create", "update", "patch", "delete"];

/** In every namespace: Databases and what is made of them. */
export const clusterRules: readonly Rule[] = [
  // "create" is what makes those of companions; garbage collection deletes them.
  rule(DATABASES_GROUP, ["databases"], [...READ, "create", "update", "patch"]),
  rule(DATABASES_GROUP, ["databases/status"], ["get", "update", "patch"]),
  // Owner references that block the owner's deletion need this.
  rule(DATABASES_GROUP, ["databases/finalizers"], ["update"]),
  ...COMPANIONS.flatMap(([group, plural]) => [
    rule(group, [plural], READ),
    rule(group, [`${plural}/status`], ["patch"]),
    rule(group, [`${plural}/finalizers`], ["update"]),
  ]),
  rule("", ["services", "configmaps", "secrets", "persistentvolumeclaims", "serviceaccounts"], OWN),
  rule("apps", ["statefulsets"], OWN),
  rule("batch", ["jobs", "cronjobs"], OWN),
  rule("policy", ["poddisruptionbudgets"], OWN),
  rule("networking.k8s.io", ["networkpolicies"], OWN),
  rule("rbac.authorization.k8s.io", ["roles", "rolebindings"], OWN),
  rule("monitoring.coreos.com", ["servicemonitors"], OWN),
  // Patched by the members themselves, whose Role hands on no more than the operator has; deleted where orphaned.
  rule("", ["pods"], [...READ, "patch", "delete"]),
  // read by the provider beside everything it makes, where the CLI starts it; without the right it asks again and again
  rule("", ["events"], ["create", "patch", "list", "watch"]),
  rule("", ["namespaces"], ["get"]),
  rule("apiextensions.k8s.io", ["customresourcedefinitions"], READ),
];

/** In the operator's own namespace: the Lease by which operators agree on a leader. */
export const leaseRules: readonly Rule[] = [rule("coordination.k8s.io", ["leases"], ["get", "create", "update"])];

/** The operator's identity: a ServiceAccount and what it may do. */
export class Permissions extends pulumi.ComponentResource {
  /** The name of the ServiceAccount. */
  readonly serviceAccount: pulumi.Output<string>;

  constructor(
    name: string,
    args: { readonly namespace: pulumi.Input<string> },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("database-operator:index:Permissions", name, args, opts);
    const shared = { labels: platformLabels, annotations: platformAnnotations };
    const child = { parent: this };
    const account = new k8s.core.v1.ServiceAccount(
      OPERATOR_NAME,
      { metadata: { ...shared, name: OPERATOR_NAME, namespace: args.namespace } },
      child,
    );
    const role = new k8s.rbac.v1.ClusterRole(
      OPERATOR_NAME,
      { metadata: { ...shared, name: OPERATOR_NAME }, rules: [...clusterRules] },
      child,
    );
    new k8s.rbac.v1.ClusterRoleBinding(
      OPERATOR_NAME,
      {
        metadata: { ...shared, name: OPERATOR_NAME },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
        subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace: args.namespace }],
      },
      child,
    );
    const electionMetadata = { ...shared, name: LEADER_ELECTION_NAME, namespace: args.namespace };
    const election = new k8s.rbac.v1.Role(
      LEADER_ELECTION_NAME,
      { metadata: electionMetadata, rules: [...leaseRules] },
      child,
    );
    new k8s.rbac.v1.RoleBinding(
      LEADER_ELECTION_NAME,
      {
        metadata: electionMetadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: election.metadata.name },
        subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace: args.namespace }],
      },
      child,
    );
    this.serviceAccount = account.metadata.name;
    this.registerOutputs({ serviceAccount: this.serviceAccount });
  }
}
