// Compares what the operator holds with what it used over the whole suite.
import { exceptions } from "./reasons";
import type { Recorded } from "./record";
import { granted, handedOn } from "./granted";
import type { Right } from "./right";

/** What is wrong, one line each. */
export interface Comparison {
  /** Held, and neither used nor handed on nor explained. */
  readonly unexplained: readonly Right[];
  /** Asked for and refused, with the file of tests. */
  readonly refused: readonly string[];
}

export function compare(recorded: readonly Recorded[], held: ReadonlySet<Right> = granted): Comparison {
  const used = new Set(recorded.flatMap((one) => one.used));
  const isExplained = (right: Right): boolean =>
    used.has(right) || handedOn.has(right) || Object.hasOwn(exceptions, right);
  return {
    unexplained: [...held].filter((right) => !isExplained(right)).sort(),
    refused: [...new Set(recorded.flatMap(({ file, refused }) => refused.map((right) => `${right} (${file})`)))].sort(),
  };
}

/** The verdict in words: `problems` is empty where nothing is wrong. A part of the suite cannot show what is never used. */
export function verdictOf(recorded: readonly Recorded[], isWhole: boolean): { problems: string[]; notes: string[] } {
  const { unexplained, refused } = compare(recorded);
  const problems = refused.map((right) => `the operator was refused a right that it asked for: ${right}`);
  const unused = unexplained.map(
    (right) =>
      `a right that no test uses: ${right}: take it out of infra/permissions.ts or explain it in test/judges/rights/reasons.ts`,
  );
  if (isWhole) return { problems: [...problems, ...unused], notes: [] };
  const note = `${recorded.length} clusters ran, which is not the whole suite: what the operator holds and does not use cannot be judged`;
  return { problems, notes: recorded.length === 0 ? [] : [note] };
}
