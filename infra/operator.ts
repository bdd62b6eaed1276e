// The operator's place in the cluster: namespace, permissions, catalogue and, where an image is given, its Deployment.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Approvals } from "./approvals";
import type { Settings } from "./config";
import { Console } from "./console";
import { consoleOf } from "./console/objects";
import { deploymentOf, disruptionBudgetOf } from "./deployment";
import { platformAnnotations, platformLabels } from "./metadata";
import { installationAnnotations } from "./installation";
import { networkPolicyOf } from "./network";
import { Monitoring } from "./monitoring";
import { Permissions } from "./permissions";
import { PreviewApi } from "./preview-api";
import { TenantRoles } from "./tenants";
import { operatorName, catalogueMap } from "../contract/platform";
import { Webhooks } from "./webhooks";

/** Everything the operator needs, and the operator. */
export class Operator extends pulumi.ComponentResource {
  /** The operator's namespace. */
  readonly namespace: pulumi.Output<string>;

  constructor(name: string, settings: Settings, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:Operator", name, {}, opts);
    const namespace = this.#namespace(settings.namespace);
    this.namespace = namespace.metadata.name;
    const { watchNamespaces } = settings;
    const permissions = new Permissions(name, { namespace: this.namespace, watchNamespaces }, { parent: this });
    new TenantRoles(`${name}-tenants`, { parent: this });
    const approvals = new Approvals(`${name}-approvals`, settings, { parent: this });
    const catalogue = this.#catalogue(settings, namespace);
    this.#deployment(settings, [permissions, catalogue, approvals, ...this.#networkPolicy(settings, namespace)]);
    this.#console(settings, namespace);
    this.registerOutputs({ namespace: this.namespace });
  }

  #namespace(name: string): k8s.core.v1.Namespace {
    const labels = {
      ...platformLabels,
      "pod-security.kubernetes.io/enforce": "restricted",
      "pod-security.kubernetes.io/warn": "restricted",
    };
    // It outlives `pulumi destroy` with the Secrets in it: they hold every stack's state, its key, and passwords.
    const options = { parent: this, retainOnDelete: true };
    return new k8s.core.v1.Namespace(name, { metadata: { name, labels, annotations: platformAnnotations } }, options);
  }

  #catalogue({ namespace, catalogue, takeOver }: Settings, parent: pulumi.Resource): k8s.core.v1.ConfigMap {
    const installation = installationAnnotations({ namespace, takeOver, stack: pulumi.getStack() });
    const annotations = { ...platformAnnotations, ...installation };
    const metadata = { name: catalogueMap.name, namespace, labels: platformLabels, annotations };
    const data = { [catalogueMap.key]: JSON.stringify(catalogue, undefined, 2) };
    return new k8s.core.v1.ConfigMap(catalogueMap.name, { metadata, data }, { parent: this, dependsOn: [parent] });
  }

  /** Where the operator runs elsewhere, there is nothing to protect. */
  #networkPolicy(settings: Settings, parent: pulumi.Resource): pulumi.Resource[] {
    if (settings.image === undefined || !settings.networkPolicy) return [];
    const options = { parent: this, dependsOn: [parent] };
    return [new k8s.networking.v1.NetworkPolicy(operatorName, networkPolicyOf(settings), options)];
  }

  #console(settings: Settings, parent: pulumi.Resource): void {
    const args = consoleOf(settings);
    if (args !== undefined) new Console(`${operatorName}-console`, args, { parent: this, dependsOn: [parent] });
  }

  #deployment({ image, ...settings }: Settings, dependsOn: pulumi.Resource[]): void {
    if (image === undefined) return;
    const deployment = deploymentOf({ ...settings, image });
    new k8s.apps.v1.Deployment(operatorName, deployment, { parent: this, dependsOn });
    new Webhooks(`${operatorName}-webhooks`, settings, { parent: this, dependsOn });
    if (settings.previewApi) new PreviewApi(`${operatorName}-preview-api`, settings, { parent: this, dependsOn });
    const budget = disruptionBudgetOf(settings.namespace);
    new k8s.policy.v1.PodDisruptionBudget(operatorName, budget, { parent: this, dependsOn });
    new Monitoring(`${operatorName}-monitoring`, settings, { parent: this, dependsOn });
  }
}
