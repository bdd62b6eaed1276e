// Which of several words was probably meant.

/** The one that differs least from `word`; undefined where none is near. */
export function nearestTo(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((name) => ({ name, distance: distanceBetween(word, name) }))
    // of a short name nearly everything is near
    .filter(({ distance }) => distance <= Math.min(3, Math.floor(word.length / 3)))
    .sort((left, right) => left.distance - right.distance);
  return best?.name;
}

/** How many characters must be added, removed or replaced to turn one word into the other. */
function distanceBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(left).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(right).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
