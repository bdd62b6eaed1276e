// How the tests of the cases ended when they last ran: committed, and shown in docs/reliability.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const file = join(__dirname, "results.json");

const When = z.object({
  commit: z.string(),
  /** The day, UTC. */
  date: z.string(),
  /** Tests within the test. */
  subcases: z.int(),
});

const Result = When.extend({
  result: z.enum(["passed", "failed", "skipped"]),
  /** Whether all of the case ran, or what `make test` takes of a long one. */
  extent: z.enum(["full", "slice"]),
  /** The shards of the whole that passed, by `2/8`; together they are as good as a whole run. */
  shards: z.record(z.string(), When).optional(),
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
 * Results with newer ones put over them. A slice that passed, and a shard that did, say less than a whole run that passed, which stays
 * with its commit and date; a failure says more than both. Once all shards have passed, the case has, in full.
 */
export function mergeResults(before: Results, newer: Results): Results {
  const merged = [...newer].map(([id, result]) => [id, mergeResult(before.get(id), result)] as const);
  return new Map([...before, ...merged]);
}

function mergeResult(before: Result | undefined, newer: Result): Result {
  const [shard] = Object.entries(newer.shards ?? {});
  if (shard !== undefined) return mergeShard(before, newer, shard);
  if (newer.result !== "passed" || newer.extent === "full") return newer;
  return before !== undefined && isWhole(before) ? before : withShards(newer, before?.shards);
}

const isWhole = ({ result, extent }: Result): boolean => result === "passed" && extent === "full";

/** `newer` is about one shard, which is named in it. */
function mergeShard(
  before: Result | undefined,
  newer: Result,
  [name, when]: readonly [string, z.infer<typeof When>],
): Result {
  const of = Number(name.split("/")[1]);
  const others = Object.entries(before?.shards ?? {}).filter(([other]) => other !== name && other.endsWith(`/${of}`));
  const known = Object.fromEntries(others);
  if (newer.result !== "passed") return withShards(newer, known);
  const shards = { ...known, [name]: when };
  const subcases = Object.values(shards).reduce((sum, one) => sum + one.subcases, 0);
  if (Object.keys(shards).length === of) return { ...newer, subcases, extent: "full", shards };
  // shards passed later say nothing about another one that failed before
  const isKept = before !== undefined && (isWhole(before) || before.result === "failed");
  return withShards(isKept ? before : { ...newer, subcases }, shards);
}

function withShards(result: Result, shards: Result["shards"] = {}): Result {
  const others = Object.entries(result).filter(([field]) => field !== "shards");
  return Result.parse({ ...Object.fromEntries(others), ...(Object.keys(shards).length > 0 && { shards }) });
}
