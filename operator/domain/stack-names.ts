// Names on Pulumi's side.
import { createHash } from "node:crypto";
import { placeOf } from "./key";

/** The Pulumi project of every Database's stack. */
export const project = "databases";

/** Longest name that Pulumi accepts for a stack. */
const longestStackName = 100;

/**
 * The stack of a Database: `<namespace>.<name>`, which cannot collide since a namespace has no dot;
 * over 100 characters the end is replaced by a hash of the whole.
 */
export function stackNameOf(namespace: string, name: string): string {
  const full = `${namespace}.${name}`;
  if (full.length <= longestStackName) return full;
  const hash = createHash("sha256").update(full).digest("hex").slice(0, 16);
  // Secrets are named after stacks, and no part of a Secret's name may end in a dash
  return `${full.slice(0, longestStackName - hash.length - 1).replace(/[-.]+$/, "")}.${hash}`;
}

/** The stack of the Database with this key, `namespace/name`. */
export function stackOf(key: string): string {
  const { namespace, name } = placeOf(key);
  return stackNameOf(namespace, name);
}
