// The command `compile`.
import { Command } from "commander";
import { compiled } from "./compile";

/** `compile`: brings dist/ up to date. */
export function compileCommand(): Command {
  return new Command("compile")
    .description("Compile the operator, preview and state into dist/, where the sources have changed.")
    .action(async () => {
      for (const file of Object.values(await compiled())) console.log(file);
    });
}
