// The last lines of a run: what failed, where its evidence is, and how many tests passed.
import pc from "picocolors";
import { durationText } from "../../tools/progress";
import { lastWordsIn } from "./evidence";
import type { Tally } from "./tally";

/** What there is to say beside the tally. */
export interface Conclusion {
  readonly ms: number;
  /** With CI set, a test that was skipped for want of something has failed. */
  readonly isStrict: boolean;
  /** Directories, by the file of tests that failed. */
  readonly evidence: ReadonlyMap<string, string>;
  /** Tests that were left for other commits, and of how many groups. */
  readonly leftOut: { readonly tests: number; readonly groups: number };
  /** Suites that did not run, as one before them failed. */
  readonly notRun: readonly string[];
}

/** How many count as failed. */
export const failedIn = ({ failed, skipped }: Tally, isStrict: boolean): number => failed + (isStrict ? skipped : 0);

/** The lines, the last of which is `N passed, N failed`. */
export function conclusionOf(tally: Tally, { ms, isStrict, evidence, leftOut, notRun }: Conclusion): string[] {
  const { passed, skipped, failures } = tally;
  const strictly = isStrict ? ", which counts as failed where CI is set" : "";
  return [
    ...[...evidence].flatMap(([file, place]) => [
      `${pc.yellow("evidence")} of ${file}: ${place}`,
      ...lastWordsIn(place).map((line) => `    ${line}`),
    ]),
    // last, as the end of a log is what is read, or kept, where not all of it is
    ...failures.map((name) => `${pc.red("✖")} ${name}`),
    ...(notRun.length > 0 ? [pc.yellow(`not run, as CI is set and what is quicker failed: ${notRun.join(", ")}`)] : []),
    ...(skipped > 0 ? [pc.yellow(`${skipped} skipped${strictly}`)] : []),
    ...(leftOut.groups > 0
      ? [pc.dim(`${counted(leftOut.tests, "test")} of ${counted(leftOut.groups, "group")} left for other commits`)]
      : []),
    pc.dim(`in ${durationText(ms)}`),
    `${passed} passed, ${failedIn(tally, isStrict)} failed`,
  ];
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
