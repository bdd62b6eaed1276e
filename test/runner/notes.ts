// What a process of tests leaves for the run that started it: one line of JSON for each thing, in a directory of the run.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { z } from "zod";

/** Names the directory; without it nothing is left. */
const directoryVariable = "DATABASE_OPERATOR_TEST_NOTES";

const root = join(__dirname, "../..");

const Note = z.discriminatedUnion("kind", [
  /** A step of the harness, such as the start of a cluster. */
  z.object({ kind: z.literal("phase"), file: z.string(), name: z.string(), ms: z.number() }),
  /** The first test began, so long after the process did; of that the hooks of the whole file took `hooksMs`. */
  z.object({ kind: z.literal("started"), file: z.string(), ms: z.number(), hooksMs: z.number() }),
  /** Tests of a group that rotates: registered, or left for another commit. */
  z.object({ kind: z.literal("rotating"), file: z.string(), group: z.string(), tests: z.int(), isHere: z.boolean() }),
]);
export type Note = z.infer<typeof Note>;

type WithoutFile<T> = T extends unknown ? Omit<T, "file"> : never;

/** The file of tests that this process runs, below the root. */
export const presentFile = (): string => relative(root, process.argv[1] ?? "");

/** Leaves a note about the file of tests that this process runs. */
export function leaveNote(note: WithoutFile<Note>): void {
  const directory = process.env[directoryVariable];
  if (directory === undefined) return;
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${JSON.stringify({ ...note, file: presentFile() })}\n`);
}

/** What the processes of one run leave. */
export interface Notes {
  /** Everything that was left up to now. */
  read(): readonly Note[];
  /** Removes the directory. */
  close(): Promise<void>;
}

/** Creates the directory, and names it to the processes that this one starts. */
export async function openNotes(): Promise<Notes> {
  const directory = await mkdtemp(join(tmpdir(), "test-notes-"));
  process.env[directoryVariable] = directory;
  return {
    read: () => readdirSync(directory).flatMap((name) => notesIn(readFileSync(join(directory, name), "utf8"))),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The notes in a file; the last line of a process that was killed may not be whole. */
export function notesIn(text: string): Note[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [Note.parse(JSON.parse(line))];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}
