// Private temporary directories of the operator, and what is left of those of a dead one.
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { signalTo } from "./processes";

const prefix = "database-operator-run-";

export interface TemporaryDirectory {
  readonly path: string;
  /** Ends whatever still runs in the directory and removes it. */
  remove(): Promise<void>;
}

/** Creates a directory below `base`, readable by this user only. */
export async function temporaryDirectory(base: string): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(base, `${prefix}${process.pid}-`));
  return { path, remove: () => removeWithProcesses(path) };
}

/**
 * Removes the directories below `base` whose operator is dead, and ends processes that still work in them.
 * A directory that carries this process's own number is a predecessor's too: call this before the first is created.
 */
export async function sweepDirectories(base: string): Promise<number> {
  let swept = 0;
  for (const name of await readdir(base)) {
    const owner = /^database-operator-run-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || (Number(owner) !== process.pid && isAlive(Number(owner)))) continue;
    await removeWithProcesses(join(base, name));
    swept++;
  }
  return swept;
}

async function removeWithProcesses(directory: string): Promise<void> {
  await killProcessesIn(directory);
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // another user's process lives too: it may just not be signalled
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/**
 * Kills the processes whose working directory lies in `directory`. The engine puts its plugins into process groups of
 * their own, so killing a group does not reach them; where they work does. Linux only: elsewhere plugins end by
 * themselves soon after their engine.
 */
async function killProcessesIn(directory: string): Promise<void> {
  const entries = await readdir("/proc").catch(() => []);
  for (const pid of entries.filter((name) => /^\d+$/.test(name)).map(Number)) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (pid !== process.pid && (cwd === directory || cwd.startsWith(`${directory}/`))) signalTo(pid, "SIGKILL");
  }
}
