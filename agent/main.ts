// Starts one of an engine's programs: which one is said by the first argument. Each engine has a file of its own that is compiled with all of its
// programs, so that no image changes, and no start takes longer, for what another engine needs.
import { CodedFailure } from "./failure";
import { log, textOf } from "./log";

/** Programs by name. */
export type Programs = Readonly<Record<string, () => Promise<void>>>;

/** Runs the one that the first argument names, and ends the process with it. */
export function start(programs: Programs): void {
  run(programs).then(
    () => {
      process.exit();
    },
    (error: unknown) => {
      log("failed", { why: textOf(error) });
      process.exit(error instanceof CodedFailure ? error.exitCode : 1);
    },
  );
}

async function run(programs: Programs): Promise<void> {
  const [name = ""] = process.argv.slice(2);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) throw new Error(`there is no program "${name}": use ${Object.keys(programs).join(", ")}`);
  await program();
}
