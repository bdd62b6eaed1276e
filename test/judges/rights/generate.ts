// Writes docs/rights.md from the rules and their reasons; with --check it only says whether the committed one is current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { rightsPage } from "./page";

const path = "docs/rights.md";
const file = join(__dirname, "../../..", path);

function current(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

async function main(args: readonly string[]): Promise<void> {
  const text = await format(rightsPage(), { ...(await resolveConfig(file)), filepath: file });
  if (current() === text) return;
  if (!args.includes("--check")) {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
    return;
  }
  console.error(
    `${path} does not match the rules and test/judges/rights/reasons.ts: run \`make generate\` and commit it`,
  );
  process.exitCode = 1;
}

void main(process.argv.slice(2));
