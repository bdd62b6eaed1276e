// The CustomResourceDefinition databases.example.com, built from the zod schemas of spec and status.
import type { z } from "zod";
import { RULES_KEY, type CelRule } from "./rules";
import { schemaOf, structural, type Schema } from "./schema";
import { DatabaseSpec, NAME_RULES } from "./spec";
import { versionStepRules } from "./version-steps";
import { DatabaseStatus } from "./status";
import { databaseResource, storedVersion, type ApiResource } from "../../contract/resources";
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

/** A text of the status that shows with `-o wide`. */
export function wideColumn(name: string, field: string, description: string): Column {
  return { name, type: "string", jsonPath: `.status.${field}`, priority: 1, description };
}

const COLUMNS: readonly Column[] = [
  { name: "Engine", type: "string", jsonPath: ".spec.engine", description: "The database engine." },
  { name: "Version", type: "string", jsonPath: ".spec.version", description: "The desired version." },
  { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "The desired number of members." },
  { name: "Ready", type: "boolean", jsonPath: ".status.ready", description: "Whether the database is ready." },
  wideColumn("Phase", "phase", "Where it is in its life cycle."),
  wideColumn("Primary", "primary", "The pod that takes writes."),
  wideColumn("Endpoint", "endpoint", "Host and port."),
  wideColumn("Pending", "pendingChange.effect", "What the change does that waits."),
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
    readonly conversion?: typeof webhookConversion;
  };
}

/** One version of the CRD. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly additionalPrinterColumns: readonly Column[];
  /** By which clients may select objects; API servers before 1.31 pass it over. */
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
  readonly subresources: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly schema: { readonly openAPIV3Schema: Schema };
}

/** What the schema of a whole object is built from; rules are those over all of it, beside those on its name. */
interface WholeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly description: string;
  readonly spec: Schema;
  readonly status: z.ZodType;
  readonly rules: readonly CelRule[];
}

/** The schema of a whole object, as the API server gets it. */
export function objectSchema({ apiVersion, kind, description, spec, status, rules }: WholeObject): Schema {
  return {
    description,
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: `The version of the API: ${apiVersion}.` },
      kind: { type: "string", description: `The kind of the object: ${kind}.` },
      // The bound only tells the API server what the rules on the name may cost.
      metadata: { type: "object", properties: { name: { type: "string", maxLength: 253 } } },
      spec,
      // What Flux does, too: before the operator has seen an object, kstatus must not take it for finished.
      status: { ...structural(schemaOf(status)), default: { observedGeneration: -1 } },
    },
    "x-kubernetes-validations": [...NAME_RULES, ...rules],
  };
}

/** The schema of a whole Database of that version. */
export const databaseSchema = (version: Version = storedVersion): Schema =>
  objectSchema({
    apiVersion: apiVersionOf(version),
    kind: databaseResource.kind,
    description: "A highly available, backed-up, monitored database.",
    spec: renamed(structural(schemaOf(DatabaseSpec)), namesIn(version)),
    status: DatabaseStatus,
    rules: versionStepRules(namesIn(version)["engine"] ?? "engine"),
  });

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
  const versions = (isConverted ? VERSIONS : ([storedVersion] as const)).map((version) => {
    const names = namesIn(version);
    const pathOf = (path: string): string =>
      path.replace(/^\.spec\.(\w+)$/, (_, name: string) => `.spec.${names[name] ?? name}`);
    const columns = COLUMNS.map((column) => ({ ...column, jsonPath: pathOf(column.jsonPath) }));
    return { name: version, columns, replicasPath: ".spec.replicas", schema: databaseSchema(version) };
  });
  const { spec, ...frame } = crdOf({ ...databaseResource, singular: "database", shortNames: ["db"] }, versions);
  return { ...frame, spec: { ...spec, ...(isConverted && { conversion: webhookConversion }) } };
}

/** How a kind is called. */
interface Names extends ApiResource {
  readonly singular: string;
  readonly shortNames: readonly string[];
}

/** What differs from version to version; the first one is stored. */
interface ServedVersion {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly replicasPath: string;
  readonly schema: Schema;
}

/** The CRD of a kind whose members are scaled and whose status is a resource of its own. */
export function crdOf(
  { group, kind, plural, singular, shortNames }: Names,
  versions: readonly ServedVersion[],
): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular, kind, listKind: `${kind}List`, shortNames, categories: ["all"] },
      versions: versions.map(({ name, columns, replicasPath, schema }, index) => ({
        name,
        served: true,
        storage: index === 0,
        additionalPrinterColumns: columns,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: replicasPath,
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.labelSelector",
          },
        },
        schema: { openAPIV3Schema: schema },
      })),
    },
  };
}

/** Whom the API server asks to convert. The operator writes by which authority it knows the webhook. */
const webhookConversion = {
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
} as const;
