// Where the API server finds the operator's webhooks. The operator itself writes by which authority it knows them.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { approvalKeys } from "../contract/approvals";
import type { Settings } from "./config";
import { operatorSelector, platformAnnotations, platformLabels } from "./metadata";
import { webhookService, operatorName } from "../contract/platform";
import { databaseResource, storedVersion } from "../contract/resources";

/** The port of the operator's pods, and its name. */
export const WEBHOOK_PORT = 9443;
export const WEBHOOK_PORT_NAME = "webhook";
/** Seconds after which a change continues without an answer. */
const TIMEOUT_SECONDS = 5;

type Webhook = k8s.types.input.admissionregistration.v1.ValidatingWebhook;
type WebhookRule = k8s.types.input.admissionregistration.v1.RuleWithOperations;

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

/** A webhook that does not answer holds up no change; dry runs get the same answers. */
const common = (
  { namespace, watchNamespaces }: WebhooksArgs,
  path: string,
): Pick<Webhook, "admissionReviewVersions" | "clientConfig" | "sideEffects"> & Partial<Webhook> => ({
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Ignore",
  // changes that are written as v1beta1 arrive as v1
  matchPolicy: "Equivalent",
  timeoutSeconds: TIMEOUT_SECONDS,
  ...(watchNamespaces.length > 0 && { namespaceSelector: selectorOf(watchNamespaces) }),
  clientConfig: { service: { namespace, name: webhookService.name, path, port: webhookService.port } },
});

const rulesFor = (...operations: ("CREATE" | "UPDATE")[]): WebhookRule => ({
  apiGroups: [databaseResource.group],
  apiVersions: [storedVersion],
  resources: [databaseResource.plural],
  operations,
  scope: "Namespaced",
});

const notBeingDeleted = { name: "not-being-deleted", expression: "!has(object.metadata.deletionTimestamp)" };

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
        ...common({ namespace, watchNamespaces }, webhookService.validationPath),
        name: `${databaseResource.plural}.${databaseResource.group}`,
        rules: [rulesFor("CREATE", "UPDATE")],
        matchConditions: [
          notBeingDeleted,
          {
            name: "spec-changes",
            expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
          },
        ],
      },
    ],
  };
}

const { approve, now, by, changedBy } = approvalKeys;

/** CEL: the value of an annotation, or "". */
const annotationOf = (object: "object" | "oldObject", key: string): string =>
  `(has(${object}.metadata.annotations) && '${key}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${key}'] : '')`;

/**
 * Into which changes the operator writes who made them: edits of the spec, and approvals. The API server's own policy judges what is written,
 * so that a webhook that does not answer leaves an author unknown, and nothing worse.
 */
export function authorsOf({
  namespace,
  watchNamespaces,
}: WebhooksArgs): k8s.admissionregistration.v1.MutatingWebhookConfigurationArgs {
  const moved = [approve, now, by, changedBy].map(
    (key) => `${annotationOf("object", key)} != ${annotationOf("oldObject", key)}`,
  );
  return {
    metadata: { name: operatorName, labels: platformLabels, annotations: platformAnnotations },
    webhooks: [
      {
        ...common({ namespace, watchNamespaces }, webhookService.authorPath),
        name: `authors.${databaseResource.plural}.${databaseResource.group}`,
        reinvocationPolicy: "Never",
        rules: [rulesFor("UPDATE")],
        matchConditions: [
          notBeingDeleted,
          { name: "spec-or-approval-changes", expression: ["object.spec != oldObject.spec", ...moved].join(" || ") },
        ],
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
    new k8s.admissionregistration.v1.MutatingWebhookConfiguration(operatorName, authorsOf(args), {
      parent: this,
      // written by the operator
      ignoreChanges: ["webhooks[*].clientConfig.caBundle"],
    });
    new k8s.admissionregistration.v1.ValidatingWebhookConfiguration(operatorName, validationOf(args), {
      parent: this,
      // written by the operator
      ignoreChanges: ["webhooks[*].clientConfig.caBundle"],
    });
    this.registerOutputs();
  }
}
