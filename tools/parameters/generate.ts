// Writes docs/parameters.md; with --check it only says whether the committed one is current.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parametersPage } from "./page";

const path = "docs/parameters.md";
const file = join(__dirname, "../..", path);

function main(args: readonly string[]): void {
  // not formatted: tables of this length would be blanks by more than half
  const text = parametersPage();
  const current = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (current === text) return;
  if (args.includes("--check")) {
    process.stderr.write(`${path} does not match the classes and tables: run \`make generate\` and commit it\n`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(file, text);
  process.stdout.write(`wrote ${path}\n`);
}

main(process.argv.slice(2));
