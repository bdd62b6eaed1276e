// What belongs to an operator on this machine: its processes, their arguments, and files. Linux only; elsewhere nothing is found.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** A process of this machine. */
interface Process {
  readonly pid: number;
  /** Arguments, with spaces between them. */
  readonly argv: string;
}

const allProcesses = (): Process[] => numbersIn("/proc").flatMap(processIn);

/** Nothing where it has ended, also where its end was not taken note of yet. */
function processIn(pid: number): Process[] {
  const stat = read(`/proc/${pid}/stat`);
  // the name is in brackets and may hold anything
  const [state] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || state === "Z" || state === "X" || stat === "") return [];
  return [{ pid, argv: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }];
}

function numbersIn(directory: string): number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Empty where it cannot be read: the process ended in between. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The process and all that it started, directly or not. It is asked for some times a second: so it looks at these alone, by what each thread started. */
export function familyOf(pid: number): readonly Process[] {
  const family = processIn(pid);
  for (const member of family) family.push(...childrenOf(member.pid).flatMap(processIn));
  return family;
}

function childrenOf(pid: number): readonly number[] {
  const children = (thread: number): readonly string[] => read(`/proc/${pid}/task/${thread}/children`).split(" ");
  return numbersIn(`/proc/${pid}/task`)
    .flatMap(children)
    .filter((child) => child !== "")
    .map(Number);
}

/** What translates TypeScript for a program under tsx; it ends with it. */
const translator = /\/esbuild --service=/;

/** Processes that work in one of the directories, or were started with one of them in their environment. */
export function processesOf(directories: readonly string[], except: ReadonlySet<number>): readonly Process[] {
  return allProcesses().filter(({ pid, argv }) => {
    if (except.has(pid) || pid === process.pid || translator.test(argv)) return false;
    const cwd = linkOf(`/proc/${pid}/cwd`);
    if (directories.some((directory) => cwd === directory || cwd.startsWith(`${directory}/`))) return true;
    const environment = read(`/proc/${pid}/environ`);
    return directories.some((directory) => environment.includes(directory));
  });
}

/** The resident Pulumi that an operator keeps while it lives: its processes, and the directory that they work in. */
export function residentOf(operator: number): { readonly pids: ReadonlySet<number>; readonly directory: string } {
  const resident = familyOf(operator).find(({ argv }) => /pulumi-resident( |$)/.test(argv));
  if (resident === undefined) return { pids: new Set(), directory: "" };
  const pids = new Set(familyOf(resident.pid).map(({ pid }) => pid));
  return { pids, directory: linkOf(`/proc/${resident.pid}/cwd`) };
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Of Node and tsx: what they keep there is theirs and is meant to be used again. */
const caches = /^(tsx-|node-compile-cache|node-coverage)/;

/** Paths in a directory, its own not among them; empty where there is no such directory. */
export async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => !caches.test(name)).map((name) => join(directory, name));
}

export const lineOf = ({ pid, argv }: Process): string => `${pid} (${argv.slice(0, 120)})`;
