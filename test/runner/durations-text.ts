// Where the time of a run went, for the end of its output.
import pc from "picocolors";
import { durationText } from "../../tools/progress";
import type { Durations } from "./durations";

/** How many files and tests are shown. */
const shown = 10;
const barWidth = 16;

/** Full up to a share, and of `mark` from its beginning up to another. */
export function bar(share: number, marked = 0): string {
  const full = Math.max(share > 0 ? 1 : 0, Math.round(share * barWidth));
  const dim = Math.min(full, Math.round(share * marked * barWidth));
  return `${"▒".repeat(dim)}${"█".repeat(full - dim)}`.padEnd(barWidth);
}

const time = (seconds: number): string => durationText(seconds * 1000).padStart(7);

const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

/** The lines: by suite, by phase, the slowest files with the share of their start-up, and the slowest tests. */
export function durationsText({ suites, phases, files, slowest, total }: Durations): string[] {
  if (suites.length === 0) return [];
  const longest = files[0]?.seconds ?? 0;
  const slow = slowest[0]?.seconds ?? 0;
  return [
    pc.bold("where the time went"),
    ...suites.map(({ suite, seconds, files: count, tests }) => {
      const what = count === 0 ? "" : pc.dim(`${tests} tests in ${count} files`);
      return `${time(seconds)} ${pc.cyan(bar(shareOf(seconds, total)))} ${suite.padEnd(8)}${what}`;
    }),
    ...section(
      "steps of the harness, in all files together",
      phases.slice(0, shown).map(({ phase, seconds, times }) => {
        const each = times === 1 ? "" : pc.dim(`${times} times`);
        return `${time(seconds)} ${pc.cyan(bar(shareOf(seconds, phases[0]?.seconds ?? 0)))} ${phase} ${each}`;
      }),
    ),
    ...section(
      "slowest files, ▒ until the first test began",
      files.slice(0, shown).map(({ file, seconds, startUp = 0 }) => {
        const share = Math.min(1, shareOf(startUp, seconds));
        const percent = startUp === 0 ? "    " : `${String(Math.round(share * 100)).padStart(2)} %`;
        return `${time(seconds)} ${pc.cyan(bar(shareOf(seconds, longest), share))} ${pc.dim(percent)} ${file}`;
      }),
    ),
    ...section(
      "slowest tests, start-up apart",
      slowest.slice(0, shown).map(({ file, test, seconds }) => {
        return `${time(seconds)} ${pc.cyan(bar(shareOf(seconds, slow)))} ${shortened(test)} ${pc.dim(file)}`;
      }),
    ),
  ].map((line) => line.trimEnd());
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [pc.bold(title), ...lines];

const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name);
