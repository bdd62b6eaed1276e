// JSON schemas for kubeconform and kubesec, one file per kind, generated from what the API server itself says of its kinds: so
// nothing is downloaded, and the version is the one that is tested.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Kubectl } from "../../harness/kubectl";
import { openApiSchemas, schemaOfKind } from "../../harness/openapi";
import type { Manifest } from "./manifest";

/** The `--schema-location` under which the linters find the schemas in `directory`. */
export const schemaLocation = (directory: string): string =>
  join(directory, "{{ .ResourceKind }}{{ .KindSuffix }}.json");

/** Writes the schema of every kind that the manifests have into `directory`. */
export async function writeSchemas(kubectl: Kubectl, manifests: readonly Manifest[], directory: string): Promise<void> {
  const kinds = new Map(manifests.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]));
  for (const { apiVersion, kind } of kinds.values()) {
    const schemas = await openApiSchemas(kubectl, apiVersion);
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    const { name } = schemaOfKind(schemas, { group, version, kind });
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $ref: `#/definitions/${name}`,
      definitions: strict(schemas),
    };
    await writeFile(join(directory, fileName(kind, group, version)), JSON.stringify(schema));
  }
}

/** As the linters' template puts it together: only the first word of a group counts. */
function fileName(kind: string, group: string, version: string): string {
  return [kind.toLowerCase(), ...(group === "" ? [] : [group.split(".")[0]]), version].join("-") + ".json";
}

/** A schema that refuses fields it does not name, with references into the file's own definitions. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value === "string") return value.replace(/^#\/components\/schemas\//, "#/definitions/");
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, strict(nested)]));
  const isOpen = "additionalProperties" in fields || fields["x-kubernetes-preserve-unknown-fields"] === true;
  const namesFields = fields["type"] === "object" && "properties" in fields;
  return namesFields && !isOpen ? { ...fields, additionalProperties: false } : fields;
}
