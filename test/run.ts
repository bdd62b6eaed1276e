// Runs suites of tests one after the other, and ends with one line that sums them up: `N passed, N failed`.
import { Command, InvalidArgumentError } from "commander";
import pc from "picocolors";
import { stopOnSignals } from "./runner/stop";
import { testRun, type Choice } from "./runner/test-run";
import { suiteNames, type SuiteName } from "./suites";

function suiteName(text: string, before: SuiteName[] = []): SuiteName[] {
  const name = suiteNames.find((one) => one === text);
  if (name === undefined) throw new InvalidArgumentError(`Suites are: ${suiteNames.join(", ")}.`);
  return [...before, name];
}

stopOnSignals();
new Command("run")
  .description("Runs suites of tests and sums them up in the last line: N passed, N failed.")
  .argument("[suite...]", `of: ${suiteNames.join(", ")}; default: all`, suiteName)
  .option("--only <pattern>", "only tests whose name matches this regular expression")
  .option("--files <part>", "only test files whose path contains this")
  .option("--record", "write how the cases of docs/reliability.md ended, durations and rotation to test/, and the page")
  .action((suites: SuiteName[], choice: Choice) => testRun(suites, choice))
  .parseAsync()
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  });
