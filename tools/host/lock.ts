// A lock between processes: a file that names its holder; the lock of a dead holder passes to the next.
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isAlive, ownIdentity, ProcessIdentity } from "./identity";
import { pause } from "./wait";

/** How to wait for a lock. */
export interface LockOptions {
  /** Called once when another process holds the lock. */
  onWait?: (holder: ProcessIdentity) => void;
  /** Gives up waiting when aborted. */
  signal?: AbortSignal;
}

/** Runs `work` while holding the lock `file`; waits for as long as another living process holds it. */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  await acquire(file, options);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Takes the lock for as long as this process lives; false where a living process has it, be it this one. */
export async function tryLock(file: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true });
  return (await holderIn(file)) === undefined;
}

async function acquire(file: string, { onWait, signal }: LockOptions): Promise<void> {
  let told = false;
  for (;;) {
    const holder = await holderIn(file);
    if (holder === undefined) return;
    if (!told) onWait?.(holder);
    told = true;
    await pause(200, signal);
  }
}

/** The living process that has the lock; undefined where this one has taken it. */
async function holderIn(file: string): Promise<ProcessIdentity | undefined> {
  while (!(await tryAcquire(file))) {
    const holder = await holderOf(file);
    if (holder && isAlive(holder)) return holder;
    if (holder) await breakLock(file, holder);
  }
  return undefined;
}

/** Creates the file with its content in one step, so that no process ever reads half of it. */
async function tryAcquire(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(ownIdentity()));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function holderOf(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return ProcessIdentity.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new Error(`${file} is not a lock file; remove it if no other command is running`, { cause: error });
  }
}

/** Removes the lock of a dead holder; when another waiter was faster and already holds it, gives that lock back. */
async function breakLock(file: string, dead: ProcessIdentity): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    const moved = await holderOf(aside);
    if (moved && (moved.pid !== dead.pid || moved.started !== dead.started)) await link(aside, file);
  } catch (error) {
    if (!isCode(error, "ENOENT") && !isCode(error, "EEXIST")) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Answers whether `error` is a system error with that code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
