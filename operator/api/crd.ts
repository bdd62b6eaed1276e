// The CustomResourceDefinition databases.example.com, built from the zod schemas of spec and status.
import { RULES_KEY } from "./rules";
import { schemaOf, structural, type Schema } from "./schema";
import { DatabaseSpec, NAME_RULES, VERSION_RULES } from "./spec";
import { DatabaseStatus } from "./status";
import { databaseResource, storedVersion } from "../../contract/resources";
import { webhookService, defaultNamespace } from "../../contract/platform";
import { apiVersionOf, namesIn, VERSIONS, type Version } from "./versions";

/** `apiVersion` of a Database, as it is stored. */
export const API_VERSION = apiVersionOf(storedVersion);

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
  { name: "Version", type: "string", jsonPath: ".spec.version", description: "The desired version." },
  { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "The desired number of members." },
  { name: "Ready", type: "boolean", jsonPath: ".status.ready", description: "Whether the database is ready." },
  {
    name: "Phase",
    type: "string",
    jsonPath: ".status.phase",
    priority: 1,
    description: "Where it is in its life cycle.",
  },
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
    readonly conversion?: WebhookConversion;
  };
}

/** Whom the API server asks to convert. The operator writes by which authority it knows the webhook. */
export interface WebhookConversion {
  readonly strategy: "Webhook";
  readonly webhook: {
    readonly conversionReviewVersions: readonly ["v1"];
    readonly clientConfig: {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        readonly path: string;
        readonly port: number;
      };
    };
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

/** The schema of a whole Database of that version, as the API server gets it. */
export function databaseSchema(version: Version = storedVersion): Schema {
  return {
    description: "A highly available, backed-up, monitored database.",
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: `The version of the API: ${apiVersionOf(version)}.` },
      kind: { type: "string", description: `The kind of the object: ${databaseResource.kind}.` },
      // The bound only tells the API server what the rules on the name may cost.
      metadata: { type: "object", properties: { name: { type: "string", maxLength: 253 } } },
      spec: renamed(structural(schemaOf(DatabaseSpec)), namesIn(version)),
      // What Flux does, too: before the operator has seen a Database, kstatus must not take it for finished.
      status: { ...structural(schemaOf(DatabaseStatus)), default: { observedGeneration: -1 } },
    },
    "x-kubernetes-validations": [...NAME_RULES, ...VERSION_RULES],
  };
}

/** A schema whose fields have other names, in its own rules, too. No rule below it names one of them: a test sees to that. */
function renamed(schema: Schema, names: Readonly<Record<string, string>>): Schema {
  const nameOf = (name: string): string => names[name] ?? name;
  const inCel = (text: string): string =>
    text.replaceAll(/\b(self|oldSelf)\.(\w+)/g, (_, of: string, name: string) => `${of}.${nameOf(name)}`);
  const properties = Object.entries(schema.properties ?? {}).map(([name, child]) => [nameOf(name), child] as const);
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: schema.required?.map(nameOf),
    [RULES_KEY]: schema[RULES_KEY]?.map((rule) => ({ ...rule, rule: inCel(rule.rule) })),
  };
}

/**
 * Builds the CRD; equal for equal schemas. With `None` only the stored version is served: between versions a webhook
 * converts, which has to be within the API server's reach.
 */
export function databaseCrd(conversion: "None" | "Webhook" = "None"): CustomResourceDefinition {
  const isConverted = conversion === "Webhook";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${databaseResource.plural}.${databaseResource.group}` },
    spec: {
      group: databaseResource.group,
      scope: "Namespaced",
      names: {
        plural: databaseResource.plural,
        singular: "database",
        kind: databaseResource.kind,
        listKind: "DatabaseList",
        shortNames: ["db"],
        categories: ["all"],
      },
      versions: (isConverted ? VERSIONS : ([storedVersion] as const)).map(crdVersion),
      ...(isConverted ? { conversion: webhookConversion } : {}),
    },
  };
}

function crdVersion(version: Version): CrdVersion {
  const names = namesIn(version);
  const pathOf = (path: string): string =>
    path.replace(/^\.spec\.(\w+)$/, (_, name: string) => `.spec.${names[name] ?? name}`);
  return {
    name: version,
    served: true,
    storage: version === storedVersion,
    additionalPrinterColumns: COLUMNS.map((column) => ({ ...column, jsonPath: pathOf(column.jsonPath) })),
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.labelSelector",
      },
    },
    schema: { openAPIV3Schema: databaseSchema(version) },
  };
}

const webhookConversion: WebhookConversion = {
  strategy: "Webhook",
  webhook: {
    conversionReviewVersions: ["v1"],
    clientConfig: {
      service: {
        namespace: defaultNamespace,
        name: webhookService.name,
        path: webhookService.conversionPath,
        port: 443,
      },
    },
  },
};
