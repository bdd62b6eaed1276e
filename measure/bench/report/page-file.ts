// docs/performance.md and its chart, from the runs on record.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { chartOf, panelsOf } from "./chart";
import { pageOf } from "./page";
import { readHistory, shownOf } from "./results";

const page = join(__dirname, "../../../docs/performance.md");
const chart = join(__dirname, "../../../docs/performance.svg");

/** Files by path, as they should be; empty where no run is on record. */
async function files(): Promise<ReadonlyMap<string, string>> {
  const entry = shownOf(await readHistory());
  if (entry === undefined) return new Map();
  const text = await format(pageOf(entry, "performance.svg"), { ...(await resolveConfig(page)), filepath: page });
  return new Map([
    [page, text],
    [chart, chartOf(panelsOf(entry.figures))],
  ]);
}

/** Throws where no run is on record. */
export async function writePage(): Promise<void> {
  const written = await files();
  if (written.size === 0) throw new Error("no run is on record: run `make bench` first");
  for (const [path, text] of written) await writeFile(path, text);
}

/** Files that are not what the runs on record say. */
export async function outdatedFiles(): Promise<readonly string[]> {
  const outdated: string[] = [];
  for (const [path, text] of await files()) {
    const found = await readFile(path, "utf8").catch(() => "");
    if (found !== text) outdated.push(path);
  }
  return outdated;
}
