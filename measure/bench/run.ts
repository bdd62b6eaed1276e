// One run of the benchmark, phase after phase, on one cluster.
import { readConfig } from "../../operator/config";
import type { Progress } from "../../tools/progress";
import { compiledPrograms } from "../../test/harness/compiled";
import { startBaseline } from "./baselines/process";
import type { Bench } from "./bench";
import { startBenchCluster, type BenchCluster } from "./cluster";
import { Figures, type Figure } from "./figures";
import { ChildrenBoard } from "./instruments/children";
import { DatabasesBoard } from "./instruments/databases";
import { metricOf } from "./metrics";
import { startMeasured, type MeasuredOperator, type PulumiChoice } from "./operator";
import { measureCli } from "./phases/cli";
import { measureCreation } from "./phases/create";
import { measureRest, measureRestart, measureResync } from "./phases/crowd";
import { measureDeletion } from "./phases/delete";
import { measureDrift } from "./phases/drift";
import { measurePlugin } from "./phases/plugin";
import { measurePreview } from "./phases/preview";
import { measureReadiness } from "./phases/ready";
import { measureBurst, measureFloorBurst, measureThroughput } from "./phases/throughput";
import { measureUpdate } from "./phases/update";
import type { Size } from "./size";

export interface Run {
  readonly figures: readonly Figure[];
  /** What could not be measured, and why. */
  readonly problems: readonly string[];
  /** How CPU time was counted. */
  readonly accounting: string;
}

export interface RunOptions {
  readonly size: Size;
  readonly progress: Progress;
  /** More of the operator's environment. */
  readonly operator: Readonly<Record<string, string>>;
}

export async function runBenchmark(options: RunOptions): Promise<Run> {
  await options.progress.step("compiling", compiledPrograms);
  const cluster = await startBenchCluster(options.progress);
  try {
    return await onCluster(cluster, options);
  } finally {
    await cluster.stop();
  }
}

async function onCluster(cluster: BenchCluster, options: RunOptions): Promise<Run> {
  const { size, progress } = options;
  const figures = new Figures((name) => metricOf(name).unit);
  const children = new ChildrenBoard(cluster.client);
  const databases = new DatabasesBoard(cluster.client);
  // with the operator's rights: what may not be done at once is the same for all
  const stock = await startBaseline("stock", cluster.operatorEnvironment);
  const floor = await startBaseline("floor", cluster.operatorEnvironment);
  const start = (pulumi: PulumiChoice, name: string): Promise<MeasuredOperator> =>
    startMeasured({ environment: { ...cluster.operatorEnvironment, ...options.operator }, pulumi, name });
  const { workers } = readConfig(options.operator);
  const common = { size, figures, progress, cluster, children, databases, stock, floor, workers };
  try {
    await Promise.all([children.start(), databases.start()]);
    const phases = new Phases(progress);
    const accounting = await withOperators(common, start, phases);
    return { figures: figures.all, problems: phases.problems, accounting };
  } finally {
    await Promise.all([children.stop(), databases.stop(), stock.stop(), floor.stop()]);
  }
}

/** Executes phases: what fails is reported and leaves its rows out, and the others continue. */
class Phases {
  readonly problems: string[] = [];
  readonly #progress: Progress;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  async of<T>(what: string, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      const problem = `${what}: ${error instanceof Error ? error.message : String(error)}`;
      this.problems.push(problem);
      this.#progress.line(problem);
      return undefined;
    }
  }
}

type Start = (pulumi: PulumiChoice, name: string) => Promise<MeasuredOperator>;

/** Returns how CPU time was counted. */
async function withOperators(common: Omit<Bench, "operator">, start: Start, phases: Phases): Promise<string> {
  const running = new Set<MeasuredOperator>();
  const starting = async (pulumi: PulumiChoice, name: string): Promise<MeasuredOperator> => {
    const operator = await start(pulumi, name);
    running.add(operator);
    return operator;
  };
  const ending = async (operator: MeasuredOperator): Promise<void> => {
    running.delete(operator);
    await operator.stop();
  };
  try {
    const first = await starting("auto", "ours");
    const accounting = first.group.how;
    common.figures.set("operator_ready_s", { ours: first.readySeconds });
    await oneAtATime({ ...common, operator: first }, phases);
    await phases.of("throughput", () => measureThroughput({ ...common, operator: first }));
    const { size, figures } = common;
    if (size.burst < size.crowd)
      await phases.of("burst", () => measureBurst({ ...common, operator: first }, "burst_100", size.burst));
    await ending(first);
    const cli = await starting("cli", "cli");
    await phases.of("the CLI alone", () => measureCli({ ...common, operator: cli }));
    await ending(cli);
    const second = await starting("auto", "crowd");
    const peaks = [first, second];
    await crowd(
      { ...common, operator: second },
      phases,
      async () => {
        const third = await starting("auto", "restarted");
        peaks.push(third);
        return third;
      },
      () => ending(second),
    );
    figures.set("peak_all_mb", { ours: Math.max(...peaks.map(({ sampler }) => sampler.peakBytes)) / 1e6 });
    for (const operator of running) await ending(operator);
    await phases.of("bursts by plain requests", () => floorBursts({ ...common, operator: second }));
    return accounting;
  } finally {
    for (const operator of running) await operator.stop();
  }
}

async function oneAtATime(bench: Bench, phases: Phases): Promise<void> {
  const created = await phases.of("creation", () => measureCreation(bench));
  if (created === undefined) return;
  await phases.of("update", () => measureUpdate(bench, created));
  await phases.of("readiness", () => measureReadiness(bench, created.ours));
  await phases.of("drift", () => measureDrift(bench, created.ours));
  await phases.of("preview", () => measurePreview(bench, created));
  const [place] = created.ours;
  if (place !== undefined) await phases.of("the kubectl plugin", () => measurePlugin(bench, place));
  await phases.of("deletion", () => measureDeletion(bench, created));
}

async function crowd(
  bench: Bench,
  phases: Phases,
  start: () => Promise<MeasuredOperator>,
  stop: () => Promise<void>,
): Promise<void> {
  const { size, figures } = bench;
  const places = await phases.of("burst", () => measureBurst(bench, "burst_1000", size.crowd));
  if (places === undefined) return;
  // a small run has one burst only
  const burst = figures.all.find(({ name }) => name === "burst_1000_s");
  if (size.burst === size.crowd && burst) figures.set("burst_100_s", { ours: burst.ours, size: size.burst });
  await phases.of("resync", () => measureResync(bench, places));
  await phases.of("rest", () => measureRest(bench, places.length));
  await stop();
  await phases.of("restart", () => measureRestart(bench, places, start));
}

async function floorBursts(bench: Bench): Promise<void> {
  const { size } = bench;
  await measureFloorBurst(bench, "burst_100", size.burst);
  await measureFloorBurst(bench, "burst_1000", size.crowd);
}
