// Runs suites of tests one after the other, and ends with one line that sums them up: `N passed, N failed`.
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { Command, InvalidArgumentError } from "commander";
import pc from "picocolors";
import { GO_ENVIRONMENT } from "../tools/build/go";
import { CommandError, run as runProgram } from "../tools/host/command";
import { durationText } from "../tools/progress";
import { CaseRecord } from "./reliability/record";
import { verdictOf } from "./rights/compare";
import { openRecords, type Recorded } from "./rights/record";
import { checks, isWhole, suiteNames, testFiles, type SuiteName, type TestFiles } from "./suites";

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

/** The tests of a suite that are chosen. Throws where there are none. */
function filesOf(suite: TestFiles, { files: part = "" }: Choice): readonly string[] {
  const found = globSync([...suite.files], { cwd: ROOT, exclude: [...(suite.exclude ?? [])] }).sort();
  const files = found.filter((file) => file.includes(part)).map((file) => join(ROOT, file));
  if (files.length === 0)
    throw new Error(`there are no tests in ${suite.files.join(", ")}${part && ` with "${part}" in the path`}`);
  return files;
}

/** Provides what the tests need. Returns why it could not: the other suites run nevertheless. */
async function whyUnprepared(suite: TestFiles): Promise<string | undefined> {
  try {
    await suite.prepare?.();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

async function runTests(name: Exclude<SuiteName, "check">, choice: Choice, cases: CaseRecord): Promise<Tally> {
  const { only } = choice;
  const suite = testFiles[name];
  const files = filesOf(suite, choice);
  const reason = await whyUnprepared(suite);
  if (reason !== undefined) {
    const failure = `${name}: what its tests need could not be provided\n${reason}`;
    console.log(`${pc.red("✖")} ${failure}`);
    return { passed: 0, failed: 1, skipped: 0, failures: [failure] };
  }
  const tally = { passed: 0, failed: 0, skipped: 0, failures: new Array<string>() };
  const events = run({
    files: [...files],
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

async function main(suites: readonly SuiteName[], choice: Choice): Promise<void> {
  const rights = await openRecords();
  const cases = await CaseRecord.open();
  const began = performance.now();
  const chosen = suites.length > 0 ? suites : suiteNames;
  const tallies = new Array<Tally>();
  for (const name of suiteNames.filter((one) => chosen.includes(one))) {
    console.log(pc.bold(`\n${name}`));
    tallies.push(name === "check" ? await runChecks() : await runTests(name, choice, cases));
  }
  const isCut = choice.only !== undefined || choice.files !== undefined;
  tallies.push(judgeRights(await rights.close(), !isCut && suiteNames.every((name) => chosen.includes(name))));
  // part of the tests says nothing of the cases in full
  if (choice.record && choice.only === undefined) await cases.write(isWhole);
  conclude(sumOf(tallies), performance.now() - began);
}

const sumOf = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
  skipped: tallies.reduce((sum, { skipped }) => sum + skipped, 0),
  failures: tallies.flatMap(({ failures }) => failures),
});

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

function suiteName(text: string, before: SuiteName[] = []): SuiteName[] {
  const name = suiteNames.find((one) => one === text);
  if (name === undefined) throw new InvalidArgumentError(`Suites are: ${suiteNames.join(", ")}.`);
  return [...before, name];
}

new Command("run")
  .description("Runs suites of tests and sums them up in the last line: N passed, N failed.")
  .argument("[suite...]", `of: ${suiteNames.join(", ")}; default: all`, suiteName)
  .option("--only <pattern>", "only tests whose name matches this regular expression")
  .option("--files <part>", "only test files whose path contains this")
  .option("--record", "write how the cases of docs/reliability.md ended to test/reliability/results.json, and the page")
  .action((suites: SuiteName[], choice: Choice) => main(suites, choice))
  .parseAsync()
  .catch((error: unknown) => {
    console.error(pc.red(error instanceof Error ? error.message : String(error)));
    process.exitCode = 1;
  });
