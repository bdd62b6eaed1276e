// The command `plugin`.
import { Command } from "commander";
import { buildPlugin, buildRelease } from "./build";

interface PluginOptions {
  readonly release?: string;
}

/** `plugin`: brings dist/plugin up to date, and prints what it wrote. */
export function pluginCommand(): Command {
  return new Command("plugin")
    .description("Build the kubectl plugin into dist/plugin.")
    .option(
      "--release <url>",
      "also a single executable for this machine, and a krew manifest with archives below <url>",
    )
    .action(async ({ release }: PluginOptions) => {
      const { program, completion } = await buildPlugin();
      const files = release === undefined ? [] : await buildRelease(release.replace(/\/$/, ""));
      for (const file of [program, completion, ...files]) console.log(file);
    });
}
