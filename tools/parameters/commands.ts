// The command `parameters`.
import { readFile, writeFile } from "node:fs/promises";
import { Command } from "commander";
import { progressOn } from "../progress";
import { askedImages, readTables, tableFile } from "./read";

/** `parameters [--check]`: the tables of PostgreSQL's parameters, out of the images. */
export function parametersCommand(): Command {
  return new Command("parameters")
    .description("Write the tables of PostgreSQL's parameters, one for each major version, from what the images say.")
    .option("--check", "write nothing, and fail where a table does not match its image")
    .action(async ({ check }: { check?: true }) => {
      const progress = progressOn();
      const tables = await progress.step("parameters", (log) => readTables(askedImages, log));
      for (const [major, table] of tables) {
        const file = tableFile(major);
        if ((await readFile(file, "utf8").catch(() => "")) === table) continue;
        if (check) throw new Error(`${file} does not match the image: run \`make parameters\` and commit it`);
        await writeFile(file, table);
        progress.line(`wrote ${file}`);
      }
    });
}
