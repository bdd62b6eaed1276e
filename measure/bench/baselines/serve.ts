// The inside of a baseline's process: executes commands as they come, side by side.
import { Question, type Command } from "./protocol";

/** What a baseline can do; a command's result is the children that it reports. */
export type Baseline = (command: Command) => Promise<readonly string[] | undefined>;

/** Answers commands until the benchmark hangs up. */
export function serve(baseline: Baseline): void {
  process.on("message", (message) => {
    const { id, command } = Question.parse(message);
    const began = performance.now();
    const answer = (more: object): void => {
      process.send?.({ id, seconds: (performance.now() - began) / 1000, ...more });
    };
    baseline(command).then(
      (children) => {
        answer({ children: children ?? [] });
      },
      (error: unknown) => {
        answer({ error: error instanceof Error ? error.message : String(error) });
      },
    );
  });
  process.once("disconnect", () => {
    process.exit(0);
  });
  process.send?.({ ready: true });
}
