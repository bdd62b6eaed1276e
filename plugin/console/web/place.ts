// The Database that a path names.
import type { Place } from "../data/read";

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** What a namespace, or the name of a Database, looks like. */
export const isName = (text: string): boolean => text.length <= 63 && label.test(text);

/** Undefined where it can be none. */
export function placeIn(namespace: string, name: string): Place | undefined {
  return isName(namespace) && isName(name) ? { namespace, name } : undefined;
}
