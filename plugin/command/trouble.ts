// What went wrong, in words for the person at the terminal, with what to do next.
import { plainText } from "../text/plain-json";

/** Ends the command with exit code 2. `hints` are lines that say what to do. */
export class Trouble extends Error {
  override readonly name = "Trouble";

  constructor(
    message: string,
    readonly hints: readonly string[] = [],
  ) {
    super(message);
  }
}

/** As it is printed on standard error. */
export const troubleText = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const hints = error instanceof Trouble ? error.hints : [];
  return plainText([`error: ${message}`, ...hints.map((hint) => `  ${hint}`), ""].join("\n"));
};
