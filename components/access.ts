// Who a Database's pods are at the Kubernetes API: members may do exactly what their engine's consensus needs, Jobs nothing.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Engine } from "./engines/engine";
import { metadataOf } from "./metadata";
import { accessName, jobAccountName } from "./naming";
import type { PartArgs } from "./part";
import type { Settings } from "./settings";

/**
 * The account of the members, or of the Jobs that initialise and back up: that one has no Role. The token is mounted by members' pods only, not
 * by default.
 */
export function serviceAccountOf(settings: Settings, name: string): k8s.core.v1.ServiceAccountArgs {
  return { metadata: metadataOf(settings, name), automountServiceAccountToken: false };
}

/** The Role of the members. */
export function roleOf(settings: Settings, engine: Engine): k8s.rbac.v1.RoleArgs {
  return { metadata: metadataOf(settings, accessName(settings.name)), rules: engine.accessRules(settings) };
}

/** The binding of the Role to the account; by names, so that nothing in it ever changes. */
export function roleBindingOf(settings: Settings): k8s.rbac.v1.RoleBindingArgs {
  const name = accessName(settings.name);
  return {
    metadata: metadataOf(settings, name),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: settings.namespace }],
  };
}

/** ServiceAccount, Role and RoleBinding of the members, and the ServiceAccount of the Jobs. */
export class Access extends pulumi.ComponentResource {
  /** What a pod cannot start without. The API server takes a tenth of a second for each of the others. */
  readonly account: k8s.core.v1.ServiceAccount;
  /** The same for the pods of Jobs. */
  readonly jobAccount: k8s.core.v1.ServiceAccount;

  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Access", name, {}, opts);
    const { settings, engine } = args;
    const child = accessName(name);
    const role = new k8s.rbac.v1.Role(child, roleOf(settings, engine), { parent: this });
    const accountOf = (account: string): k8s.core.v1.ServiceAccount =>
      new k8s.core.v1.ServiceAccount(account, serviceAccountOf(settings, account), { parent: this });
    this.account = accountOf(child);
    this.jobAccount = accountOf(jobAccountName(name));
    // who may pass on a Role, and no more, may not bind one that does not exist yet: a second passes until the retry
    new k8s.rbac.v1.RoleBinding(child, roleBindingOf(settings), { parent: this, dependsOn: [role] });
    this.registerOutputs({});
  }
}
