// A page that a program writes, and that is committed: it is current, or `make generate` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";

export interface GeneratedPage {
  /** From the project's root. */
  readonly path: string;
  /** What it is made from, as a person is told who has to write it again. */
  readonly source: string;
  /** As Markdown, in any form. */
  readonly text: () => string | Promise<string>;
}

const fileOf = ({ path }: GeneratedPage): string => join(__dirname, "../..", path);

/** Undefined where it is what its source says. */
async function due(page: GeneratedPage): Promise<string | undefined> {
  const file = fileOf(page);
  const text = await format(await page.text(), { ...(await resolveConfig(file)), filepath: file });
  return current(file) === text ? undefined : text;
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Writes it where it is not current. */
export async function writePage(page: GeneratedPage): Promise<void> {
  const text = await due(page);
  if (text === undefined) return;
  writeFileSync(fileOf(page), text);
  console.log(`wrote ${page.path}`);
}

/** The same, or with --check says whether it is current, and ends the process with 1 where it is not. */
export async function generate(page: GeneratedPage, args: readonly string[]): Promise<void> {
  if (!args.includes("--check")) return writePage(page);
  if ((await due(page)) === undefined) return;
  console.error(`${page.path} does not match ${page.source}: run \`make generate\` and commit it`);
  process.exitCode = 1;
}
