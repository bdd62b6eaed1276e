// What a person says to a question of yes or no.
import type { World } from "./world";

/** Whether it was yes; undefined where there is none to ask. An end of the input is no. */
export async function agreementTo(
  question: string,
  { isInteractive, ask }: Pick<World, "isInteractive" | "ask">,
): Promise<boolean | undefined> {
  if (!isInteractive) return undefined;
  const answer = await ask(`${question} [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}
