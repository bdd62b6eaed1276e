// What was measured, in results/: a line for each step of a scenario, and one for what backups cost. Later lines of the same kind count.
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { kills, scenarioNames, stepNames } from "../scenarios";

const folder = join(__dirname, "../results");
const files = { steps: join(folder, "steps.jsonl"), costs: join(folder, "costs.jsonl") } as const;

const common = {
  scenario: z.enum(scenarioNames),
  version: z.string(),
  /** Of rows that were written before, in gibibytes. */
  asked_gib: z.number(),
  date: z.string(),
  commit: z.string(),
  /** Average of the last minute, when the line was written: of what is measured, and of whatever else the machine did. The first lines have none. */
  load: z.number().optional(),
};

const StepResult = z.object({
  ...common,
  step: z.enum(stepNames),
  killed: z.enum(kills),
  /** What the backup restores. */
  bytes: z.number(),
  /** What it added where it lies; undefined: as much. */
  stored_bytes: z.number().optional(),
  /** Of a backup: what its object says. Of a restore, and of what is killed: from the first start of the Job's program to its last end. */
  program_s: z.number(),
  /** Of a restore: from `kubectl apply` until the Database is Ready. */
  ready_s: z.number().optional(),
  /** Of a restore: rows that were acknowledged and must be there, and how many of them are not. */
  acked: z.number().optional(),
  lost: z.number().optional(),
});
export type StepResult = z.infer<typeof StepResult>;

const CostResult = z.object({
  ...common,
  /** Of the backup without any load. */
  bytes: z.number(),
  /** Of the one that was restored. */
  restored_bytes: z.number(),
  backup_s: z.number(),
  /** The same by hand: all of it, and the copy alone. */
  bare_backup_s: z.number(),
  bare_copy_s: z.number(),
  restore_s: z.number(),
  bare_restore_s: z.number(),
  /** Transactions per second of clients that write without a pause. */
  tps_without: z.number(),
  tps_with: z.number(),
  /** Until what is written is in object storage, while rows are written as fast as can be. */
  archive: z
    .object({ every_s: z.number(), median_s: z.number(), max_s: z.number(), written_mb_s: z.number() })
    .optional(),
});
export type CostResult = z.infer<typeof CostResult>;

/** All that is on record. */
export interface Results {
  readonly steps: readonly StepResult[];
  readonly costs: readonly CostResult[];
}

function linesIn<T>(text: string, schema: z.ZodType<T>): T[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}

export const stepsIn = (text: string): StepResult[] => linesIn(text, StepResult);
export const costsIn = (text: string): CostResult[] => linesIn(text, CostResult);

/** Of lines with the same key the last one, in the order of the file's last lines. */
function latestBy<T>(lines: readonly T[], keyOf: (line: T) => string): readonly T[] {
  const latest = new Map<string, T>();
  for (const line of lines) {
    latest.delete(keyOf(line));
    latest.set(keyOf(line), line);
  }
  return [...latest.values()];
}

/** What counts of all that is on record. */
export const latestOf = ({ steps, costs }: Results): Results => ({
  steps: latestBy(steps, ({ scenario, step, killed }) => [scenario, step, killed].join("/")),
  costs: latestBy(costs, ({ scenario }) => scenario),
});

const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

export async function readResults(): Promise<Results> {
  return { steps: stepsIn(await textOf(files.steps)), costs: costsIn(await textOf(files.costs)) };
}

export const appendStep = (result: StepResult): Promise<void> =>
  appendFile(files.steps, `${JSON.stringify(StepResult.parse(result))}\n`);

export const appendCost = (result: CostResult): Promise<void> =>
  appendFile(files.costs, `${JSON.stringify(CostResult.parse(result))}\n`);
