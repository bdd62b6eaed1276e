// docs/availability.md, from the results on record.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { pageOf } from "./page";
import { latestOf, readResults } from "./results";

const page = join(__dirname, "../../../docs/availability.md");

async function content(): Promise<string> {
  const text = pageOf(latestOf(await readResults()));
  return format(text, { ...(await resolveConfig(page)), filepath: page });
}

export async function writePage(): Promise<void> {
  await writeFile(page, await content());
}

/** Whether the page is what the results on record say. */
export async function isCurrent(): Promise<boolean> {
  return (await readFile(page, "utf8").catch(() => "")) === (await content());
}
