// One installation per cluster: custom resources and catalogue say whose they are, and the API server keeps another one from them.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { keyPrefix } from "../contract/resources";
import { operatorName, catalogueMap } from "../contract/platform";
import type { Settings } from "./config";
import { platformAnnotations, platformLabels } from "./metadata";

/** On custom resources and catalogue: the installation that they belong to. */
export const INSTALLATION_ANNOTATION = `${keyPrefix}/installation`;
/** On the same: the installation that they are taken over from. */
export const TAKEN_FROM_ANNOTATION = `${keyPrefix}/taken-over-from`;

/** Who an installation is. */
export interface Installation extends Pick<Settings, "namespace" | "takeOver"> {
  /** The name of the platform's stack. */
  readonly stack: string;
}

/** Annotations of custom resources and catalogue. */
export const installationAnnotations = ({ namespace, stack, takeOver }: Installation): Record<string, string> => ({
  [INSTALLATION_ANNOTATION]: `${namespace}/${stack}`,
  ...(takeOver !== undefined && { [TAKEN_FROM_ANNOTATION]: takeOver }),
});

/** CEL: the value of an annotation, or "". */
const annotationOf = (object: "object" | "oldObject", key: string): string =>
  `string(has(${object}.metadata.annotations) && '${key}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${key}'] : '')`;

/**
 * What the API server refuses: to write another installation's name over the one that is there, as Helm refuses objects of another release
 * ("exists and cannot be imported"). What names none, such as a release before this one or the operator itself, passes.
 */
export function installationPolicyOf(
  customResources: readonly string[],
): k8s.types.input.admissionregistration.v1.ValidatingAdmissionPolicySpec {
  return {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ["apiextensions.k8s.io"],
          apiVersions: ["v1"],
          resources: ["customresourcedefinitions"],
          operations: ["UPDATE"],
          resourceNames: [...customResources],
        },
        {
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["configmaps"],
          operations: ["UPDATE"],
          resourceNames: [catalogueMap.name],
        },
      ],
    },
    variables: [
      { name: "owner", expression: annotationOf("oldObject", INSTALLATION_ANNOTATION) },
      { name: "claimant", expression: annotationOf("object", INSTALLATION_ANNOTATION) },
      { name: "takenFrom", expression: annotationOf("object", TAKEN_FROM_ANNOTATION) },
    ],
    validations: [
      {
        expression:
          "variables.owner == '' || variables.claimant == '' || variables.claimant == variables.owner || variables.takenFrom == variables.owner",
        messageExpression:
          "'this cluster has the installation ' + variables.owner + ' (namespace/stack) of database-operator already, and ' + variables.claimant" +
          " + ' would take it over: choose the right cluster or stack, or set database-operator:takeOver to ' + variables.owner",
        reason: "Forbidden",
      },
    ],
  };
}

/** See the header. */
export class InstallationPolicy extends pulumi.ComponentResource {
  constructor(name: string, customResources: readonly string[], opts?: pulumi.ComponentResourceOptions) {
    super("database-operator:index:InstallationPolicy", name, {}, opts);
    const policy = `${operatorName}-installation`;
    const metadata = { name: policy, labels: platformLabels, annotations: platformAnnotations };
    new k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
      policy,
      { metadata, spec: installationPolicyOf(customResources) },
      { parent: this },
    );
    new k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
      policy,
      { metadata, spec: { policyName: policy, validationActions: ["Deny"] } },
      { parent: this },
    );
    this.registerOutputs();
  }
}
