// Runs some files of tests again and again while one core is kept busy by something else: what passes only on a quiet machine shows.
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { durationText } from "../../tools/progress";
import { suiteNames, testFiles, type SuiteName } from "../suites";
import { keepBusy } from "./busy-core";
import { evidenceVariable } from "./evidence";
import { stop } from "./stop";
import { filesOf } from "./suite-run";

const root = join(__dirname, "../..");

export interface StressArgs {
  /** Part of a file's path. */
  readonly files: string;
  /** Only tests whose name matches this regular expression. */
  readonly only?: string;
  readonly times: number;
}

/** How one run ended. */
export interface StressRun {
  readonly passed: number;
  readonly failed: number;
  readonly ms: number;
}

/** Where the logs of all runs go, and the evidence of those that failed. */
const directory = join(tmpdir(), `stress-${process.pid}`);

/** For one run, in milliseconds: after that the core is no longer kept busy. */
const longestMs = 3_600_000;

/** Runs them so many times, one after the other, with a line for each. The process's exit code says whether all passed. */
export async function stress({ files, only, times }: StressArgs): Promise<void> {
  const suites = suitesWith(files);
  mkdirSync(directory, { recursive: true });
  console.log(pc.bold(`${times} runs of ${suites.join(", ")} with "${files}", one core kept busy`));
  const runs = new Array<StressRun>();
  for (let count = 1; count <= times; count++) {
    const run = await once(count, [...suites, "--files", files, ...(only === undefined ? [] : ["--only", only])]);
    runs.push(run);
    console.log(lineOf(count, run));
  }
  console.log(summaryOf(runs));
  if (runs.some((run) => !isGreen(run))) {
    console.log(`${pc.yellow("logs and evidence")}: ${directory}`);
    process.exitCode = 1;
  }
}

/** The suites that have files with that in their path. Throws where none has. */
export function suitesWith(part: string): SuiteName[] {
  const found = suiteNames.filter((name) => {
    if (name === "check") return false;
    try {
      return filesOf(root, testFiles[name], part).length > 0;
    } catch {
      return false;
    }
  });
  if (found.length === 0)
    throw new Error(`no file of tests has "${part}" in its path: say which, FILES=<part of a path>`);
  return found;
}

async function once(count: number, args: readonly string[]): Promise<StressRun> {
  const leaveIdle = await keepBusy(longestMs);
  const began = performance.now();
  try {
    const text = await output(count, args);
    return { ...resultIn(text), ms: performance.now() - began };
  } finally {
    leaveIdle();
  }
}

/** What the run printed, which goes into a file as well. */
async function output(count: number, args: readonly string[]): Promise<string> {
  const log = createWriteStream(join(directory, `run-${count}.log`));
  const child = spawn("tsx", ["test/run.ts", ...args], {
    cwd: root,
    env: { ...process.env, [evidenceVariable]: join(directory, `evidence-${count}`) },
    stdio: ["ignore", "pipe", "inherit"],
    signal: stop,
  });
  const parts = new Array<string>();
  child.stdout.on("data", (part: Buffer) => {
    parts.push(part.toString("utf8"));
    log.write(part);
  });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject).once("close", () => {
      log.end(resolve);
    });
  });
  return parts.join("");
}

/** By the last line of a run; one that has none has failed. */
export function resultIn(text: string): Pick<StressRun, "passed" | "failed"> {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(text) ?? [];
  return passed === undefined ? { passed: 0, failed: 1 } : { passed: Number(passed), failed: Number(failed) };
}

/** Nothing that ran is no success. */
const isGreen = ({ passed, failed }: StressRun): boolean => failed === 0 && passed > 0;

function lineOf(count: number, run: StressRun): string {
  const mark = isGreen(run) ? pc.green("✔") : pc.red("✖");
  const counts = `${run.passed} passed, ${run.failed} failed`;
  return `${mark} ${String(count).padStart(3)}  ${counts} ${pc.dim(durationText(run.ms))}`;
}

/** The last line. */
export function summaryOf(runs: readonly StressRun[]): string {
  const green = runs.filter(isGreen);
  const times = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const [shortest = 0, longest = 0] = [times.at(0), times.at(-1)];
  const span = `${durationText(shortest)} to ${durationText(longest)} each`;
  return `${green.length} of ${runs.length} runs passed, ${span}`;
}
