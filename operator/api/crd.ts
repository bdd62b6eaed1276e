// The CustomResourceDefinition databases.example.com, built from the zod schemas of spec and status.
import { schemaOf, structural, type Schema } from "./schema";
import { DatabaseSpec, NAME_RULES, VERSION_RULES } from "./spec";
import { DatabaseStatus } from "./status";

/** The names under which the API server knows a Database. */
export const GROUP = "example.com";
export const VERSION = "v1";
export const KIND = "Database";
export const PLURAL = "databases";
/** `apiVersion` of a Database. */
export const API_VERSION = `${GROUP}/${VERSION}`;

/** A column of `kubectl get db`; those of priority 1 show with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description: string;
}

const COLUMNS: readonly Column[] = [
  { name: "Engine", type: "string", jsonPath: ".spec.engine", description: "The database engine." },
  { name: "Version", type: "string", jsonPath: ".spec.version", description: "The version that is wanted." },
  { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "How many members are wanted." },
  { name: "Ready", type: "boolean", jsonPath: ".status.ready", description: "Whether the database is ready." },
  { name: "Phase", type: "string", jsonPath: ".status.phase", priority: 1, description: "Where it is in its life." },
  {
    name: "Primary",
    type: "string",
    jsonPath: ".status.primary",
    priority: 1,
    description: "The pod that takes writes.",
  },
  { name: "Endpoint", type: "string", jsonPath: ".status.endpoint", priority: 1, description: "Host and port." },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "When it was created." },
];

/** The manifest of the CRD. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced";
    readonly names: Readonly<Record<string, string | readonly string[]>>;
    readonly versions: readonly CrdVersion[];
  };
}

/** One version of the CRD. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly additionalPrinterColumns: readonly Column[];
  readonly subresources: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly schema: { readonly openAPIV3Schema: Schema };
}

/** The schema of a whole Database, as the API server gets it. */
export function databaseSchema(): Schema {
  return {
    description: "A highly available, backed-up, monitored database.",
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: `The version of the API: ${API_VERSION}.` },
      kind: { type: "string", description: `The kind of the object: ${KIND}.` },
      // The bound only tells the API server what the rules on the name may cost.
      metadata: { type: "object", properties: { name: { type: "string", maxLength: 253 } } },
      spec: structural(schemaOf(DatabaseSpec)),
      // What Flux does, too: before the operator has seen a Database, kstatus must not take it for finished.
      status: { ...structural(schemaOf(DatabaseStatus)), default: { observedGeneration: -1 } },
    },
    "x-kubernetes-validations": [...NAME_RULES, ...VERSION_RULES],
  };
}

/** Builds the CRD; equal for equal schemas. */
export function databaseCrd(): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${PLURAL}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: {
        plural: PLURAL,
        singular: "database",
        kind: KIND,
        listKind: "DatabaseList",
        shortNames: ["db"],
        categories: ["all"],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: COLUMNS,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: ".spec.replicas",
              statusReplicasPath: ".status.replicas",
              labelSelectorPath: ".status.labelSelector",
            },
          },
          schema: { openAPIV3Schema: databaseSchema() },
        },
      ],
    },
  };
}
