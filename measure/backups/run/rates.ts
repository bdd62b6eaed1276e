// What is read out of what clients and looks at the archive noted. Pure; times are milliseconds of one clock.
import type { Attempt, Window } from "../../availability/load/account";

/** Acknowledgements per second in a window. Throws where it has no length. */
export function acknowledgedPerSecond(attempts: readonly Attempt[], { from, to }: Window): number {
  if (to <= from) throw new Error("the window has no length");
  const inside = attempts.filter(
    ({ outcome, endedAt }) => outcome === "acknowledged" && endedAt > from && endedAt <= to,
  );
  return inside.length / ((to - from) / 1000);
}

/** What was acknowledged after a moment need not be there: it may be or not. */
export const dueBefore = (attempts: readonly Attempt[], moment: number): readonly Attempt[] =>
  attempts.map((attempt) =>
    attempt.outcome === "acknowledged" && attempt.endedAt > moment ? { ...attempt, outcome: "unknown" } : attempt,
  );

/** One look at the archive: segments of WAL by their names. */
export interface ArchiveLook {
  readonly at: number;
  /** The one that is written to. */
  readonly writing: string;
  /** The last one that has arrived; empty where none has. */
  readonly arrived: string;
}

/** For each look how long it took until what was written then had arrived; what had not at the end counts for nothing. */
export function lagsOf(looks: readonly ArchiveLook[]): readonly number[] {
  const lags: number[] = [];
  let later = 0;
  for (const look of looks) {
    while (later < looks.length && (looks[later]?.arrived ?? "") < look.writing) later += 1;
    const found = looks[later];
    if (found === undefined) break;
    lags.push(Math.max(0, found.at - look.at));
  }
  return lags;
}
