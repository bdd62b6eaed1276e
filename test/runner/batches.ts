// Unit tests are small and many: a process for each file would do little but start. They share some, file by file.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files for node's runner that each stand for several files of tests. */
export interface Batches {
  /** In full. */
  readonly entries: readonly string[];
  /** The files that an entry stands for. */
  filesOf(entry: string): readonly string[];
  /** Removes what was created. */
  close(): Promise<void>;
}

/** Deals files out to `count` hands, so that each has some of the first, which are the longest. */
export function dealt<T>(items: readonly T[], count: number): T[][] {
  const hands = Array.from({ length: count }, (_, hand) => items.filter((_, index) => index % count === hand));
  return hands.filter((hand) => hand.length > 0);
}

/** Creates `count` batches of these files, given in full. */
export async function openBatches(root: string, files: readonly string[], count: number): Promise<Batches> {
  const directory = await mkdtemp(join(tmpdir(), "test-batches-"));
  const parts = dealt(files, count);
  const entries = new Map<string, readonly string[]>();
  for (const [index, part] of parts.entries()) {
    const entry = join(directory, `batch-${index + 1}-of-${parts.length}.cjs`);
    const call = `registerFiles(${JSON.stringify(root)}, ${JSON.stringify(part)})`;
    await writeFile(entry, `require(${JSON.stringify(join(__dirname, "batch.ts"))}).${call};\n`);
    entries.set(entry, part);
  }
  return {
    entries: [...entries.keys()],
    filesOf: (entry) => entries.get(entry) ?? [entry],
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
