// How the API server judges a Database that is not written: by its defaults, its rules, and everything that admits or refuses.
import { isRecord } from "../objects/json";
import { ApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";
import type { Place } from "../domain/key";

export type ApiJudgement =
  { readonly kind: "object"; readonly object: unknown } | { readonly kind: "refused"; readonly message: string };

/** `database` has the spec that there would be, whole: what the present one has beyond it goes. */
export async function judgeByApi(
  database: Readonly<Record<string, unknown>>,
  { namespace, name }: Place,
  client: Pick<KubeClient, "find" | "wouldCreate" | "wouldMergePatch">,
): Promise<ApiJudgement> {
  const path = item(resources.databases, namespace, name);
  const present = await client.find(path);
  try {
    if (present === undefined) {
      const made = { ...database, metadata: metadataFor(database["metadata"]) };
      return { kind: "object", object: await client.wouldCreate(collection(resources.databases, namespace), made) };
    }
    const before = isRecord(present) ? present["spec"] : undefined;
    const patch = { spec: mergePatchOf(before, database["spec"]) };
    return { kind: "object", object: await client.wouldMergePatch(path, patch) };
  } catch (error) {
    if (error instanceof ApiError && refusals.has(error.status)) return { kind: "refused", message: error.message };
    throw error;
  }
}

/** What an object is refused with; everything else says that it cannot be judged now. */
const refusals: ReadonlySet<number> = new Set([400, 403, 409, 422]);

/** What an author writes: all else the API server gives. */
function metadataFor(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  const { name, namespace, labels, annotations } = metadata;
  return { name, namespace, labels, annotations };
}

/** What makes `after` of `before`: fields that are left out are removed. Lists are replaced whole. */
export function mergePatchOf(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after ?? null;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries([...names].map((name) => [name, mergePatchOf(before[name], after[name])]));
}
