// The operator runs until it is asked to stop, and exits with 0 then; one that has lost its lease ends at once.
import type { Invariant } from "./snapshot";

export const alive: Invariant = {
  name: "alive",
  promise: "the operator ends only when it is told to, and then with 0, or when another one leads",
  judge: ({ operator }) => operator?.ends,
};

/** How a process of the operator ended. */
export interface End {
  /** Which one it was, for people. */
  readonly who: string;
  /** Its exit code; none where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The signals that were sent to it by those who run it or test it. */
  readonly told: readonly NodeJS.Signals[];
  /** Of its log. */
  readonly lastLine: string;
}

/** What is wrong with that; undefined where it ended as it may. */
export function problemWith({ who, code, signal, told, lastLine }: End): string | undefined {
  if (signal !== null)
    return told.includes(signal)
      ? undefined
      : `${who} was ended by ${signal}, which was not sent by a test: ${lastLine}`;
  if (code === 0) return told.length > 0 ? undefined : `${who} ended with 0, though it was not told to: ${lastLine}`;
  return lastLine.includes('"msg":"leadership lost"') ? undefined : `${who} ended with ${code}: ${lastLine}`;
}
