// The commands `build` and `bin`.
import { Command } from "commander";
import { interruptible } from "../interrupt";
import { progressOn } from "../progress";
import { buildTools, toolsOnPath } from "./build";
import { toolNames } from "./tools";

/** `build [tool…]`: builds into the cache. */
export function buildCommand(): Command {
  return new Command("build")
    .description("Build the pinned programs that the cache lacks.")
    .argument("[tool...]", `what to build, of: ${toolNames().join(", ")}; default: all`)
    .action(async (names: string[]) => {
      const directories = await interruptible((signal) => buildTools(names, { progress: progressOn(), signal }));
      for (const directory of directories) console.log(directory);
    });
}

/** `bin`: prints a directory with links to all tools. */
export function binCommand(): Command {
  return new Command("bin")
    .description("Print a directory that holds all programs, to be put on PATH; what is missing is built first.")
    .addHelpText("after", '\nExample: export PATH="$(tsx tools/main.ts bin):$PATH"')
    .action(async () => {
      console.log(await interruptible((signal) => toolsOnPath({ progress: progressOn(), signal })));
    });
}
