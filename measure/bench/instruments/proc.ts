// Processes of this machine, by /proc.
import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  /** Resident memory in bytes. */
  readonly rss: number;
}

/** From /proc/<pid>/stat. */
interface Stat {
  readonly parent: number;
  /** Clock ticks of the process and of its children that ended and were waited for. */
  readonly ticks: number;
}

const pageBytes = 4096;
/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Empty where it cannot be read: the process ended in between. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

export function statIn(text: string): Stat | undefined {
  // the name is in brackets and may hold anything
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const parent = fields[1];
  if (text === "" || parent === undefined) return undefined;
  return { parent: Number(parent), ticks: [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) };
}

/** Resident bytes of a process; 0 where it is gone. */
export function residentBytes(pid: number): number {
  return Number(readText(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageBytes;
}

/** Its arguments, with spaces between them. */
export const argumentsOf = (pid: number): string => readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();

/** Processes that descend from `roots`, these among them, with their CPU seconds. */
export function familyOf(roots: Iterable<number>): ReadonlyMap<number, number> {
  const parents = new Map<number, Stat>();
  for (const name of processNumbers()) {
    const stat = statIn(readText(`/proc/${name}/stat`));
    if (stat !== undefined) parents.set(name, stat);
  }
  const family = new Map<number, number>();
  const take = (pid: number): void => {
    const stat = parents.get(pid);
    if (stat === undefined || family.has(pid)) return;
    family.set(pid, stat.ticks / ticksPerSecond);
    for (const [child, { parent }] of parents) if (parent === pid) take(child);
  };
  for (const root of roots) take(root);
  return family;
}

function processNumbers(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
