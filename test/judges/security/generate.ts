// Writes SECURITY.md from who can do what; with --check it only says whether the committed one is current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { securityPage } from "./page";

const path = "SECURITY.md";
const file = join(__dirname, "../../..", path);

function current(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

async function main(args: readonly string[]): Promise<void> {
  const text = await format(securityPage(), { ...(await resolveConfig(file)), filepath: file });
  if (current() === text) return;
  if (!args.includes("--check")) {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
    return;
  }
  console.error(`${path} does not match test/judges/security: run \`make generate\` and commit it`);
  process.exitCode = 1;
}

void main(process.argv.slice(2));
