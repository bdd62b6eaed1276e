// Paths of fields, as Pulumi and people write them.

/** `a.b[0]["c.d"]` → a, b, 0, c.d. */
export function partsOf(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, plain]) => quoted?.replace(/\\(.)/g, "$1") ?? index ?? plain ?? "",
  );
}
