// Finds tests that pass only on a quiet machine: `make stress FILES=<part of a path>`.
import { Command, InvalidArgumentError } from "commander";
import pc from "picocolors";
import { stopOnSignals } from "./runner/stop";
import { stress, type StressArgs } from "./runner/stress";

function countOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("It is a number from 1.");
  return Number(text);
}

stopOnSignals();
new Command("stress")
  .description("Runs files of tests again and again while one core is kept busy, and says how often they passed.")
  .requiredOption("--files <part>", "test files whose path contains this")
  .option("--only <pattern>", "only tests whose name matches this regular expression")
  .option("--times <number>", "how many runs", countOf, 10)
  .action((args: StressArgs) => stress(args))
  .parseAsync()
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  });
