// What a companion has written into its Database: whether it is still so, found without asking the API server.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { isRecord } from "../objects/json";
import { ownFieldsOf } from "../objects/managed-fields";

/** An owner reference, as far as it is read. */
const Owner = z.object({
  apiVersion: z.string().default(""),
  kind: z.string().default(""),
  name: z.string().default(""),
  uid: z.string(),
  controller: z.boolean().default(false),
});
export type Owner = z.infer<typeof Owner>;

const Owned = z.object({ metadata: z.object({ ownerReferences: z.array(Owner).default([]) }) });

/** Who owns the object. */
export function ownersOf(object: unknown): readonly Owner[] {
  return Owned.safeParse(object).data?.metadata.ownerReferences ?? [];
}

/** Without what is undefined, and without objects in which nothing is left: server-side apply would claim them. */
export function withoutGaps(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).map(([key, nested]) => [key, withoutGaps(nested)] as const);
  return Object.fromEntries(
    kept.filter(([, nested]) => nested !== undefined && !(isRecord(nested) && Object.keys(nested).length === 0)),
  );
}

/**
 * Whether `database` has the wanted spec and owner, both by the hand of `manager`, and no field more by it: what a companion
 * no longer speaks of must go.
 */
export function isAsWritten(
  database: unknown,
  { spec, owner }: { readonly spec: unknown; readonly owner: Owner },
  manager: string,
): boolean {
  const leaves = leavesOf(spec, "spec");
  const wanted = new Set([...leaves.keys(), `metadata.ownerReferences[uid=${owner.uid}]`]);
  if (!isDeepStrictEqual(ownFieldsOf(database, manager).paths, wanted)) return false;
  const isOwner = ownersOf(database).some(({ uid, controller }) => uid === owner.uid && controller);
  const present = isRecord(database) ? leavesOf(database["spec"], "spec") : new Map<string, unknown>();
  return isOwner && [...leaves].every(([path, value]) => present.get(path) === value);
}

/** The values in `value` by their paths, such as `spec.storage`. */
function leavesOf(value: unknown, path: string): ReadonlyMap<string, unknown> {
  if (!isRecord(value)) return new Map([[path, value]]);
  return new Map(Object.entries(value).flatMap(([key, nested]) => [...leavesOf(nested, `${path}.${key}`)]));
}
