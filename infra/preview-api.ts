// The aggregated API of previews: where the API server finds it, who may ask, and what the operator needs to answer.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { apiServerAuthentication, operatorName, webhookService } from "../contract/platform";
import { previewApiService, previewResource, previewVersion } from "../contract/resources";
import type { Settings } from "./config";
import { platformAnnotations, platformLabels } from "./metadata";
import { rule, type Rule } from "./rules";

const NAME = `${operatorName}-preview-api`;
const RBAC_GROUP = "rbac.authorization.k8s.io";
const metadata = { name: NAME, labels: platformLabels, annotations: platformAnnotations };

/** Everyone may ask: the operator answers those who may write the Database, which the API server tells it. */
export const askerRules: readonly Rule[] = [rule(previewResource.group, [previewResource.plural], ["create"])];

/** Of the operator, in no namespace. */
export const previewRules: readonly Rule[] = [
  rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
  rule("apiregistration.k8s.io", ["apiservices"], ["list", "watch", "patch"], [previewApiService]),
];

/** It is answered by every operator, at the webhooks' port. */
export function apiServiceOf({ namespace }: Pick<Settings, "namespace">): k8s.apiregistration.v1.APIServiceArgs {
  return {
    metadata: { ...metadata, name: previewApiService },
    spec: {
      group: previewResource.group,
      version: previewVersion,
      // below all that is built in, beside other APIs of this kind
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace, name: webhookService.name, port: webhookService.port },
    },
  };
}

interface BindingArgs {
  readonly metadata: k8s.types.input.meta.v1.ObjectMeta;
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: k8s.types.input.rbac.v1.Subject[];
}

/** What the operator, and those who ask, are bound to. */
export interface PreviewRights {
  readonly operatorRole: k8s.rbac.v1.ClusterRoleArgs;
  readonly operatorBinding: BindingArgs;
  readonly askerRole: k8s.rbac.v1.ClusterRoleArgs;
  readonly askerBinding: BindingArgs;
  /** To a Role that every cluster has. */
  readonly authenticationBinding: BindingArgs;
}

export function previewRightsOf({ namespace }: Pick<Settings, "namespace">): PreviewRights {
  const operator = [{ kind: "ServiceAccount", name: operatorName, namespace }];
  const asker = { ...metadata, name: `${operatorName}-previews` };
  const clusterRole = (name: string): BindingArgs["roleRef"] => ({ apiGroup: RBAC_GROUP, kind: "ClusterRole", name });
  return {
    operatorRole: { metadata, rules: [...previewRules] },
    operatorBinding: { metadata, roleRef: clusterRole(NAME), subjects: operator },
    askerRole: { metadata: asker, rules: [...askerRules] },
    askerBinding: {
      metadata: asker,
      roleRef: clusterRole(asker.name),
      subjects: [{ apiGroup: RBAC_GROUP, kind: "Group", name: "system:authenticated" }],
    },
    authenticationBinding: {
      metadata: { ...metadata, namespace: apiServerAuthentication.namespace },
      roleRef: { apiGroup: RBAC_GROUP, kind: "Role", name: apiServerAuthentication.reader },
      subjects: operator,
    },
  };
}

/** See the header. */
export class PreviewApi extends pulumi.ComponentResource {
  constructor(name: string, args: Pick<Settings, "namespace">, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:PreviewApi", name, {}, opts);
    const rights = previewRightsOf(args);
    new k8s.rbac.v1.ClusterRole(NAME, rights.operatorRole, { parent: this });
    new k8s.rbac.v1.ClusterRoleBinding(NAME, rights.operatorBinding, { parent: this });
    new k8s.rbac.v1.ClusterRole(`${operatorName}-previews`, rights.askerRole, { parent: this });
    new k8s.rbac.v1.ClusterRoleBinding(`${operatorName}-previews`, rights.askerBinding, { parent: this });
    new k8s.rbac.v1.RoleBinding(NAME, rights.authenticationBinding, { parent: this });
    new k8s.apiregistration.v1.APIService(previewApiService, apiServiceOf(args), {
      parent: this,
      // written by the operator
      ignoreChanges: ["spec.caBundle"],
    });
    this.registerOutputs();
  }
}
