// A question at a terminal. What is printed may be read by another program, so it is asked on standard error.
import { createInterface } from "node:readline/promises";

/** The answer; empty where the input ends, or is broken off, without one. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) =>
    terminal.once("close", () => {
      resolve("");
    }),
  );
  try {
    return await Promise.race([terminal.question(question).catch(() => ""), ended]);
  } finally {
    terminal.close();
  }
}
