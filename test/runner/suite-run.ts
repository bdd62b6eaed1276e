// Runs the files of one suite of tests, some at a time, and hands on what is learnt of each.
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import pLimit from "p-limit";
import pc from "picocolors";
import { durationText } from "../../tools/progress";
import type { TestFiles } from "../suites";
import { openBatches, type Batches } from "./batches";
import { isFileInBatch, wholeFile, type TestEnd } from "./events";
import { runFile } from "./file-run";
import { pooled } from "./pool";
import { sumOf, type Tally } from "./tally";

/** How a file ended. */
export interface FileEnd {
  /** Below the root. */
  readonly file: string;
  /** Its tests and suites, in the order in which they ended. */
  readonly ends: readonly TestEnd[];
  /** Of its process; in a batch of the file's own tests. */
  readonly ms: number;
}

export interface SuiteRunArgs {
  readonly root: string;
  readonly suite: TestFiles;
  /** In full, in the order in which to run them. */
  readonly files: readonly string[];
  readonly only?: RegExp;
  /** What the process of a file is told beside this process's environment. */
  readonly environmentOf: (file: string) => Readonly<Record<string, string>>;
  /** A file is over. Returns lines to be shown below it. */
  readonly onFile: (end: FileEnd) => readonly string[];
}

/** The files of a suite whose path contains `part`, in full. Throws where there are none. */
export function filesOf(root: string, suite: TestFiles, part = ""): readonly string[] {
  const found = globSync([...suite.files], { cwd: root, exclude: [...(suite.exclude ?? [])] }).sort();
  const files = found.filter((file) => file.includes(part)).map((file) => join(root, file));
  if (files.length === 0)
    throw new Error(`there are no tests in ${suite.files.join(", ")}${part && ` with "${part}" in the path`}`);
  return files;
}

/** Runs small files, as many at a time as the suite says, in batches where it has any. */
export async function runSuite(args: SuiteRunArgs): Promise<Tally> {
  const { root, suite, files, only } = args;
  // names of files would match the pattern, too
  const count = only === undefined ? (suite.batches ?? 0) : 0;
  const batches = count > 0 ? await openBatches(root, files, count) : undefined;
  const entries = batches?.entries ?? files;
  const isAlone = Math.min(suite.concurrency, entries.length) === 1;
  try {
    return sumOf(
      await pLimit(suite.concurrency).map(entries, (entry) => runEntry(entry, { ...args, isAlone, batches })),
    );
  } finally {
    await batches?.close();
  }
}

/** How the files of one suite ended, and from the beginning of its first to the end of its last file. */
export interface SuiteEnd {
  readonly tally: Tally;
  readonly ms: number;
}

/**
 * Runs the files of several suites beside each other, in that order: where one suite waits, another has the processors. So many run at a
 * time, of each suite no more than it says; and then come those that want the machine for themselves.
 */
export async function runTogether(
  suites: readonly SuiteRunArgs[],
  order: readonly string[],
  atOnce: number,
): Promise<SuiteEnd[]> {
  const ends = suites.map(() => new Array<FileTally>());
  const split = suites.map((args) => parted(args.files, args));
  const isOnly = split.reduce((sum, { together }) => sum + together.length, 0) === 1;
  const tasks = order.flatMap((file) => {
    const index = split.findIndex(({ together }) => together.includes(file));
    const args = suites[index];
    if (args === undefined) return [];
    const run = async (): Promise<void> => {
      ends[index]?.push(await timed(file, { ...args, isAlone: isOnly, batches: undefined }));
    };
    return [{ kind: String(index), atOnce: args.suite.concurrency, run }];
  });
  await pooled(tasks, atOnce);
  for (const [index, args] of suites.entries())
    for (const file of split[index]?.alone ?? [])
      ends[index]?.push(await timed(file, { ...args, isAlone: true, batches: undefined }));
  return ends.map((files) => ({
    tally: sumOf(files.map(({ tally }) => tally)),
    ms: files.length === 0 ? 0 : Math.max(...files.map(({ to }) => to)) - Math.min(...files.map(({ from }) => from)),
  }));
}

interface FileTally {
  readonly tally: Tally;
  readonly from: number;
  readonly to: number;
}

async function timed(file: string, args: EntryArgs): Promise<FileTally> {
  const from = performance.now();
  return { tally: await runEntry(file, args), from, to: performance.now() };
}

/** The files that may run beside others, and those that may not. */
export function parted(
  files: readonly string[],
  { root, suite }: Pick<SuiteRunArgs, "root"> & { readonly suite: Pick<TestFiles, "alone"> },
): { readonly together: readonly string[]; readonly alone: readonly string[] } {
  const isAlone = (file: string): boolean => suite.alone?.includes(relative(root, file)) === true;
  return { together: files.filter((file) => !isAlone(file)), alone: files.filter(isAlone) };
}

interface EntryArgs extends SuiteRunArgs {
  readonly batches: Batches | undefined;
  /** Whether what it says can be shown as it comes. */
  readonly isAlone: boolean;
}

async function runEntry(entry: string, args: EntryArgs): Promise<Tally> {
  const { root, suite, only, batches, isAlone } = args;
  const name = batches ? (/batch-[\w-]+/.exec(entry)?.[0] ?? entry) : relative(root, entry);
  const texts = new Array<string>();
  const onText = (text: string): void => {
    if (isAlone) process.stdout.write(text);
    else texts.push(text);
  };
  console.log(pc.dim(`… ${name}`));
  const { ends, ms } = await runFile({
    ...{ root, entry, isBatch: batches !== undefined, only, onText },
    testMs: suite.testMinutes * 60_000,
    fileMs: suite.minutes * 60_000,
    environment: args.environmentOf(name),
  });
  const files = batches === undefined ? [{ file: name, ends, ms }] : filesIn(batches.filesOf(entry), ends, root);
  const lines = files.flatMap((file) => args.onFile(file));
  const head = pc.bold(`\n${name}`) + pc.dim(` (${durationText(ms)})`);
  console.log([...(isAlone ? [] : [head, texts.join("").trimEnd()]), ...lines].join("\n"));
  return tallyOf(ends.filter((end) => !isFileInBatch(end)));
}

/** What was reported of each file of a batch. One without a report did not get so far: its process died before. */
export function filesIn(files: readonly string[], ends: readonly TestEnd[], root: string): FileEnd[] {
  const whole = ends.filter(({ nesting, name }) => nesting === 0 && name === wholeFile);
  return files.map((full) => {
    const file = relative(root, full);
    const suite = ends.find((end) => isFileInBatch(end) && end.name === file);
    const own = ends.filter((end) => end.file === file && !isFileInBatch(end));
    return { file, ends: suite === undefined ? [...own, ...whole] : own, ms: suite?.ms ?? 0 };
  });
}

/** Counts tests; a suite counts only where it failed by itself, as when a hook of it did. */
export function tallyOf(ends: readonly TestEnd[]): Tally {
  const counted = ends.filter(
    ({ isSuite, result, reason }) => !isSuite || (result === "failed" && reason !== undefined),
  );
  const failed = counted.filter(({ result }) => result === "failed");
  return {
    passed: counted.filter(({ result }) => result === "passed").length,
    failed: failed.length,
    skipped: counted.filter(({ result }) => result === "skipped").length,
    failures: failed.map(({ file, name, reason }) => `${file}: ${name}\n${reason ?? "    a test within it failed"}`),
  };
}
