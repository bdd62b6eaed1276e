// Rows of each table on both sides: an import is whole where they agree. Pure.

/** How many rows each table has, by its name. */
export type Counts = ReadonlyMap<string, number>;

/** How many tables are named where they differ: the message of a pod is short. */
const mostNamed = 5;

/** What differs, as a sentence; undefined where nothing does. */
export function differenceOf(source: Counts, target: Counts): string | undefined {
  const names = [...new Set([...source.keys(), ...target.keys()])];
  const differing = names.filter((name) => source.get(name) !== target.get(name));
  if (differing.length === 0) return undefined;
  const told = differing.slice(0, mostNamed).map((name) => `${name} ${textOf(source.get(name), target.get(name))}`);
  const more = differing.length > mostNamed ? `; and ${differing.length - mostNamed} more` : "";
  return `not all has arrived: ${told.join("; ")}${more}`;
}

function textOf(there: number | undefined, here: number | undefined): string {
  if (here === undefined) return `is missing here, and has ${there ?? 0} rows at the source`;
  return there === undefined ? "is not at the source" : `has ${here} rows here, and ${there} at the source`;
}

/** All of them together. */
export const sumOf = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
