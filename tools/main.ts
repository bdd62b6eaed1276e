// The command line of the tools: builds the pinned programs and runs clusters for development and tests.
import "./host/node-version";
import { Command } from "commander";
import pc from "picocolors";
import { binCommand, buildCommand } from "./build/commands";
import { clusterCommand } from "./cluster/commands";
import { compileCommand } from "./compile/commands";
import { demoCommand } from "./demo/commands";
import { imageCommand, imagesCommand } from "./images/commands";
import { parametersCommand } from "./parameters/commands";
import { bundleCommand } from "./platform/commands";
import { pluginCommand } from "./plugin/commands";
import { Interrupted } from "./interrupt";

async function main(): Promise<void> {
  const program = new Command("tools")
    .description(
      "Builds the pinned programs and images, compiles the operator, runs Kubernetes clusters for development and tests, shows the product.",
    )
    .showHelpAfterError()
    .addCommand(buildCommand())
    .addCommand(binCommand())
    .addCommand(compileCommand())
    .addCommand(clusterCommand())
    .addCommand(imagesCommand())
    .addCommand(imageCommand())
    .addCommand(parametersCommand())
    .addCommand(bundleCommand())
    .addCommand(pluginCommand())
    .addCommand(demoCommand());
  await program.parseAsync();
}

main().catch((error: unknown) => {
  console.error(pc.red(error instanceof Error ? error.message : String(error)));
  process.exitCode = error instanceof Interrupted ? 130 : 1;
});
