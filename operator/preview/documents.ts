// The objects in a file, each with its own text: kubectl gets exactly what the person wrote.
import { parseAllDocuments, stringify } from "yaml";
import { z } from "zod";
import { companionKinds } from "../api/companions/crd";
import { backupResource, databaseResource } from "../../contract/resources";
import { API_VERSION } from "../api/crd";

/** One object of a file. */
export type Document =
  | { readonly kind: "database"; readonly name: string; readonly text: string }
  /** Something that is translated to a Database; `plural` is its kind. */
  | { readonly kind: "companion"; readonly plural: string; readonly name: string; readonly text: string }
  | { readonly kind: "backup"; readonly name: string; readonly text: string }
  /** Something that the operator does not look at, as `Kind name`. */
  | { readonly kind: "other"; readonly title: string; readonly text: string }
  | { readonly kind: "unreadable"; readonly message: string };

const Head = z.object({
  apiVersion: z.string().default(""),
  kind: z.string().default(""),
  metadata: z.object({ name: z.string().default("") }).default({ name: "" }),
  items: z.array(z.unknown()).optional(),
});

/** The objects in `text`, in their order; those of a List one by one. */
export function documentsIn(text: string): Document[] {
  // kubectl reads YAML 1.1, where `on` and `yes` are booleans
  const documents = parseAllDocuments(text, { version: "1.1" });
  if ("empty" in documents) return [];
  return documents.flatMap((document): Document[] => {
    const [problem] = document.errors;
    if (problem !== undefined) return [{ kind: "unreadable", message: problem.message }];
    const { range } = document;
    const value: unknown = document.toJS();
    return value === null ? [] : objectsIn(value, text.slice(range[0], range[2]));
  });
}

function objectsIn(value: unknown, text: string): Document[] {
  const head = Head.safeParse(value);
  if (!head.success) return [{ kind: "unreadable", message: "this is not a Kubernetes object" }];
  const { apiVersion, kind, metadata, items } = head.data;
  if (items !== undefined && kind.endsWith("List")) return items.flatMap((item) => objectsIn(item, stringify(item)));
  const companion = companionKinds.find((one) => one.kind === kind && one.group === groupOf(apiVersion));
  if (companion !== undefined) return [{ kind: "companion", plural: companion.plural, name: metadata.name, text }];
  if (kind === backupResource.kind && groupOf(apiVersion) === backupResource.group)
    return [{ kind: "backup", name: metadata.name, text }];
  if (kind !== databaseResource.kind || groupOf(apiVersion) !== groupOf(API_VERSION)) {
    return [{ kind: "other", title: `${kind || "object"} ${metadata.name}`.trim(), text }];
  }
  return [{ kind: "database", name: metadata.name, text }];
}

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? "";
