// Questions of the Automation API that the operator can answer without a process.

/** What a command printed, in the shape that the Automation API reads. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** It asks for the current stack before every run, and for outputs and history after it. Undefined for anything else. */
export function answerFor(args: readonly string[]): Promise<CommandOutput> | undefined {
  if (args[0] !== "stack") return undefined;
  const answers: Record<string, string> = { select: "", output: "{}", history: "[]" };
  const stdout = answers[args[1] ?? ""];
  return stdout === undefined ? undefined : Promise.resolve({ stdout, stderr: "", code: 0 });
}
