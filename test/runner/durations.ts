// How long everything took: what a run learns, summed up by suite, file, phase and test; kept of the last whole run.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Note } from "./notes";
import type { SuiteName } from "../suites";
import type { FileEnd } from "./suite-run";

/** Where those of the last whole run lie, committed. */
export const durationsFile = join(__dirname, "../results/durations.json");

const seconds = z.number();

const Durations = z.object({
  commit: z.string(),
  /** UTC. */
  date: z.string(),
  cores: z.int(),
  node: z.string(),
  total: seconds,
  suites: z.array(z.object({ suite: z.string(), seconds, files: z.int(), tests: z.int() })),
  checks: z.array(z.object({ check: z.string(), seconds })),
  /** The longest first. `startUp`: until the first test began, in files that say so. */
  files: z.array(
    z.object({ file: z.string(), suite: z.string(), seconds, startUp: seconds.optional(), tests: z.int() }),
  ),
  /** Steps of the harness, over all files. */
  phases: z.array(z.object({ phase: z.string(), seconds, times: z.int() })),
  /** Without the start-up of their file. */
  slowest: z.array(z.object({ file: z.string(), test: z.string(), seconds })),
});
export type Durations = z.infer<typeof Durations>;

/** What a run learnt. */
export interface Timings {
  readonly suites: readonly { readonly suite: SuiteName; readonly ms: number }[];
  readonly checks: readonly { readonly check: string; readonly ms: number }[];
  readonly files: readonly (FileEnd & { readonly suite: SuiteName })[];
  readonly notes: readonly Note[];
}

/** Which run it was. */
export type RunFacts = Pick<Durations, "commit" | "date" | "cores" | "node"> & { readonly ms: number };

/** How many of the slowest tests are kept. */
const keptTests = 50;

/** Seconds, to a tenth. */
const secondsOf = (ms: number): number => Math.round(ms / 100) / 10;

/** Sums up. */
export function durationsOf({ suites, checks, files, notes }: Timings, { ms, ...facts }: RunFacts): Durations {
  const started = new Map(notes.flatMap((note) => (note.kind === "started" ? [[note.file, note]] : [])));
  const tests = files.flatMap(({ file, ends }) => {
    const hooksMs = started.get(file)?.hooksMs ?? 0;
    const own = ends.filter(({ isSuite }) => !isSuite);
    // the first test waits for what the whole file needs
    const first = ends.find(({ nesting }) => nesting === 0);
    return own.map((end) => ({ file, test: end.name, ms: end === first ? Math.max(0, end.ms - hooksMs) : end.ms }));
  });
  const bySuite = (suite: SuiteName): Timings["files"] => files.filter((file) => file.suite === suite);
  return {
    ...facts,
    total: secondsOf(ms),
    suites: suites.map(({ suite, ms: took }) => {
      const own = bySuite(suite);
      return {
        suite,
        seconds: secondsOf(took),
        files: own.length,
        tests: own.reduce((sum, file) => sum + testsIn(file), 0),
      };
    }),
    checks: checks.map(({ check, ms: took }) => ({ check, seconds: secondsOf(took) })).sort(longestFirst),
    files: files
      .map((file) => {
        const start = started.get(file.file);
        const startUp = start && { startUp: secondsOf(start.ms) };
        return { file: file.file, suite: file.suite, seconds: secondsOf(file.ms), ...startUp, tests: testsIn(file) };
      })
      .sort(longestFirst),
    phases: phasesIn(notes),
    slowest: tests
      .sort((a, b) => b.ms - a.ms)
      .slice(0, keptTests)
      .map(({ ms: took, ...test }) => ({ ...test, seconds: secondsOf(took) })),
  };
}

const testsIn = ({ ends }: FileEnd): number => ends.filter(({ isSuite }) => !isSuite).length;

const longestFirst = (a: { readonly seconds: number }, b: { readonly seconds: number }): number =>
  b.seconds - a.seconds;

function phasesIn(notes: readonly Note[]): Durations["phases"] {
  const sums = new Map<string, { ms: number; times: number }>();
  for (const note of notes) {
    if (note.kind !== "phase") continue;
    const { ms, times } = sums.get(note.name) ?? { ms: 0, times: 0 };
    sums.set(note.name, { ms: ms + note.ms, times: times + 1 });
  }
  const phases = [...sums].map(([phase, { ms, times }]) => ({ phase, seconds: secondsOf(ms), times }));
  return phases.sort(longestFirst);
}

/** Those of the last whole run; undefined where there are none. */
export function readDurations(file = durationsFile): Durations | undefined {
  try {
    return Durations.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** With the files that were left for other commits, as they were before: by them a later run knows which to begin with. */
export function withLeftOut(
  durations: Durations,
  before: Durations | undefined,
  leftOut: ReadonlySet<string>,
): Durations {
  const ran = new Set(durations.files.map(({ file }) => file));
  const kept = (before?.files ?? []).filter(({ file }) => leftOut.has(file) && !ran.has(file));
  return { ...durations, files: [...durations.files, ...kept].sort(longestFirst) };
}

export function writeDurations(durations: Durations, file = durationsFile): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(durations, undefined, 2)}\n`);
}

/** Files in the order in which to run them: the longest first, by the last whole run; new ones before all others. */
export function longestFilesFirst(files: readonly string[], root: string, known: Durations | undefined): string[] {
  const took = new Map(known?.files.map(({ file, seconds: ofFile }) => [join(root, file), ofFile]));
  const secondsIn = (file: string): number => took.get(file) ?? Infinity;
  // equal ones, Infinity among them, stay in the order of their names
  return [...files].sort((a, b) => (secondsIn(a) === secondsIn(b) ? 0 : secondsIn(b) - secondsIn(a)));
}
