// The operator's processes as /proc shows them: its Pulumi CLI, the provider of that, and what is left in its directories.
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";
import { familyOf } from "../judges/invariants/processes";

/** Who can be killed or stopped in the middle of a run. */
export const victims = ["operator", "cli", "provider"] as const;
export type Victim = (typeof victims)[number];

interface Seen {
  readonly pid: number;
  /** Name of the program. */
  readonly program: string;
  readonly directory: string;
}

const programOf: Readonly<Record<Exclude<Victim, "operator">, string>> = {
  cli: "pulumi",
  provider: "pulumi-resource-kubernetes",
};

/** The number of a process of that operator; undefined where it has none now. */
export function findVictim(operator: number, victim: Victim): number | undefined {
  if (victim === "operator") return operator;
  return familyOf(operator).find(({ argv }) => basename(argv.split(" ")[0] ?? "") === programOf[victim])?.pid;
}

/** Processes whose working directory is `directory` or below it, as `number program`. */
export async function processesIn(directory: string): Promise<string[]> {
  const seen = await allProcesses();
  return seen
    .filter((process) => process.directory === directory || process.directory.startsWith(`${directory}/`))
    .map(({ pid, program }) => `${pid} ${program}`);
}

/** Whether the process has not ended; one that its parent has not noticed yet has. */
export async function isRunning(pid: number): Promise<boolean> {
  const state = (await statOf(pid))?.[0];
  return state !== undefined && state !== "Z";
}

/** Number of open descriptors. */
export async function openDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

/** Memory that the process has in use, in MiB. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

async function allProcesses(): Promise<Seen[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const seen = await Promise.all(pids.map(look));
  return seen.filter((process) => process !== undefined);
}

async function look(pid: number): Promise<Seen | undefined> {
  const stat = await statOf(pid);
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (stat === undefined || command === "") return undefined;
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => "");
  return { pid, program: basename(command.split("\0")[0] ?? ""), directory };
}

/** State, parent and so on: what stands after the program's name, which may hold blanks. */
async function statOf(pid: number): Promise<readonly string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}
