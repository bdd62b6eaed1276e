// What the API server says of its kinds in OpenAPI v3: the source of `kubectl explain`, and of schemas for linters.
import { z } from "zod";
import type { Kubectl } from "./kubectl";

const Kind = z.object({ group: z.string(), version: z.string(), kind: z.string() });
export type Kind = z.infer<typeof Kind>;

/** A schema; what else is in it passes through. */
export const OpenApiSchema = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  $ref: z.string().optional(),
  "x-kubernetes-group-version-kind": z.array(Kind).optional(),
  get properties() {
    return z.record(z.string(), OpenApiSchema).optional();
  },
  get items() {
    return OpenApiSchema.optional();
  },
  get additionalProperties() {
    return z.union([OpenApiSchema, z.boolean()]).optional();
  },
  get allOf() {
    return z.array(OpenApiSchema).optional();
  },
});
export type OpenApiSchema = z.infer<typeof OpenApiSchema>;

export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

const Document = z.object({ components: z.object({ schemas: z.record(z.string(), OpenApiSchema) }) });

/** Every schema of a group and version, such as `example.com/v1` or `v1`, by its name. */
export async function openApiSchemas(kubectl: Kubectl, apiVersion: string): Promise<OpenApiSchemas> {
  const path = apiVersion.includes("/") ? `/openapi/v3/apis/${apiVersion}` : `/openapi/v3/api/${apiVersion}`;
  return Document.parse(JSON.parse(await kubectl("get", "--raw", path))).components.schemas;
}

/** The schema of a kind, with its name among the others. Throws where there is none. */
export function schemaOfKind(
  schemas: OpenApiSchemas,
  wanted: Kind,
): { readonly name: string; readonly schema: OpenApiSchema } {
  const text = JSON.stringify(wanted);
  const found = Object.entries(schemas).find(([, schema]) =>
    schema["x-kubernetes-group-version-kind"]?.some((kind) => JSON.stringify(Kind.parse(kind)) === text),
  );
  if (found === undefined) throw new Error(`the API server knows no schema of ${text}`);
  const [name, schema] = found;
  return { name, schema };
}

/** A field of a kind, as `kubectl explain` finds it. */
export interface ExplainedField {
  /** Such as `spec.backup.schedule`. */
  readonly path: string;
  readonly description: string | undefined;
}

/** Every field of a schema and of what is in it; what other schemas describe, such as metadata, is not gone into. */
export function explainedFields({ properties, items, additionalProperties }: OpenApiSchema, at = ""): ExplainedField[] {
  const named = Object.entries(properties ?? {}).flatMap(([name, schema]): ExplainedField[] => {
    const path = at === "" ? name : `${at}.${name}`;
    const description = schema.description ?? schema.allOf?.find((part) => part.description)?.description;
    return [{ path, description }, ...explainedFields(schema, path)];
  });
  const nested = [items, additionalProperties].filter((schema) => typeof schema === "object");
  return [...named, ...nested.flatMap((schema) => explainedFields(schema, at))];
}
