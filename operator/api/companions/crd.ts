// The CustomResourceDefinition of a companion, built from its zod schema; and the list of all companions.
import type { companionResources } from "../../../contract/resources";
import type { Column, CustomResourceDefinition } from "../crd";
import { schemaOf, structural, type Schema } from "../schema";
import { NAME_RULES } from "../spec";
import { apiVersionOf, CompanionStatus, type CompanionKind } from "./kind";
import { postgreSQLCluster } from "./postgresql-cluster";
import { sampleDB } from "./sample-db";

const kinds: Readonly<Record<keyof typeof companionResources, CompanionKind>> = { postgreSQLCluster, sampleDB };

/** Every kind that is translated to a Database. */
export const companionKinds: readonly CompanionKind[] = Object.values(kinds);

const SHARED_COLUMNS: readonly Column[] = [
  { name: "Ready", type: "boolean", jsonPath: ".status.ready", description: "Whether the database is ready." },
  {
    name: "Phase",
    type: "string",
    jsonPath: ".status.phase",
    priority: 1,
    description: "Where it is in its life cycle.",
  },
  { name: "Running", type: "string", jsonPath: ".status.version", priority: 1, description: "The version that runs." },
  { name: "Primary", type: "string", jsonPath: ".status.primary", priority: 1, description: "The pod for writes." },
  { name: "Endpoint", type: "string", jsonPath: ".status.endpoint", priority: 1, description: "Host and port." },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "When it was created." },
];

/** The schema of a whole object of the kind, as the API server gets it. */
export function companionSchema(companion: CompanionKind): Schema {
  return {
    description: companion.description,
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: `The version of the API: ${apiVersionOf(companion)}.` },
      kind: { type: "string", description: `The kind of the object: ${companion.kind}.` },
      // The bound only tells the API server what the rules on the name may cost.
      metadata: { type: "object", properties: { name: { type: "string", maxLength: 253 } } },
      spec: structural(schemaOf(companion.spec)),
      // Before the operator has seen one, kstatus must not take it for finished.
      status: { ...structural(schemaOf(CompanionStatus)), default: { observedGeneration: -1 } },
    },
    "x-kubernetes-validations": [...NAME_RULES, ...companion.rules],
  };
}

/** Builds the CRD; equal for equal schemas. */
export function companionCrd(companion: CompanionKind): CustomResourceDefinition {
  const { group, version, kind, plural, singular, shortNames, columns, replicasPath } = companion;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular, kind, listKind: `${kind}List`, shortNames, categories: ["all"] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: [...columns, ...SHARED_COLUMNS],
          subresources: {
            status: {},
            scale: {
              specReplicasPath: replicasPath,
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.labelSelector",
            },
          },
          schema: { openAPIV3Schema: companionSchema(companion) },
        },
      ],
    },
  };
}
