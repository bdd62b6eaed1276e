// The operator under measurement: a process of its own whose costs, and those of all that it starts, are counted.
import { setTimeout as sleep } from "node:timers/promises";
import { compiledPrograms } from "../../test/harness/compiled";
import { startOperatorProcess, type OperatorProcess } from "../../test/harness/operator-process";
import { openGroup } from "./instruments/groups";
import type { ProcessGroup } from "./instruments/process-group";
import { residentBytes } from "./instruments/proc";
import { startSampler, type Sampler } from "./instruments/sampler";

/** Which implementation of Pulumi runs it has: the default, or the CLI alone. */
export type PulumiChoice = "auto" | "cli";

export interface MeasuredOperator {
  readonly process: OperatorProcess;
  readonly group: ProcessGroup;
  readonly sampler: Sampler;
  /** From its start until its watches were up. */
  readonly readySeconds: number;
  /** Resident memory of the operator's own process, in bytes. */
  rss(): number;
  /** Resolves when nothing has been reconciled for half a second and nothing waits. */
  idle(): Promise<void>;
  /** Runs that did not succeed, and reconciles that failed unexpectedly, from this line of the log on. */
  failuresSince(line: number): number;
  /** Pulumi runs from this line of the log on. */
  runsSince(line: number): number;
  /** When each Database was first looked at from this line of the log on, in milliseconds since 1970. */
  looksSince(line: number): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export interface MeasuredOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly pulumi: PulumiChoice;
  readonly name: string;
}

const idleWithinMs = 900_000;

export async function startMeasured({ environment, pulumi, name }: MeasuredOptions): Promise<MeasuredOperator> {
  const group = openGroup(name);
  const sampler = startSampler(group);
  const settings = { ...environment, DATABASE_OPERATOR_PULUMI: pulumi };
  // it is compiled, so that what follows is its start
  await compiledPrograms();
  const began = Date.now();
  const operator = await group.starting(() => startOperatorProcess({ environment: settings }));
  group.include(operator.pid);
  const endWithUs = (): void => {
    process.kill(operator.pid, "SIGTERM");
  };
  process.once("exit", endWithUs);
  const since = (line: number): OperatorProcess["log"] => operator.log.slice(line);
  return {
    process: operator,
    group,
    sampler,
    readySeconds: (watchingSince(operator) - began) / 1000,
    rss: () => residentBytes(operator.pid),
    idle: () => untilIdle(operator),
    failuresSince: (line) => since(line).filter(({ msg }) => failures.has(msg)).length,
    runsSince: (line) => since(line).filter(({ msg }) => msg.startsWith("stack run ")).length,
    looksSince: (line) => firstLooks(since(line)),
    async stop() {
      process.off("exit", endWithUs);
      await operator.stop();
      sampler.stop();
      group.close();
    },
  };
}

/** In milliseconds since 1970, as its log says: who waits for it looks now and then. */
function watchingSince({ log }: OperatorProcess): number {
  const time = log.find(({ msg }) => msg === "watching")?.["time"];
  if (typeof time !== "string") throw new Error("the operator does not say since when it watches");
  return Date.parse(time);
}

const failures = new Set(["stack run did not succeed", "reconcile failed unexpectedly"]);

function firstLooks(log: OperatorProcess["log"]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { msg, database, time } of log) {
    if (msg !== "reconciled" || typeof database !== "string" || typeof time !== "string") continue;
    if (!first.has(database)) first.set(database, Date.parse(time));
  }
  return first;
}

/** The log is the one sign of life that costs the operator nothing more. */
async function untilIdle(operator: OperatorProcess): Promise<void> {
  const deadline = performance.now() + idleWithinMs;
  let lines = -1;
  while (lines !== operator.log.length || !(await hasEmptyQueue(operator))) {
    if (performance.now() > deadline) throw new Error("the operator does not come to rest");
    lines = operator.log.length;
    await sleep(500);
  }
}

async function hasEmptyQueue(operator: OperatorProcess): Promise<boolean> {
  const metrics = await operator.metrics();
  const value = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, "gm"))].reduce((sum, [, one]) => sum + Number(one), 0);
  return value("workqueue_depth") === 0 && value("controller_runtime_active_workers") === 0;
}
