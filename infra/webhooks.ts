// Where the API server finds the operator's webhooks. The operator itself writes by which authority it knows them.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "./config";
import { operatorSelector, platformAnnotations, platformLabels } from "./metadata";
import { webhookService, operatorName } from "../contract/platform";
import { databaseResource, storedVersion } from "../contract/resources";

/** The port of the operator's pods, and its name. */
export const WEBHOOK_PORT = 9443;
export const WEBHOOK_PORT_NAME = "webhook";
/** Seconds after which a change continues without an answer. */
const TIMEOUT_SECONDS = 5;

/** Where the webhooks are, and whose Databases they judge. */
export type WebhooksArgs = Pick<Settings, "namespace" | "watchNamespaces">;

/** The Service in front of every operator: they all answer, whether they lead or not. */
export function webhookServiceOf({ namespace }: Pick<WebhooksArgs, "namespace">): k8s.core.v1.ServiceArgs {
  return {
    metadata: { name: webhookService.name, namespace, labels: platformLabels, annotations: platformAnnotations },
    spec: {
      selector: operatorSelector,
      ports: [{ name: WEBHOOK_PORT_NAME, port: webhookService.port, targetPort: WEBHOOK_PORT_NAME }],
    },
  };
}

/**
 * Which changes are put to the operator: what people write into the spec of a Database, and nothing else. A webhook that
 * does not answer holds up no change; deletions, finalizers and status never come to it.
 */
export function validationOf({
  namespace,
  watchNamespaces,
}: WebhooksArgs): k8s.admissionregistration.v1.ValidatingWebhookConfigurationArgs {
  return {
    metadata: { name: operatorName, labels: platformLabels, annotations: platformAnnotations },
    webhooks: [
      {
        name: `${databaseResource.plural}.${databaseResource.group}`,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        // changes that are written as v1beta1 arrive as v1
        matchPolicy: "Equivalent",
        timeoutSeconds: TIMEOUT_SECONDS,
        rules: [
          {
            apiGroups: [databaseResource.group],
            apiVersions: [storedVersion],
            resources: [databaseResource.plural],
            operations: ["CREATE", "UPDATE"],
            scope: "Namespaced",
          },
        ],
        ...(watchNamespaces.length > 0 && { namespaceSelector: selectorOf(watchNamespaces) }),
        matchConditions: [
          { name: "not-being-deleted", expression: "!has(object.metadata.deletionTimestamp)" },
          {
            name: "spec-changes",
            expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
          },
        ],
        clientConfig: {
          service: {
            namespace,
            name: webhookService.name,
            path: webhookService.validationPath,
            port: webhookService.port,
          },
        },
      },
    ],
  };
}

const selectorOf = (namespaces: readonly string[]): k8s.types.input.meta.v1.LabelSelector => ({
  matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: [...namespaces] }],
});

/** See the header. */
export class Webhooks extends pulumi.ComponentResource {
  constructor(name: string, args: WebhooksArgs, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:Webhooks", name, args, opts);
    new k8s.core.v1.Service(webhookService.name, webhookServiceOf(args), { parent: this });
    new k8s.admissionregistration.v1.ValidatingWebhookConfiguration(operatorName, validationOf(args), {
      parent: this,
      // written by the operator
      ignoreChanges: ["webhooks[*].clientConfig.caBundle"],
    });
    this.registerOutputs();
  }
}
