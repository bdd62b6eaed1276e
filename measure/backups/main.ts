// `make backups`: takes and restores backups of a certain size on real nodes, and writes docs/backups.md.
import { loadavg } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import pc from "picocolors";
import { progressOn } from "../../tools/progress";
import { engineNames, type EngineName } from "../availability/matrix";
import { commitText } from "../commit";
import { writePage } from "./report/page-file";
import { appendCost, appendStep } from "./report/results";
import { rounded } from "./run/lines";
import { runScenario } from "./run/scenario";
import { openStage } from "./run/stage";
import { isScenario, kills, scenarioNames, scenarios, type Kill, type ScenarioName } from "./scenarios";

interface Options {
  readonly cases?: readonly ScenarioName[];
  readonly engine?: EngineName;
  readonly size: number;
  readonly kill: readonly Kill[];
  readonly write: boolean;
  readonly page?: true;
}

async function backups({ cases = scenarioNames, engine, size, kill, write, page }: Options): Promise<void> {
  if (page) return writePage();
  const chosen = cases.filter((name) => engine === undefined || scenarios[name].engine === engine);
  const progress = progressOn(process.stderr);
  const circumstances = { asked_gib: size, date: new Date().toISOString().slice(0, 10), commit: await commitText() };
  const signed = <T>(line: T): T & typeof circumstances & { load: number } => ({
    ...line,
    ...circumstances,
    load: rounded(loadavg()[0] ?? 0),
  });
  const stage = await openStage();
  try {
    for (const name of chosen) {
      const running = runScenario(name, {
        ...{ stage, progress, kills: kill, gib: size },
        onStep: async (step) => {
          const result = signed(step);
          console.log(JSON.stringify(result));
          if ((result.lost ?? 0) > 0) process.exitCode = 1;
          if (write) await appendStep(result);
        },
        onCost: async (cost) => {
          const result = signed(cost);
          console.log(JSON.stringify(result));
          if (write) await appendCost(result);
        },
      });
      // the others are measured nevertheless
      await running.catch((error: unknown) => {
        console.error(pc.red(`${name} did not come to its end: ${textOf(error)}`));
        process.exitCode = 1;
      });
    }
  } finally {
    if (write) await writePage();
    await stage.stop();
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Whole gibibytes. */
function gibibytes(text: string): number {
  const [, digits] = /^([1-9]\d*)Gi$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError("It must be whole gibibytes, such as 1Gi.");
  return Number(digits);
}

function scenarioList(text: string): ScenarioName[] {
  const names = text.split(",").filter((name) => name !== "");
  const known = names.filter(isScenario);
  if (known.length < names.length) throw new InvalidArgumentError(`There are: ${scenarioNames.join(", ")}.`);
  return known;
}

function killList(text: string): Kill[] {
  const names = text.split(",").filter((name) => name !== "");
  const known = kills.filter((kill) => names.includes(kill));
  if (known.length < names.length) throw new InvalidArgumentError(`There are: ${kills.join(", ")}.`);
  return known;
}

// the cluster ends with this process, and so do the operator and the object storage
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

new Command("backups")
  .description(
    "Takes and restores backups of a certain size on a real node, beside the bare tools, with and without a SIGKILL meanwhile. Results go to measure/backups/results, and to docs/backups.md.",
  )
  .option("--cases <names>", `only these, with commas between them: ${scenarioNames.join(", ")}`, scenarioList)
  .addOption(new Option("--engine <engine>", "only those of this one").choices(engineNames))
  .option("--size <size>", "of the rows that are written, in whole gibibytes", gibibytes, 1)
  .option("--kill <what>", `once for each of these, with commas between them: ${kills.join(", ")}`, killList, [
    ...kills,
  ])
  .option("--no-write", "show the figures only: leave the files of results and the page as they are")
  .option("--page", "measure nothing: write docs/backups.md from what is on record")
  .action((options: Options) => backups(options))
  .parseAsync()
  .then(() => process.exit())
  .catch((error: unknown) => {
    console.error(pc.red(textOf(error)));
    process.exitCode = 1;
    process.exit();
  });
