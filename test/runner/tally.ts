// How a suite ended, in numbers.

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, by name, and below it why. */
  readonly failures: readonly string[];
}

/** Several tallies as one. */
export const sumOf = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
  skipped: tallies.reduce((sum, { skipped }) => sum + skipped, 0),
  failures: tallies.flatMap(({ failures }) => failures),
});

/** Something that tests need could not be provided, or went wrong beside them: one failure. */
export const failureOf = (failure: string): Tally => ({ passed: 0, failed: 1, skipped: 0, failures: [failure] });

/** With a failure where the pattern for names of tests, if there was one, matched none: a misspelt one does not look like success. */
export const withMatches = (tally: Tally, only: string | undefined): Tally =>
  only === undefined || tally.passed + tally.failed + tally.skipped > 0
    ? tally
    : failureOf(`no test's name matches ${only}`);

/** The lines of an error that a summary repeats. */
const shownLines = 8;

/** The start of an error's message, to stand below the name of its test. */
export function reasonOf(cause: unknown): string {
  const lines = (cause instanceof Error ? cause.message : String(cause))
    .split("\n")
    .filter((line) => line.trim() !== "");
  const shown = lines.slice(0, shownLines).map((line) => `    ${line}`);
  return [...shown, ...(lines.length > shownLines ? ["    …"] : [])].join("\n");
}
