// Directories that take long to create and may be used many times: one process creates one, the others wait, and it is
// removed once no process has used it for a while.
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isCode, type LockOptions, withLock } from "./lock";
import { isPresent } from "./packages";
import { lockOfWhole, makeWhole, wholeOfName } from "./whole";

/** How one is kept. */
export interface KeptOptions extends LockOptions {
  /** What lies beside it and was not used for so long is removed when a new one is created. In hours; default: two days. */
  readonly unusedHours?: number;
}

/** A short name for all that decides what is in a kept directory: equal parts give equal keys, others give others. */
export function keyOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

const HOUR_MILLISECONDS = 3_600_000;

/**
 * Creates `directory` with what `fill` puts into a draft of it, unless it is there. Its name says all that decides what is in it;
 * beside it are only others of its kind. Who uses it copies what it needs at once.
 */
export async function provideKept(
  directory: string,
  fill: (draft: string) => Promise<void>,
  options: KeptOptions = {},
): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const isNew = await withLock(lockOfWhole(directory), () => provideLocked(directory, fill), options);
  if (isNew) await removeUnused(directory, (options.unusedHours ?? 48) * HOUR_MILLISECONDS);
}

async function provideLocked(directory: string, fill: (draft: string) => Promise<void>): Promise<boolean> {
  const isNew = !(await isPresent(directory));
  if (isNew) await makeWhole(directory, fill);
  const now = new Date();
  // who removes what is unused holds the lock, too, and goes by this time
  await utimes(directory, now, now);
  return isNew;
}

async function removeUnused(directory: string, milliseconds: number): Promise<void> {
  const parent = dirname(directory);
  const names = (await readdir(parent)).filter((name) => !name.endsWith(".lock") && name !== basename(directory));
  for (const name of names) {
    const path = join(parent, name);
    const isOld = async (): Promise<boolean> => Date.now() - (await timeOf(path)) > milliseconds;
    if (!(await isOld())) continue;
    await withLock(lockOfWhole(join(parent, wholeOfName(name))), async () => {
      if (await isOld()) await rm(path, { recursive: true, force: true });
    });
  }
}

/** When it was last used; now, where another process has removed it. */
async function timeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isCode(error, "ENOENT")) return Date.now();
    throw error;
  }
}
