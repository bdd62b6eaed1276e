// Which groups of the slow tail passed when: committed, so that a change since then forces the group.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { groupNames, groups, wholeFilesOf, type GroupName } from "./groups";
import { contentOf } from "./history";
import type { Note } from "./notes";
import { sourcesOf } from "./told";

const root = join(__dirname, "../..");
const file = join(__dirname, "../results/rotation.json");

const Passed = z.object({
  commit: z.string(),
  /** UTC. */
  date: z.string(),
  /** Of the group's folders and tests, at that time. */
  content: z.string(),
});
/** When a group last passed, and what its folders held. */
export type Passed = z.infer<typeof Passed>;

/** By group. */
export type RotationRecord = Readonly<Record<string, Passed>>;

export function readRotation(): RotationRecord {
  try {
    return z.record(z.string(), Passed).parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

/** Writes it, sorted, without groups that are no more. */
export function writeRotation(record: RotationRecord): void {
  const kept = groupNames.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]] as const]));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}

const mentionOf = (name: GroupName): RegExp => new RegExp(`\\brotating(?:Story)?\\(\\s*"${name}"`);

const mentions = (path: string, name: GroupName): boolean =>
  mentionOf(name).test(readFileSync(join(root, path), "utf8"));

/** Where tests of a group are registered, below the root. */
export function filesByGroup(sources: ReadonlyMap<string, string> = testSources()): ReadonlyMap<GroupName, string[]> {
  const found = groupNames.map((name): [GroupName, string[]] => {
    const mentioned = [...sources].filter(([, text]) => mentionOf(name).test(text)).map(([path]) => path);
    return [name, [...new Set([...mentioned, ...wholeFilesOf(name)])]];
  });
  return new Map(found);
}

function testSources(): ReadonlyMap<string, string> {
  const files = globSync("test/{cluster,faults,e2e}/**/*.test.ts", { cwd: root }).sort();
  return new Map(files.map((path) => [path, [...sourcesOf(path).values()].join("\n")]));
}

/** What is in a group's folders and tests; undefined where it is not known. */
export type ContentOf = (group: GroupName) => string | undefined;

/** Reads it by git, once: what changes during a run is not what the run tests. A group without tests has none. */
export function presentContents(): ContentOf {
  const files = filesByGroup();
  const contents = groupNames.map((name): [GroupName, string | undefined] => {
    const own = files.get(name) ?? [];
    const sources = own.flatMap((path) =>
      [...sourcesOf(path).keys()].filter((one) => one === path || mentions(one, name)),
    );
    return [name, own.length === 0 ? "" : contentOf([...groups[name].folders, ...sources])];
  });
  const known = new Map(contents);
  return (name) => known.get(name);
}

/** The groups about something that has changed since they last passed, or that are not known to have passed at all. */
export function changedGroups(record: RotationRecord, content: ContentOf): GroupName[] {
  return groupNames.filter((name) => {
    const now = content(name);
    // without tests there is nothing to run
    return now !== "" && (now === undefined || record[name]?.content !== now);
  });
}

/** What a run learnt of groups. */
export interface RotationRun {
  readonly notes: readonly Note[];
  /** Files that are over, below the root: of others nothing is known yet. */
  readonly ended: ReadonlySet<string>;
  /** Files in which something failed, below the root. */
  readonly failed: ReadonlySet<string>;
  readonly content: ContentOf;
  readonly commit: string;
  readonly date: string;
}

/** The record with the groups of a run that passed: all of their files ran, and nothing failed in them. */
export function recordOf(
  before: RotationRecord,
  { notes, ended, failed, content, commit, date }: RotationRun,
): RotationRecord {
  const files = filesByGroup();
  const passed = groupNames.flatMap((name) => {
    const ran = notes.filter((note) => note.kind === "rotating" && note.group === name && note.isHere);
    const expected = files.get(name) ?? [];
    const seen = new Set(ran.map((note) => note.file));
    const isWhole =
      expected.length > 0 && expected.every((path) => seen.has(path) && ended.has(path) && !failed.has(path));
    const now = content(name);
    return isWhole && now !== undefined ? [[name, { commit, date, content: now }] as const] : [];
  });
  return { ...before, ...Object.fromEntries(passed) };
}

/** How many tests were left for other commits, and of how many groups. */
export function leftOutIn(notes: readonly Note[]): { tests: number; groups: number } {
  const left = notes.flatMap((note) => (note.kind === "rotating" && !note.isHere ? [note] : []));
  return {
    tests: left.reduce((sum, { tests }) => sum + tests, 0),
    groups: new Set(left.map(({ group }) => group)).size,
  };
}

/** Files of which some tests were left for other commits. */
export const filesLeftOut = (notes: readonly Note[]): ReadonlySet<string> =>
  new Set(notes.flatMap((note) => (note.kind === "rotating" && !note.isHere ? [note.file] : [])));
