// How the tests of the cases ended when they were last run in full: committed, and shown in docs/reliability.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const file = join(__dirname, "results.json");

const Result = z.object({
  result: z.enum(["passed", "failed", "skipped"]),
  /** Tests within the test. */
  subcases: z.int(),
});
export type Result = z.infer<typeof Result>;
/** By the id of the case. */
export type Results = ReadonlyMap<string, Result>;

export const readResults = (): Results =>
  new Map(Object.entries(z.record(z.string(), Result).parse(JSON.parse(readFileSync(file, "utf8")))));

/** Writes results, sorted, without those of cases that are no more. */
export function writeResults(results: Results, known: ReadonlySet<string>): void {
  const kept = [...results].filter(([id]) => known.has(id)).sort(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}

/**
 * Results with newer ones put over them. A slice that passed says less than a whole run that passed: the one with more
 * sub-cases stays, unless `isWhole`.
 */
export function mergeResults(before: Results, newer: Results, isWhole: boolean): Results {
  const isLess = (id: string, { result, subcases }: Result): boolean => {
    const known = before.get(id);
    return !isWhole && result === "passed" && known?.result === "passed" && subcases < known.subcases;
  };
  return new Map([...before, ...[...newer].filter(([id, result]) => !isLess(id, result))]);
}
