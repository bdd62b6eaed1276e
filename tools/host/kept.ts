// Directories that take long to create and may be used many times: one process creates one, the others wait, and it is
// removed once no process has used it for a while, or many others were used since.
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
  /** How many of a kind stay when a new one is created, those used last. Default: 12. */
  readonly atMost?: number;
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
  if (isNew) await removeUnused(directory, options);
}

async function provideLocked(directory: string, fill: (draft: string) => Promise<void>): Promise<boolean> {
  const isNew = !(await isPresent(directory));
  if (isNew) await makeWhole(directory, fill);
  const now = new Date();
  // who removes what is unused holds the lock, too, and goes by this time
  await utimes(directory, now, now);
  return isNew;
}

async function removeUnused(directory: string, { unusedHours = 48, atMost = 12 }: KeptOptions): Promise<void> {
  const parent = dirname(directory);
  const names = (await readdir(parent)).filter((name) => !name.includes(".lock") && name !== basename(directory));
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(parent, name);
      return { path, whole: join(parent, wholeOfName(name)), used: await timeOf(path) };
    }),
  );
  const others = found.filter(({ path, whole }) => path === whole).sort((a, b) => b.used - a.used);
  const surplus = new Set(others.slice(atMost - 1));
  const isOld = (used: number): boolean => Date.now() - used > unusedHours * HOUR_MILLISECONDS;
  for (const one of found.filter((other) => surplus.has(other) || isOld(other.used)))
    await withLock(lockOfWhole(one.whole), async () => {
      // unless it was used meanwhile
      if ((await timeOf(one.path)) === one.used) await rm(one.path, { recursive: true, force: true });
    });
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
