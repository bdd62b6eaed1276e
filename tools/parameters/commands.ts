// The command `parameters`.
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { progressOn } from "../progress";
import { readTables } from "./read";

const directory = resolve(__dirname, "..", "..", "components", "engines", "postgresql");

/** Where the table of a major version is. */
export function tableFile(major: string): string {
  return join(directory, `parameters-${major}.json`);
}

/** `parameters [--check]`: the tables of PostgreSQL's parameters, out of the images. */
export function parametersCommand(): Command {
  return new Command("parameters")
    .description("Write the tables of PostgreSQL's parameters, one for each major version, from what the images say.")
    .option("--check", "write nothing, and fail where a table is not what its image says")
    .action(async ({ check }: { check?: true }) => {
      const progress = progressOn();
      const tables = await progress.step("parameters", (log) => readTables(log));
      for (const [major, table] of tables) {
        const file = tableFile(major);
        if ((await readFile(file, "utf8").catch(() => "")) === table) continue;
        if (check) throw new Error(`${file} is not what the image says: run \`make parameters\` and commit it`);
        await writeFile(file, table);
        progress.line(`wrote ${file}`);
      }
    });
}
