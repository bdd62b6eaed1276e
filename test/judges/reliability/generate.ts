// Writes docs/reliability.md from the cases and their results; with --check it only says whether the committed one is current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { reliabilityPage } from "./page";
import { allCases } from "./proofs";
import { readResults } from "./results";

const path = "docs/reliability.md";
const file = join(__dirname, "../../..", path);

async function content(): Promise<string> {
  const cases = [...(await allCases()).values()].flatMap((ofFile) => [...ofFile.values()]);
  return format(reliabilityPage(cases, readResults()), { ...(await resolveConfig(file)), filepath: file });
}

/** Writes the page where it is not current. */
export async function generatePage(): Promise<void> {
  const text = await content();
  if (current() === text) return;
  writeFileSync(file, text);
  console.log(`wrote ${path}`);
}

function current(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

async function main(args: readonly string[]): Promise<void> {
  if (!args.includes("--check")) return generatePage();
  if (current() === (await content())) return;
  console.error(`${path} does not match test/judges/reliability: run \`make generate\` and commit it`);
  process.exitCode = 1;
}

if (require.main === module) void main(process.argv.slice(2));
