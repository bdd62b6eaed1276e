// A question to the person at the terminal.
import { createInterface } from "node:readline/promises";

/** Yes is what begins with y; an end of the input is no. Undefined where no one can be asked. */
export async function confirm(question: string): Promise<boolean | undefined> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) return undefined;
  const terminal = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => {
    terminal.once("close", () => {
      resolve("");
    });
  });
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), ended]);
  terminal.close();
  return /^y/i.test(answer.trim());
}
