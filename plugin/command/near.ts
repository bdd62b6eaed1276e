// Which of the known names a mistyped one was meant to be.

/** Of `known`, those at most a third of its letters away from `given`, or that begin with it; the nearest first, at most three. */
export function nearTo(given: string, known: readonly string[]): string[] {
  const farthest = Math.max(1, Math.floor(given.length / 3));
  return known
    .map((name) => ({ name, distance: given !== "" && name.startsWith(given) ? 0 : distance(given, name) }))
    .filter((one) => one.distance <= farthest)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** How many letters must be put in, left out or replaced. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of Array.from(from).entries()) {
    const next = [line + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
