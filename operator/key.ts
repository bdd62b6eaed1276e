// The key of a Database, `namespace/name`, and its parts.
import type { Key } from "./ports";

/** Namespace and name. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** The parts of a key. */
export function placeOf(key: Key): Place {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}
