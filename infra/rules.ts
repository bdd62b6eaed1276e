// Rules of Roles, as all of the platform's are written.
import type * as k8s from "@pulumi/kubernetes";

type PolicyRule = k8s.types.input.rbac.v1.PolicyRule;

/** A rule in plain text. */
export interface Rule extends PolicyRule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
}

export const READ = ["get", "list", "watch"];

/** `resourceNames` limits it to these objects; to list and watch one, it must be asked for by name. Default: all. */
export const rule = (apiGroup: string, resources: string[], verbs: string[], resourceNames?: string[]): Rule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
  ...(resourceNames && { resourceNames }),
});
