// Files of results: the latest run, a line for each figure, and every run, a line each.
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { commitText } from "../../commit";
import { SizeName, sizes } from "../size";
import type { Run } from "../run";

const directory = join(__dirname, "../results");
const latest = join(directory, "latest.jsonl");
const history = join(directory, "history.jsonl");

const Value = z.number().nullable();
const Figure = z.object({
  name: z.string(),
  unit: z.string(),
  ours: Value,
  stock: Value,
  floor: Value,
  size: z.number().optional(),
});

/** A run: figures, and what one must know to compare them with others. */
const Entry = z.object({
  date: z.string(),
  /** Short hash; `+` where the work tree held more than the commit. */
  commit: z.string(),
  size: SizeName,
  databases: z.number(),
  cores: z.number(),
  processor: z.string(),
  memoryGb: z.number(),
  node: z.string(),
  accounting: z.string(),
  problems: z.array(z.string()),
  figures: z.array(Figure),
});
export type Entry = z.infer<typeof Entry>;

export async function entryOf(run: Run, size: SizeName): Promise<Entry> {
  return {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    commit: await commitText(),
    size,
    databases: sizes[size].crowd,
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    accounting: run.accounting,
    problems: [...run.problems],
    figures: [...run.figures],
  };
}

/** One object a line. */
export const linesOf = (objects: readonly unknown[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join("");

/** The entries of a text with one a line. Throws for a line that is none. */
export const entriesIn = (text: string): Entry[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => Entry.parse(JSON.parse(line)));

export async function writeLatest({ figures }: Entry): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(latest, linesOf(figures));
}

export async function appendHistory(entry: Entry): Promise<void> {
  await mkdir(directory, { recursive: true });
  await appendFile(history, linesOf([entry]));
}

export async function readHistory(): Promise<readonly Entry[]> {
  return entriesIn(await readFile(history, "utf8").catch(() => ""));
}

/** The run that the page is about: the last full one, or where there is none the last. */
export const shownOf = (entries: readonly Entry[]): Entry | undefined =>
  entries.findLast(({ size }) => size === "full") ?? entries.at(-1);
