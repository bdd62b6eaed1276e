// `make bench`: measures the operator against the stock Automation API and against plain requests, and reports.
import { resolve } from "node:path";
import { Command, Option } from "commander";
import pc from "picocolors";
import { durationText, progressOn } from "../../tools/progress";
import { writePage } from "./report/page-file";
import { entryOf, appendHistory, writeLatest } from "./report/results";
import { tableText } from "./report/table";
import { runBenchmark } from "./run";
import { SizeName, sizes } from "./size";

interface Options {
  readonly size: SizeName;
  readonly write: boolean;
  readonly page?: true;
  readonly profile?: string;
}

async function bench({ size, write, page, profile }: Options): Promise<void> {
  if (page) return writePage();
  const began = performance.now();
  const progress = progressOn(process.stderr);
  const operator: Record<string, string> = {};
  if (profile !== undefined) operator["NODE_OPTIONS"] = `--cpu-prof --cpu-prof-dir=${resolve(profile)}`;
  const run = await runBenchmark({ size: sizes[size], progress, operator });
  console.log(`\n${tableText(run.figures)}\n`);
  for (const problem of run.problems) console.log(pc.red(`not measured: ${problem}`));
  console.log(pc.dim(`in ${durationText(performance.now() - began)}; CPU time by ${run.accounting}`));
  if (run.problems.length > 0) process.exitCode = 1;
  if (!write) return;
  const entry = await entryOf(run, size);
  await writeLatest(entry);
  await appendHistory(entry);
  await writePage();
}

// the cluster ends with this process, and so do the operator and the baselines
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

new Command("bench")
  .description(
    "Measures the operator on an embedded cluster with simulated nodes, in one run against two baselines: the stock Automation API, and plain requests.",
  )
  .addOption(
    new Option("--size <size>", "small: 20 Databases, minutes; full: 1000, half an hour")
      .choices(SizeName.options)
      .default("full"),
  )
  .option("--no-write", "show the figures only: leave measure/bench/results and docs/performance.md as they are")
  .option("--page", "measure nothing: write docs/performance.md from measure/bench/results/history.jsonl")
  .option("--profile <directory>", "have Node write CPU profiles of the operator there; figures suffer")
  .action((options: Options) => bench(options))
  .parseAsync()
  .then(() => process.exit())
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
    process.exit();
  });
