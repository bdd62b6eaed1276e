// What is asked: a DatabasePreview, as a client creates it.
import { z } from "zod";
import { previewResource, previewVersion } from "../../contract/resources";
import { Assumed } from "../api/assumed";
import { convertDatabase } from "../api/conversion";
import { API_VERSION } from "../api/crd";
import { DNS_LABEL } from "../api/fields";
import { namePattern } from "../../contract/limits";
import { parseJson } from "../objects/json";
import { PreviewFailure } from "./failure";

const apiVersion = `${previewResource.group}/${previewVersion}`;

/** What is previewed: an apply of the Database, or its deletion. */
export type PreviewOperation = "Apply" | "Delete";

const Preview = z.looseObject({
  apiVersion: z.literal(apiVersion),
  kind: z.literal(previewResource.kind),
  metadata: z.looseObject({ name: z.string().optional(), namespace: z.string().optional() }).default({}),
  spec: z.strictObject({
    operation: z.enum(["Apply", "Delete"]).default("Apply"),
    assume: Assumed.optional(),
    database: z.looseObject({
      apiVersion: z.string(),
      metadata: z.looseObject({
        name: z.string().regex(namePattern, "must be the name of a Database"),
        namespace: z.string().optional(),
      }),
    }),
  }),
});

/** See the header. The Database is of the stored version, and in the namespace of the request. */
export interface Question {
  readonly namespace: string;
  readonly name: string;
  readonly operation: PreviewOperation;
  readonly database: Readonly<Record<string, unknown>>;
  readonly assumed: Assumed | undefined;
  /** The object as it came, which the answer is added to. */
  readonly asked: Readonly<Record<string, unknown>>;
}

/** The namespace of a path to previews; undefined for any other path. */
export function namespaceIn(path: string): string | undefined {
  const { group, plural } = previewResource;
  const [, namespace] = new RegExp(`^/apis/${group}/${previewVersion}/namespaces/([^/]+)/${plural}$`).exec(path) ?? [];
  return namespace !== undefined && DNS_LABEL.test(namespace) ? namespace : undefined;
}

/** Throws a PreviewFailure for what is none. */
export function questionIn(text: string, namespace: string): Question {
  const parsed = Preview.safeParse(parseJson(text));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
    throw new PreviewFailure("BadRequest", `not a ${previewResource.kind} of ${apiVersion}: ${problems.join("; ")}`);
  }
  const { metadata, spec } = parsed.data;
  for (const [field, named] of [
    ["metadata", metadata.namespace],
    ["spec.database.metadata", spec.database.metadata.namespace],
  ] as const) {
    if (named !== undefined && named !== "" && named !== namespace)
      throw new PreviewFailure("BadRequest", `${field}.namespace: must be ${namespace}, as in the path, or left out`);
  }
  const { name } = spec.database.metadata;
  const asked = { ...parsed.data, metadata: { ...metadata, namespace, name: metadata.name ?? name } };
  const { operation, assume: assumed } = spec;
  return { namespace, name, operation, database: storedDatabase(spec.database, namespace), assumed, asked };
}

function storedDatabase(
  database: z.infer<typeof Preview>["spec"]["database"],
  namespace: string,
): Question["database"] {
  const conversion = convertDatabase(database, API_VERSION);
  if (!conversion.ok) throw new PreviewFailure("BadRequest", `spec.database ${conversion.problem}`);
  return { ...z.looseObject({}).parse(conversion.object), metadata: { ...database.metadata, namespace } };
}
