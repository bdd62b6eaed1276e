// Writes docs/metrics.md; with --check it only says whether the committed one is current.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { metricsPage } from "./page";

const path = "docs/metrics.md";
const file = join(__dirname, "../..", path);

async function main(args: readonly string[]): Promise<void> {
  const text = await format(metricsPage(), { ...(await resolveConfig(file)), filepath: file });
  const current = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (current === text) return;
  if (args.includes("--check")) {
    process.stderr.write(`${path} does not match the definitions: run \`make generate\` and commit it\n`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(file, text);
  process.stdout.write(`wrote ${path}\n`);
}

void main(process.argv.slice(2));
