// Who may approve a change of a Database, judged by the API server itself: it is there while the operator is not, and names the person.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { approvalKeys, approvalRefusals, approvalVerb } from "../contract/approvals";
import { operatorName } from "../contract/platform";
import { databaseResource, storedVersion } from "../contract/resources";
import type { Settings } from "./config";
import { platformAnnotations, platformLabels } from "./metadata";

type Policy = k8s.types.input.admissionregistration.v1.ValidatingAdmissionPolicySpec;

const NAME = `${operatorName}-approvals`;

/** CEL: the value of an annotation, or "". */
const annotationOf = (object: "object" | "oldObject", key: string): string =>
  `string(has(${object}.metadata.annotations) && '${key}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${key}'] : '')`;

/** CEL: a text of the plan that waits, or "". */
const ofPlan = (field: "digest" | "requestedBy"): string => {
  const plan = "oldObject.status.pendingChange";
  return `string(has(oldObject.status) && has(${plan}) && has(${plan}.${field}) ? ${plan}.${field} : '')`;
};

/** CEL: whether an annotation has another value now, and one at all. */
const isWritten = (key: string): string =>
  `(${annotationOf("object", key)} != '' && ${annotationOf("object", key)} != ${annotationOf("oldObject", key)})`;

const MAY_APPROVE = `authorizer.group('${databaseResource.group}').resource('${databaseResource.plural}').namespace(object.metadata.namespace).name(object.metadata.name).check('${approvalVerb}').allowed()`;

/** What is judged of an approval, and of what is said of who changed the spec. To take an approval back is free. */
const validations = ({ approverMayBeAuthor }: Pick<Settings, "approverMayBeAuthor">): Policy["validations"] => [
  {
    expression: `!variables.approves || ${MAY_APPROVE}`,
    messageExpression: `'${approvalRefusals.noRight} ${databaseResource.plural}.${databaseResource.group}, which ' + request.userInfo.username + ' does not have here'`,
    reason: "Forbidden",
  },
  {
    expression: `!variables.approves || ${annotationOf("object", approvalKeys.by)} == request.userInfo.username`,
    messageExpression: `'${approvalRefusals.unnamed}: where the webhook of the operator does not, annotate ${approvalKeys.by}=' + request.userInfo.username + ' with it'`,
    reason: "Forbidden",
  },
  ...[approvalKeys.approve, approvalKeys.now].map((key) => ({
    expression: `!${isWritten(key)} || ${annotationOf("object", key)} == variables.digest`,
    messageExpression: `variables.digest == '' ? '${approvalRefusals.none}: remove the annotation ${key}' : '${key} ${approvalRefusals.moved}' + variables.digest + ': look at it again, as it may have moved'`,
    reason: "Invalid",
  })),
  ...(approverMayBeAuthor
    ? []
    : [
        {
          expression: `!variables.approves || ${ofPlan("requestedBy")} != request.userInfo.username`,
          messageExpression: `request.userInfo.username + ' ${approvalRefusals.author}'`,
          reason: "Forbidden",
        },
      ]),
  {
    // what is written is true; what was there before does not become true by another edit
    expression: `variables.changedBy == '' || (variables.changedBy == variables.formerChangedBy ? variables.generation == variables.formerGeneration || !variables.changedBy.startsWith(variables.generation + ' ') : variables.generation != variables.formerGeneration && variables.changedBy == variables.generation + ' ' + request.userInfo.username)`,
    message: `${approvalKeys.changedBy} says who changed the spec, and is written by the operator's webhook: leave it as it is, or remove it`,
    reason: "Forbidden",
  },
];

/** See the header. It holds wherever Databases are. */
export function approvalPolicyOf(settings: Pick<Settings, "approverMayBeAuthor">): Policy {
  const generationOf = (object: "object" | "oldObject"): string =>
    `string(has(${object}.metadata.generation) ? ${object}.metadata.generation : 0)`;
  return {
    failurePolicy: "Fail",
    matchConstraints: {
      matchPolicy: "Equivalent",
      resourceRules: [
        {
          apiGroups: [databaseResource.group],
          apiVersions: [storedVersion],
          resources: [databaseResource.plural],
          operations: ["UPDATE"],
        },
      ],
    },
    // all other changes, the operator's own among them, do not come here
    matchConditions: [
      {
        name: "about-changes",
        expression: Object.values(approvalKeys)
          .map((key) => `${annotationOf("object", key)} != ''`)
          .join(" || "),
      },
    ],
    variables: [
      {
        name: "approves",
        expression: [approvalKeys.approve, approvalKeys.now, approvalKeys.by].map(isWritten).join(" || "),
      },
      { name: "digest", expression: ofPlan("digest") },
      { name: "changedBy", expression: annotationOf("object", approvalKeys.changedBy) },
      { name: "formerChangedBy", expression: annotationOf("oldObject", approvalKeys.changedBy) },
      { name: "generation", expression: generationOf("object") },
      { name: "formerGeneration", expression: generationOf("oldObject") },
    ],
    validations: validations(settings),
  };
}

/** See the header. */
export class Approvals extends pulumi.ComponentResource {
  constructor(name: string, settings: Pick<Settings, "approverMayBeAuthor">, opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:Approvals", name, {}, opts);
    const metadata = { name: NAME, labels: platformLabels, annotations: platformAnnotations };
    new k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
      NAME,
      { metadata, spec: approvalPolicyOf(settings) },
      { parent: this },
    );
    new k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
      NAME,
      { metadata, spec: { policyName: NAME, validationActions: ["Deny"] } },
      { parent: this },
    );
    this.registerOutputs();
  }
}
