// Turns a zod schema into the structural schema that a CustomResourceDefinition demands, and refuses what has no place in one.
import { z } from "zod";
import { RULES_KEY } from "./rules";
import { OPEN_ENUM } from "./status-fields";

const Rules = z.array(z.strictObject({ rule: z.string(), message: z.string(), fieldPath: z.string().optional() }));

/** One node of a structural schema. It is strict: oneOf, anyOf, $ref and everything else the API server refuses does not parse. */
export const Schema = z.strictObject({
  type: z.enum(["object", "array", "string", "integer", "boolean"]),
  description: z.string().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  format: z.enum(["date-time", "int32", "int64"]).optional(),
  pattern: z.string().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minimum: z.int().optional(),
  maximum: z.int().optional(),
  maxProperties: z.int().optional(),
  minItems: z.int().optional(),
  maxItems: z.int().optional(),
  required: z.array(z.string()).optional(),
  "x-kubernetes-preserve-unknown-fields": z.literal(true).optional(),
  "x-kubernetes-list-type": z.enum(["map", "set", "atomic"]).optional(),
  "x-kubernetes-list-map-keys": z.array(z.string()).optional(),
  [RULES_KEY]: Rules.optional(),
  [OPEN_ENUM]: z.literal(true).optional(),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get items() {
    return Schema.optional();
  },
  get additionalProperties() {
    return Schema.optional();
  },
});
export type Schema = z.infer<typeof Schema>;

/** The schema of what a person may write, as zod knows it: closed enums are still listed. Throws where zod's output is not structural. */
export function schemaOf(type: z.ZodType): Schema {
  return Schema.parse(z.toJSONSchema(type, { target: "openapi-3.0", io: "input" }));
}

/** The schema as the CRD carries it: open enums without their values, integers with a format instead of JavaScript's bounds. */
export function structural(schema: Schema): Schema {
  const { [OPEN_ENUM]: open, enum: values, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...(rest.type === "integer" ? integer(rest) : rest),
    ...(values && !open ? { enum: values } : {}),
    ...(properties && Object.keys(properties).length > 0 ? { properties: mapValues(properties, structural) } : {}),
    ...(items ? { items: structural(items) } : {}),
    ...(additionalProperties ? { additionalProperties: structural(additionalProperties) } : {}),
  };
}

function integer({ minimum, maximum, ...rest }: Schema): Schema {
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return { ...rest, ...(bounded ? { format: "int32", minimum, maximum } : { format: "int64" }) };
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
