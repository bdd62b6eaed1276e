// The private directory of one run: it holds the state for as long as the run lasts, and what is left of dead runs is swept.
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { project } from "./names";
import type { Checkpoint } from "./runner";

const prefix = "database-operator-run-";

export class RunDirectory {
  private constructor(
    readonly path: string,
    readonly stack: string,
  ) {}

  /** Makes the directory below `base`, readable by this user only, with `checkpoint` laid out in it. */
  static async create(base: string, stack: string, checkpoint: Checkpoint | undefined): Promise<RunDirectory> {
    const directory = new RunDirectory(await mkdtemp(join(base, `${prefix}${process.pid}-`)), stack);
    await mkdir(join(directory.path, "home"));
    await mkdir(join(directory.path, "work"));
    await mkdir(join(directory.path, "state", ".pulumi", "stacks", project), { recursive: true });
    if (checkpoint !== undefined) await writeFile(directory.#checkpointFile, checkpoint, { mode: 0o600 });
    return directory;
  }

  /** Pulumi's working directory. */
  get work(): string {
    return join(this.path, "work");
  }

  /** PULUMI_HOME. */
  get home(): string {
    return join(this.path, "home");
  }

  /** URL of the file backend. */
  get backend(): string {
    return `file://${join(this.path, "state")}`;
  }

  get #checkpointFile(): string {
    return join(this.path, "state", ".pulumi", "stacks", project, `${this.stack}.json`);
  }

  /** What the run left; undefined where it left nothing. */
  async checkpoint(): Promise<Checkpoint | undefined> {
    return readFile(this.#checkpointFile, "utf8").catch(() => undefined);
  }

  /** Ends whatever still runs in the directory and removes it. */
  async remove(): Promise<void> {
    await killProcessesIn(this.path);
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Removes the run directories below `base` whose operator is dead, and ends processes that still work in them.
 * A directory that carries this process's own number is a predecessor's too: call this before the first run.
 */
export async function sweepRunDirectories(base: string): Promise<number> {
  let swept = 0;
  for (const name of await readdir(base)) {
    const owner = /^database-operator-run-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || (Number(owner) !== process.pid && isAlive(Number(owner)))) continue;
    await killProcessesIn(join(base, name));
    await rm(join(base, name), { recursive: true, force: true, maxRetries: 3 });
    swept++;
  }
  return swept;
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
export async function killProcessesIn(directory: string): Promise<void> {
  const entries = await readdir("/proc").catch(() => []);
  for (const pid of entries.filter((name) => /^\d+$/.test(name)).map(Number)) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (pid !== process.pid && (cwd === directory || cwd.startsWith(`${directory}/`))) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it ended by itself in between
  }
}
