// Directories that are created as a whole: filled beside their place and then moved there, so that half of one is never used.
import { chmod, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const DRAFT = ".draft-";

/** The lock that a process must hold to create `directory`. */
export const lockOfWhole = (directory: string): string => `${directory}.lock`;

/** The directory that a name beside it is about, where that is a draft of it; else the name itself. */
export const wholeOfName = (name: string): string => name.split(DRAFT)[0] ?? name;

/** Creates `directory`, which is not there, with what `fill` puts into it. For who holds its lock. */
export async function makeWhole(directory: string, fill: (draft: string) => Promise<void>): Promise<void> {
  // the process that left a draft is dead: the lock is ours
  await removeDrafts(directory);
  const draft = await mkdtemp(`${directory}${DRAFT}`);
  try {
    await fill(draft);
    await chmod(draft, 0o755);
    await rename(draft, directory);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function removeDrafts(directory: string): Promise<void> {
  const parent = dirname(directory);
  const prefix = `${basename(directory)}${DRAFT}`;
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  await Promise.all(drafts.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}
