// One run of some suites, from the choice of what rotates to the last line.
import { cpus, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { enableCompileCache } from "node:module";
import pc from "picocolors";
import { cacheDirectory } from "../../tools/directories";
import { CaseRecord } from "../judges/reliability/record";
import { readKnownUsage, usageAfter, withKnown, writeKnownUsage } from "../judges/rights/known-usage";
import { openRecords, type Recorded } from "../judges/rights/record";
import { isWhole, slowFilesAtOnce, suiteNames, testFiles, type SuiteName, type TestFiles } from "../suites";
import { runChecks } from "./checks";
import { conclusionOf, failedIn } from "./conclusion";
import { durationsFile, durationsOf, longestFilesFirst, readDurations, withLeftOut, writeDurations } from "./durations";
import type { Durations } from "./durations";
import { assertRoom } from "./disk-room";
import { durationsText } from "./durations-text";
import { openEvidence } from "./evidence";
import { readHead } from "./history";
import { openNotes, type Note, type Notes } from "./notes";
import { filesInFull, filesInTurn } from "./rotating-files";
import { writePages } from "./pages";
import { groupsVariable, rotationOf, rotationText } from "./rotation";
import {
  changedGroups,
  filesLeftOut,
  leftOutIn,
  presentContents,
  readRotation,
  recordOf,
  writeRotation,
  type ContentOf,
} from "./rotation-record";
import { judgeRights } from "./rights";
import { seedOf } from "./seed";
import { presentShard } from "./shard";
import { filesOf, runSuite, runTogether, type FileEnd, type SuiteEnd, type SuiteRunArgs } from "./suite-run";
import { failureOf, reasonOf, sumOf, withMatches, type Tally } from "./tally";

const root = join(__dirname, "../..");

/** Which tests of the suites to run. */
export interface Choice {
  /** Tests whose name matches this regular expression. */
  readonly only?: string;
  /** Files whose path contains this. */
  readonly files?: string;
  /** Whether to write down what is learnt: cases, durations, rotation. */
  readonly record?: true;
}

/** What fails here, and ends the run where CI is set: a developer should not wait an hour to learn of a wrong type. */
const quick: readonly SuiteName[] = ["check", "unit"];

/** What all suites of a run share. */
class TestRun {
  readonly #choice: Choice;
  readonly #known = readDurations();
  readonly #evidence = openEvidence();
  readonly #cases: CaseRecord;
  readonly #notes: Notes;
  readonly #began: Began;
  readonly files = new Array<FileEnd & { readonly suite: SuiteName }>();
  readonly checks = new Array<{ check: string; ms: number }>();
  readonly kept = new Map<string, string>();
  /** About files that belong to a group as a whole. */
  readonly #ownNotes = new Array<Note>();

  constructor(choice: Choice, { cases, notes, began }: { cases: CaseRecord; notes: Notes; began: Began }) {
    this.#choice = choice;
    this.#cases = cases;
    this.#notes = notes;
    this.#began = began;
  }

  /** All that was left up to now. */
  get notes(): readonly Note[] {
    return [...this.#ownNotes, ...this.#notes.read()];
  }

  /** One that is over soon. */
  async run(name: SuiteName): Promise<Tally> {
    if (name === "check") return runChecks(root, (check, ms) => this.checks.push({ check, ms }));
    const found = await this.#argsOf(name);
    if (found.kind === "unprepared") return found.tally;
    const tally = await runSuite(found.args);
    this.#ended(found.args);
    return tally;
  }

  /** The others, beside each other. */
  async runSlow(names: readonly SuiteName[]): Promise<readonly SuiteEnd[]> {
    const prepared = [];
    for (const name of names) prepared.push(await this.#argsOf(name));
    const suites = prepared.flatMap((one) => (one.kind === "ready" ? [one.args] : []));
    const all = suites.flatMap(({ files }) => files);
    const ends = await runTogether(suites, longestFilesFirst(all, root, this.#known), slowFilesAtOnce);
    for (const args of suites) this.#ended(args);
    return prepared.map((one) => {
      const end = one.kind === "ready" ? ends[suites.indexOf(one.args)] : { tally: one.tally, ms: 0 };
      return end ?? { tally: sumOf([]), ms: 0 };
    });
  }

  async #argsOf(
    name: SuiteName,
  ): Promise<{ kind: "ready"; args: SuiteRunArgs } | { kind: "unprepared"; tally: Tally }> {
    if (name === "check") throw new Error("checks are no files");
    const suite = testFiles[name];
    const { only, files: part } = this.#choice;
    const files = longestFilesFirst(this.#inTurn(filesOf(root, suite, part)), root, this.#known);
    const reason = await whyUnprepared(suite);
    if (reason !== undefined) {
      const failure = `${name}: what its tests need could not be provided\n${reason}`;
      console.log(`${pc.red("✖")} ${failure}`);
      return { kind: "unprepared", tally: failureOf(failure) };
    }
    const args: SuiteRunArgs = {
      ...{ root, suite, files },
      ...(only === undefined ? {} : { only: new RegExp(only) }),
      environmentOf: (file) => this.#evidence.environmentOf(file),
      onFile: (end) => this.#settle(name, end),
    };
    return { kind: "ready", args };
  }

  /** Those of a group only where it is in force. */
  #inTurn(files: readonly string[]): readonly string[] {
    const testsOf = (file: string): number => this.#known?.files.find((one) => one.file === file)?.tests ?? 1;
    const below = files.map((file) => relative(root, file));
    const { taken, notes } = filesInTurn(below, process.env[groupsVariable], testsOf);
    this.#ownNotes.push(...notes);
    return taken.map((file) => join(root, file));
  }

  /** Every test of these files was run, as far as it is in force. */
  #ended({ files }: SuiteRunArgs): void {
    if (this.#choice.only !== undefined) return;
    const full = filesInFull(
      files.map((file) => relative(root, file)),
      this.notes,
    );
    this.#cases.filesEnded(full);
  }

  /** A file is over. */
  #settle(suite: SuiteName, end: FileEnd): string[] {
    this.files.push({ ...end, suite });
    for (const one of end.ends) this.#cases.ended(one);
    if (!quick.includes(suite)) this.#keepGroups();
    const place = this.#evidence.settle(end);
    if (place === undefined) return [];
    this.kept.set(end.file, place);
    return [`${pc.yellow("evidence")}: ${place}`];
  }

  /** Writes down which groups have passed: of a run that is stopped, nothing of that is lost. */
  #keepGroups(): void {
    const { record, only } = this.#choice;
    // a part of a group's tests says nothing of the group
    if (!record || only !== undefined) return;
    const ended = new Set(this.files.map(({ file }) => file));
    const { notes, failed } = this;
    writeRotation(recordOf(readRotation(), { notes, ended, failed, ...this.#began }));
  }

  /** Files in which something failed. */
  get failed(): ReadonlySet<string> {
    return new Set(
      this.files.filter(({ ends }) => ends.some(({ result }) => result === "failed")).map(({ file }) => file),
    );
  }

  /** Writes how cases ended, if that must be kept: part of the tests says nothing of them in full. */
  async close({ commit, date }: { readonly commit: string; readonly date: string }): Promise<void> {
    this.#evidence.close();
    const { record, only } = this.#choice;
    if (!record || only !== undefined) return;
    await this.#cases.write({ isWhole, shard: presentShard(), commit, date: date.slice(0, 10) });
  }
}

/** Provides what the tests need. Returns why it could not: the other suites run nevertheless. */
async function whyUnprepared(suite: TestFiles): Promise<string | undefined> {
  try {
    await suite.prepare?.();
    if (suite.room !== undefined) await assertRoom(suite.room, [cacheDirectory(), tmpdir()]);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** What is tested. */
interface Began {
  readonly commit: string;
  /** RFC 3339, UTC. */
  readonly date: string;
  readonly content: ContentOf;
}

/** Says which groups are in force to the processes of tests; those of a part of the tests take all. */
function rotate(isCut: boolean, content: ContentOf): void {
  const asked = process.env["ROTATION"];
  if (isCut && asked === undefined) return;
  const { seed, from } = seedOf(readHead());
  const rotation = rotationOf({ seed, changed: changedGroups(readRotation(), content), asked });
  process.env[groupsVariable] = rotation.taken.join(",");
  console.log(pc.dim(rotationText(rotation, from)));
}

/** All processes of tests load the same libraries. */
function shareCompileCache(): void {
  const directory = (process.env["NODE_COMPILE_CACHE"] ??= join(cacheDirectory(), "compile-cache"));
  enableCompileCache(directory);
}

/** Runs suites, in their order, or all. The process's exit code says how it went. */
export async function testRun(suites: readonly SuiteName[], choice: Choice): Promise<void> {
  const began = performance.now();
  const { commit = "unknown" } = readHead() ?? {};
  const facts = {
    commit,
    date: `${new Date().toISOString().slice(0, 19)}Z`,
    cores: cpus().length,
    node: process.version,
  };
  const isStrict = Boolean(process.env["CI"]);
  const isCut = choice.only !== undefined || choice.files !== undefined;
  shareCompileCache();
  const content = presentContents();
  rotate(isCut, content);
  const rights = await openRecords();
  const notes = await openNotes();
  const cases = await CaseRecord.open();
  const run = new TestRun(choice, { cases, notes, began: { commit, date: facts.date, content } });
  const chosen = suiteNames.filter((name) => suites.length === 0 || suites.includes(name));
  const { tallies, took, notRun } = await runAll(run, chosen, isStrict);
  const isAll = !isCut && chosen.length === suiteNames.length && notRun.length === 0;
  const left = run.notes;
  await notes.close();
  const used = await rights.close();
  tallies.push(judgeRights(withKnown(used, readKnownUsage(), isAll ? filesLeftOut(left) : new Set()), isAll));
  const ms = performance.now() - began;
  const timings = { suites: took, checks: run.checks, files: run.files, notes: left };
  const durations = durationsOf(timings, { ...facts, ms });
  await run.close(facts);
  if (choice.record) {
    keep({ durations, notes: left, failed: run.failed, used, isAll });
    await writePages(root);
  }
  const tally = withMatches(sumOf(tallies), choice.only);
  const conclusion = { ms, isStrict, evidence: run.kept, leftOut: leftOutIn(left), notRun };
  for (const line of [...durationsText(durations), "", ...conclusionOf(tally, conclusion)]) console.log(line);
  process.exitCode = failedIn(tally, isStrict) === 0 ? 0 : 1;
}

interface Ran {
  readonly tallies: Tally[];
  readonly took: { suite: SuiteName; ms: number }[];
  readonly notRun: readonly SuiteName[];
}

async function runAll(run: TestRun, chosen: readonly SuiteName[], isStrict: boolean): Promise<Ran> {
  const tallies = new Array<Tally>();
  const took = new Array<{ suite: SuiteName; ms: number }>();
  for (const suite of chosen.filter((name) => quick.includes(name))) {
    console.log(pc.bold(`\n${suite}`));
    const began = performance.now();
    tallies.push(await run.run(suite));
    took.push({ suite, ms: performance.now() - began });
  }
  const slow = chosen.filter((name) => !quick.includes(name));
  if (slow.length === 0) return { tallies, took, notRun: [] };
  if (isStrict && sumOf(tallies).failed > 0) return { tallies, took, notRun: slow };
  console.log(pc.bold(`\n${slow.join(", ")}`));
  for (const [index, { tally, ms }] of (await run.runSlow(slow)).entries()) {
    tallies.push(tally);
    const suite = slow[index];
    if (suite !== undefined) took.push({ suite, ms });
  }
  return { tallies, took, notRun: [] };
}

interface Learnt {
  readonly durations: Durations;
  readonly notes: readonly Note[];
  readonly failed: ReadonlySet<string>;
  readonly used: readonly Recorded[];
  readonly isAll: boolean;
}

/** Writes down what a run learnt of durations and rights, where it was whole. */
function keep({ durations, notes, failed, used, isAll }: Learnt): void {
  if (isAll) writeDurations(withLeftOut(durations, readDurations(), filesLeftOut(notes)), durationsFile);
  // a file that failed may not have come to use all that it does
  if (isAll && failed.size === 0) writeKnownUsage(usageAfter(readKnownUsage(), used, filesLeftOut(notes)));
}
