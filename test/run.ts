// Runs suites of tests one after the other, and ends with one line that sums them up: `N passed, N failed`.
import { globSync } from "node:fs";
import { cpus } from "node:os";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { Command, InvalidArgumentError } from "commander";
import pc from "picocolors";
import { toolsOnPath } from "../tools/build/build";
import { GO_ENVIRONMENT } from "../tools/build/go";
import { CommandError, run as runProgram } from "../tools/host/command";
import { buildImages } from "../tools/images/build";
import { durationText, progressOn } from "../tools/progress";
import { CaseRecord } from "./reliability/record";
import { verdictOf } from "./rights/compare";
import { openRecords, type Recorded } from "./rights/record";

const ROOT = join(__dirname, "..");

/** How a suite ended. */
interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, by name, and below it why. */
  readonly failures: readonly string[];
}

/** The lines of a test's error that the summary repeats. */
const shownLines = 12;

/** Tests of node's runner: which files, how many of them at a time, and how long one may take. */
interface TestFiles {
  readonly files: readonly string[];
  readonly exclude?: readonly string[];
  readonly concurrency: number;
  readonly minutes: number;
  /** What must be there first; on a bare machine it takes far longer than any test may. */
  readonly prepare?: () => Promise<unknown>;
}

/** Whether the tests that can be cut into slices are to run in full. */
const isWhole = process.env["FAULTS"] === "all";

const provideTools = (): Promise<string> => toolsOnPath({ progress: progressOn(process.stdout) });

/** Without root there are no images, and the stories themselves say so. */
async function provideToolsAndImages(): Promise<void> {
  await provideTools();
  if (process.getuid?.() !== 0) return;
  await progressOn(process.stdout).step("images", (log) => buildImages({ log }));
}

const testFiles: Readonly<Record<string, TestFiles>> = {
  unit: {
    files: ["{agent,components,examples,infra,operator,stacks,test,tools}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/cluster/**", "test/faults/**", "test/e2e/**"],
    concurrency: Math.max(1, cpus().length),
    minutes: 3,
  },
  // Each file has a cluster of its own: one at a time, so that none waits for a machine that is busy with another.
  cluster: { files: ["test/cluster/**/*.test.ts"], concurrency: 1, minutes: 15, prepare: provideTools },
  // Crashes at every point: a slice of the points, or all of them, which takes hours.
  faults: {
    files: ["test/faults/**/*.test.ts"],
    concurrency: 2,
    minutes: isWhole ? 600 : 30,
    prepare: provideTools,
  },
  e2e: { files: ["test/e2e/**/*.test.ts"], concurrency: 1, minutes: 45, prepare: provideToolsAndImages },
};

/** Programs that must end with code 0, each with the sentence it proves. */
const checks: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  "types are right": ["tsc", "--noEmit"],
  "lint finds nothing": ["eslint", "."],
  "files are formatted": ["prettier", "--check", "--log-level", "warn", "."],
  "generated files are current": ["tsx", "operator/api/generate.ts", "--check"],
  "the page on rights is current": ["tsx", "test/rights/generate.ts", "--check"],
  "the page on metrics is current": ["tsx", "operator/metrics/generate.ts", "--check"],
  "the page on reliability is current": ["tsx", "test/reliability/generate.ts", "--check"],
  "the tests of the resident Pulumi pass": [
    "go",
    "-C",
    "tools/resident",
    "test",
    "-buildvcs=false",
    "-trimpath",
    "./...",
  ],
};

const suiteNames = ["check", ...Object.keys(testFiles)];

async function runChecks(): Promise<Tally> {
  const failures: string[] = [];
  for (const [sentence, [program, ...args]] of Object.entries(checks)) {
    const began = performance.now();
    try {
      await runProgram(program, args, { cwd: ROOT, env: program === "go" ? GO_ENVIRONMENT : {} });
      console.log(`${pc.green("✔")} ${sentence} ${pc.dim(`(${durationText(performance.now() - began)})`)}`);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failures.push(sentence);
      console.log(`${pc.red("✖")} ${sentence}\n${error.message}`);
    }
  }
  const failed = failures.length;
  return { passed: Object.keys(checks).length - failed, failed, skipped: 0, failures };
}

/** Which tests of a suite to run. */
interface Choice {
  /** Tests whose name matches this regular expression. */
  readonly only?: string;
  /** Files whose path contains this. */
  readonly files?: string;
  /** Whether to write down how the cases of docs/reliability.md ended. */
  readonly record?: true;
}

async function runTests(suite: TestFiles, { only, files: part = "" }: Choice, cases: CaseRecord): Promise<Tally> {
  const found = globSync([...suite.files], { cwd: ROOT, exclude: [...(suite.exclude ?? [])] }).sort();
  const files = found.filter((file) => file.includes(part)).map((file) => join(ROOT, file));
  if (files.length === 0)
    throw new Error(`there are no tests in ${suite.files.join(", ")}${part && ` with "${part}" in the path`}`);
  await suite.prepare?.();
  const tally = { passed: 0, failed: 0, skipped: 0, failures: new Array<string>() };
  const events = run({
    files,
    concurrency: suite.concurrency,
    timeout: suite.minutes * 60_000,
    execArgv: ["--import", "tsx"],
    ...(only === undefined ? {} : { testNamePatterns: [new RegExp(only)] }),
  });
  events.on("test:pass", (ended) => {
    const { name, details, skip, todo } = ended;
    cases.ended("passed", ended);
    // A file that holds none of the chosen tests passes as a test of its own name.
    if (details.type === "suite" || files.includes(name)) return;
    if (skip !== undefined || todo !== undefined) tally.skipped += 1;
    else tally.passed += 1;
  });
  // A suite fails with its tests; by itself only where a hook of it failed.
  events.on("test:fail", (ended) => {
    const { details } = ended;
    cases.ended("failed", ended);
    const cause: unknown = details.error.cause;
    if (details.type === "suite" && String(cause).includes("subtest")) return;
    tally.failed += 1;
    tally.failures.push(`${relative(ROOT, ended.file ?? "")}: ${ended.name}\n${reasonOf(cause)}`);
  });
  for await (const text of events.compose(spec)) process.stdout.write(String(text));
  if (only === undefined) cases.filesEnded(files, ROOT);
  return tally;
}

/** The start of an error's message, to stand below the name of its test. */
function reasonOf(cause: unknown): string {
  const lines = (cause instanceof Error ? cause.message : String(cause))
    .split("\n")
    .filter((line) => line.trim() !== "");
  const shown = lines.slice(0, shownLines).map((line) => `    ${line}`);
  return [...shown, ...(lines.length > shownLines ? ["    …"] : [])].join("\n");
}

/** Judges what the operator used of its rights, in all clusters of this run. */
function judgeRights(recorded: readonly Recorded[], isAll: boolean): Tally {
  const { problems, notes } = verdictOf(recorded, isAll);
  for (const note of notes) console.log(pc.dim(note));
  for (const problem of problems) console.log(`${pc.red("✖")} ${problem}`);
  const isJudged = isAll || problems.length > 0;
  if (isJudged && problems.length === 0) console.log(`${pc.green("✔")} the operator holds the rights that it uses`);
  const passed = isJudged && problems.length === 0 ? 1 : 0;
  return { passed, failed: problems.length, skipped: 0, failures: problems };
}

async function main(suites: readonly string[], choice: Choice): Promise<void> {
  const total = { passed: 0, failed: 0, skipped: 0, failures: new Array<string>() };
  const rights = await openRecords();
  const cases = await CaseRecord.open();
  const began = performance.now();
  const add = ({ passed, failed, skipped, failures }: Tally): void => {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    total.failures.push(...failures);
  };
  const chosen = suites.length > 0 ? suites : suiteNames;
  for (const name of chosen) {
    console.log(pc.bold(`\n${name}`));
    const files = testFiles[name];
    add(files === undefined ? await runChecks() : await runTests(files, choice, cases));
  }
  const isCut = choice.only !== undefined || choice.files !== undefined;
  add(judgeRights(await rights.close(), !isCut && suiteNames.every((name) => chosen.includes(name))));
  // part of the tests says nothing of the cases in full
  if (choice.record && choice.only === undefined) await cases.write(isWhole);
  conclude(total, performance.now() - began);
}

/** Prints the last lines. Where CI is set, a test that was skipped for want of something has failed. */
function conclude({ passed, failed, skipped, failures }: Tally, milliseconds: number): void {
  for (const name of failures) console.log(`${pc.red("✖")} ${name}`);
  const isStrict = Boolean(process.env["CI"]);
  if (skipped > 0)
    console.log(pc.yellow(`\n${skipped} skipped${isStrict ? ", which counts as failed where CI is set" : ""}`));
  const sum = failed + (isStrict ? skipped : 0);
  console.log(pc.dim(`\nin ${durationText(milliseconds)}`));
  console.log(`${passed} passed, ${sum} failed`);
  process.exitCode = sum === 0 ? 0 : 1;
}

function suiteName(name: string, before: string[] = []): string[] {
  if (!suiteNames.includes(name)) throw new InvalidArgumentError(`Suites are: ${suiteNames.join(", ")}.`);
  return [...before, name];
}

new Command("run")
  .description("Runs suites of tests and sums them up in the last line: N passed, N failed.")
  .argument("[suite...]", `of: ${suiteNames.join(", ")}; default: all`, suiteName)
  .option("--only <pattern>", "only tests whose name matches this regular expression")
  .option("--files <part>", "only test files whose path contains this")
  .option("--record", "write how the cases of docs/reliability.md ended to test/reliability/results.json, and the page")
  .action((suites: string[], choice: Choice) => main(suites, choice))
  .parseAsync()
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  });
