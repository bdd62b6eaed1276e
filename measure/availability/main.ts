// `make availability`: measures what clients see when something happens to the primary, and writes docs/availability.md.
import { Command, InvalidArgumentError, Option } from "commander";
import pc from "picocolors";
import { progressOn } from "../../tools/progress";
import { commitText } from "../commit";
import { faultNames, faults, type FaultName } from "./faults/list";
import { engineNames, modes, type EngineName, type Mode } from "./matrix";
import { measure, planOf, titleOf, type Measured } from "./measure";
import { writePage } from "./report/page-file";
import { appendResult, resultOf } from "./report/results";
import { namespace, openStage } from "./stage";
import { memberCount } from "./subject";
import { imagesOfMinors } from "./versions";

interface Options {
  readonly engine?: EngineName;
  readonly fault?: FaultName;
  readonly mode?: Mode;
  readonly replication?: string;
  readonly tries: number;
  readonly members: number;
  readonly write: boolean;
  readonly page?: true;
  readonly serverVersion?: string;
  readonly logs?: string;
}

async function availability({
  tries,
  members,
  write,
  page,
  logs,
  serverVersion: version,
  ...wanted
}: Options): Promise<void> {
  if (page) return writePage();
  const progress = progressOn(process.stderr);
  const names = wanted.engine === undefined ? engineNames : [wanted.engine];
  const isUpgrading = faults[wanted.fault ?? "minor-upgrade"].needsOlderVersion === true;
  const stage = await openStage(isUpgrading ? names.flatMap((name) => imagesOfMinors[name]) : []);
  stage.platform.witness.disregard(namespace, "each of many faults is reported by an event", ["events"]);
  try {
    const plan = planOf(
      names,
      stage.platform.catalogue,
      ({ fault, mode, replication }) =>
        fault === (wanted.fault ?? fault) &&
        mode === (wanted.mode ?? mode) &&
        replication === (wanted.replication ?? replication),
    );
    for (const reason of plan.skipped) console.log(pc.yellow(`skipped: ${reason}`));
    const circumstances = {
      members,
      date: new Date().toISOString().slice(0, 10),
      commit: await commitText(),
    };
    const onMeasured = async ({ cell, version: measured, tries: done, failures }: Measured): Promise<void> => {
      if (failures.length > 0) process.exitCode = 1;
      if (done.length === 0) {
        console.log(pc.red(`${titleOf(cell)}: no try came to an end`));
        return;
      }
      const result = resultOf(cell, done, failures.length, { ...circumstances, version: measured });
      console.log(JSON.stringify(result));
      if (write) await appendResult(result);
    };
    const chosen = { ...(logs !== undefined && { logs }), ...(version !== undefined && { version }) };
    await measure(plan.cells, { stage, progress, tries, members, onMeasured, ...chosen });
    if (write) await writePage();
  } finally {
    await stage.stop();
  }
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("It must be a whole number from 1.");
  return value;
}

function members(text: string): number {
  const value = count(text);
  if (value < 2)
    throw new InvalidArgumentError("Where there is no other member, none takes over: it must be at least 2.");
  return value;
}

// the cluster ends with this process, and so does the operator
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

new Command("availability")
  .description(
    "Measures, on a real node, what clients that write see when something happens to the primary. Results go to measure/availability/results/failover.jsonl, a line for each kind of try, and to docs/availability.md.",
  )
  .addOption(new Option("--engine <engine>", "only this one; default: all that the catalogue has").choices(engineNames))
  .addOption(new Option("--fault <fault>", "only this one").choices(faultNames))
  .addOption(new Option("--mode <mode>", "only this one").choices(modes))
  .addOption(
    new Option("--replication <replication>", "only this one").choices(["asynchronous", "synchronous", "group"]),
  )
  .option("--tries <number>", "tries of each kind", count, 5)
  .option("--members <number>", "of each Database", members, memberCount)
  .option("--server-version <version>", "of the servers, but for upgrades; default: the newest in the catalogue")
  .option("--logs <directory>", "keep the members' logs of each try there")
  .option("--no-write", "show the figures only: leave the file of results and the page as they are")
  .option("--page", "measure nothing: write docs/availability.md from measure/availability/results/failover.jsonl")
  .action((options: Options) => availability(options))
  .parseAsync()
  .then(() => process.exit())
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    process.exitCode = 1;
    process.exit();
  });
