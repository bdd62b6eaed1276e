// Executes a stack run and reports it: what was done, how it ended, and how long it took.
import type { Changes, StackResult } from "../domain/runner";
import type { Key } from "../domain/key";
import type { Ports, RunNote } from "../domain/ports";

export interface NotedRun {
  readonly key: Key;
  readonly operation: RunNote["operation"];
  /** What a success is said to have done. */
  readonly summary: (changes: Changes) => string;
}

/** The result of `act`, after it was noted. */
export async function noted(
  { key, operation, summary }: NotedRun,
  at: Pick<Ports, "now" | "onRun">,
  act: () => Promise<StackResult>,
): Promise<StackResult> {
  const began = at.now().getTime();
  const result = await act();
  const seconds = (at.now().getTime() - began) / 1000;
  const message = result.kind === "succeeded" ? summary(result.changes) : result.problem.message;
  at.onRun({ key, operation, result: result.kind, seconds, message });
  return result;
}
