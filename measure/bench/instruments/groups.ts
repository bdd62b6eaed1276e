// The two ways of measuring what a program and its children cost.
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessGroup } from "./process-group";
import { familyOf, readText, residentBytes, type Process } from "./proc";

/** cgroup version 1's accounting of CPU time. */
const accounting = "/sys/fs/cgroup/cpuacct";

const prefix = "database-operator-bench-";

/** Opens a group: a cgroup where this machine lets us create one. */
export function openGroup(name: string): ProcessGroup {
  const directory = join(accounting, `${prefix}${process.pid}-${name}`);
  removeLeftovers();
  try {
    mkdirSync(directory);
    // a directory alone proves nothing where no cgroups are mounted
    if (readText(join(directory, "cpuacct.usage")) !== "") return new Cgroup(directory);
    rmdirSync(directory);
  } catch {
    // not root, or another version of cgroups
  }
  return new ProcFamily();
}

/** Groups of benchmarks that were ended before they could tidy up. */
function removeLeftovers(): void {
  const names = existsSync(accounting) ? readdirSync(accounting) : [];
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const owner = name.slice(prefix.length).split("-")[0] ?? "";
    if (!existsSync(`/proc/${owner}`)) removeGroup(join(accounting, name));
  }
}

function removeGroup(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // something in it still lives: the next benchmark tries again
  }
}

/** Accounts for each instruction of every process in it, however short-lived. */
class Cgroup implements ProcessGroup {
  readonly how = "a cgroup of its own (cpuacct), which counts every process however short-lived";
  readonly #directory: string;
  readonly #home = join(accounting, ownPath(), "cgroup.procs");

  constructor(directory: string) {
    this.#directory = directory;
  }

  async starting<T>(start: () => Promise<T>): Promise<T> {
    // a child is born into the group of its parent; what this process itself does meanwhile is counted too
    this.include(process.pid);
    try {
      return await start();
    } finally {
      writeFileSync(this.#home, String(process.pid));
    }
  }

  include(pid: number): void {
    const family = pid === process.pid ? [pid] : familyOf([pid]).keys();
    for (const member of family) this.#take(member);
  }

  cpuSeconds(): number {
    return Number(readText(join(this.#directory, "cpuacct.usage"))) / 1e9;
  }

  members(): readonly Process[] {
    return this.#pids().map((pid) => ({ pid, rss: residentBytes(pid) }));
  }

  close(): void {
    removeGroup(this.#directory);
  }

  #take(pid: number): void {
    try {
      writeFileSync(join(this.#directory, "cgroup.procs"), String(pid));
    } catch {
      // it ended by itself in between
    }
  }

  #pids(): number[] {
    const lines = readText(join(this.#directory, "cgroup.procs")).split("\n");
    return lines.filter((line) => line !== "" && line !== String(process.pid)).map(Number);
  }
}

/** Where this process is accounted for by itself. */
function ownPath(): string {
  const line = readText("/proc/self/cgroup")
    .split("\n")
    .find((text) => /^\d+:([^:]*,)?cpuacct[,:]/.test(text));
  return line?.split(":")[2] ?? "/";
}

/** Reads the family's own counters; a process that ended counts once its parent has waited for it. */
class ProcFamily implements ProcessGroup {
  readonly how = "samples of /proc, with the time of children that ended";
  readonly #roots = new Set<number>();

  starting<T>(start: () => Promise<T>): Promise<T> {
    return start();
  }

  include(pid: number): void {
    this.#roots.add(pid);
  }

  cpuSeconds(): number {
    return [...familyOf(this.#roots).values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  members(): readonly Process[] {
    return [...familyOf(this.#roots).keys()].map((pid) => ({ pid, rss: residentBytes(pid) }));
  }

  close(): void {
    this.#roots.clear();
  }
}
