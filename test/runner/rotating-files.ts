// Whole files of tests that belong to a group of the slow tail: which of them a run starts, and what it says of the others.
import { groupNames, wholeFilesOf } from "./groups";
import type { Note } from "./notes";
import { isInForce } from "./rotation";

/** What a run does with some files. */
export interface FilesInTurn {
  /** Those that it starts, in the same order. */
  readonly taken: readonly string[];
  /** One for each file that belongs to a group. */
  readonly notes: readonly Note[];
}

/**
 * Of files below the root, those that the groups in force take: `value` is that of the variable, and `testsOf` how many tests a file is known
 * to have.
 */
export function filesInTurn(
  files: readonly string[],
  value: string | undefined,
  testsOf: (file: string) => number,
): FilesInTurn {
  const groupOf = new Map(groupNames.flatMap((name) => wholeFilesOf(name).map((file) => [file, name] as const)));
  const taken = new Array<string>();
  const notes = new Array<Note>();
  for (const file of files) {
    const group = groupOf.get(file);
    const isHere = group === undefined || isInForce(group, value);
    if (isHere) taken.push(file);
    if (group !== undefined) notes.push({ kind: "rotating", file, group, tests: testsOf(file), isHere });
  }
  return { taken, notes };
}

/** Those of the files, below the root, of which no group was left for other commits: in the others a test may have had no turn. */
export function filesInFull(files: readonly string[], notes: readonly Note[]): readonly string[] {
  const parts = new Set(notes.flatMap((note) => (note.kind === "rotating" && !note.isHere ? [note.file] : [])));
  return files.filter((file) => !parts.has(file));
}
