// What the people who use Databases may do: ClusterRoles that add to the built-in view, edit and admin, so that a user who has
// one of these in a namespace has Databases and their companions there, and nowhere else.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { approvalVerb } from "../contract/approvals";
import { backupResource, companionResources, databaseResource, revisionResource } from "../contract/resources";
import { operatorName } from "../contract/platform";
import { platformAnnotations, platformLabels } from "./metadata";
import { READ, rule, type Rule } from "./rules";

/** A ClusterRole, and the built-in ones that it becomes a part of. */
interface TenantRole {
  readonly addsTo: readonly ("view" | "edit" | "admin")[];
  readonly rules: readonly Rule[];
}

/** Those that can be scaled. */
const DATABASES = [databaseResource, ...Object.values(companionResources)];
const KINDS = [...DATABASES, backupResource];

/** By the last part of their names. A user who may write has `edit` of the namespace, and with it may read. */
export const tenantRoles: Readonly<Record<string, TenantRole>> = {
  view: {
    addsTo: ["view", "edit", "admin"],
    rules: [
      ...DATABASES.map(({ group, plural }) => rule(group, [plural, `${plural}/status`, `${plural}/scale`], READ)),
      rule(backupResource.group, [backupResource.plural, `${backupResource.plural}/status`], READ),
      // only the operator writes them: a history that those may edit whom it is about is none
      rule(revisionResource.group, [revisionResource.plural, `${revisionResource.plural}/status`], READ),
    ],
  },
  edit: {
    addsTo: ["edit", "admin"],
    rules: [
      ...KINDS.map(({ group, plural }) =>
        rule(group, [plural], ["create", "update", "patch", "delete", "deletecollection"]),
      ),
      ...DATABASES.map(({ group, plural }) => rule(group, [`${plural}/scale`], ["update", "patch"])),
    ],
  },
  // to be bound by the platform's team: who writes Databases does not approve their changes by that
  approve: {
    addsTo: [],
    rules: [rule(databaseResource.group, [databaseResource.plural], [...READ, "patch", approvalVerb])],
  },
};

/** See the header. */
export class TenantRoles extends pulumi.ComponentResource {
  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:TenantRoles", name, {}, opts);
    for (const [suffix, { addsTo, rules }] of Object.entries(tenantRoles)) {
      const roleName = `${operatorName}-${suffix}`;
      const aggregated = addsTo.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"] as const);
      const labels: Record<string, string> = { ...platformLabels, ...Object.fromEntries(aggregated) };
      const metadata = { name: roleName, labels, annotations: platformAnnotations };
      new k8s.rbac.v1.ClusterRole(roleName, { metadata, rules: [...rules] }, { parent: this });
    }
    this.registerOutputs();
  }
}
