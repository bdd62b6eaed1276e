// The key of a Database, `namespace/name`, and its parts.

/** `namespace/name` of a Database. */
export type Key = string;

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
