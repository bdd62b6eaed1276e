// Which rights each file of tests used when it last ran: committed, so that a run that leaves some tests for other commits can judge, too.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Recorded } from "./record";
import type { Right } from "./right";

const root = join(__dirname, "../../..");
const file = join(__dirname, "usage.json");

/** By file of tests, below the root. */
export type KnownUsage = Readonly<Record<string, readonly Right[]>>;

/** Empty where nothing was written yet. */
export function readKnownUsage(): KnownUsage {
  if (!existsSync(file)) return {};
  return z.record(z.string(), z.array(z.string())).parse(JSON.parse(readFileSync(file, "utf8")));
}

export function writeKnownUsage(usage: KnownUsage): void {
  writeFileSync(file, `${JSON.stringify(usage, undefined, 2)}\n`);
}

/** What is known after a whole run, sorted: a file that left tests out keeps what they used; one that is gone used nothing. */
export function usageAfter(
  before: KnownUsage,
  recorded: readonly Recorded[],
  leftOutIn: ReadonlySet<string>,
  exists: (path: string) => boolean = (path) => existsSync(join(root, path)),
): KnownUsage {
  const files = new Set([...recorded.map((one) => one.file), ...leftOutIn].filter(exists));
  const entries = [...files].sort().map((path): [string, Right[]] => {
    const seen = recorded.filter((one) => one.file === path).flatMap(({ used }) => used);
    const kept = leftOutIn.has(path) ? (before[path] ?? []) : [];
    return [path, [...new Set([...seen, ...kept])].sort()];
  });
  return Object.fromEntries(entries);
}

/** What was seen, with what is known of files that left tests out: all that can be said of the whole suite. */
export function withKnown(
  recorded: readonly Recorded[],
  known: KnownUsage,
  leftOutIn: ReadonlySet<string>,
): readonly Recorded[] {
  const missing = [...leftOutIn].map((path) => ({ file: path, used: [...(known[path] ?? [])], refused: [] }));
  return [...recorded, ...missing];
}
