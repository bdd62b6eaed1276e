// The node's own namespaces: processes, mounts and network devices of a node live in them and end with their first process.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CommandOptions, run } from "../../../host/command";
import { identityOf, isAlive, ProcessIdentity } from "../../../host/identity";
import { readOptional, writeWhole } from "./files";
import type { NodePlace } from "../nodes";
import type { ProcessArgs } from "../../processes";

/** Inside the sandbox the node's directory has this name, short enough for sockets in it. */
export const NODE = "/run/node";

/** Inside the sandbox volumes are mounted below this directory. */
export const VOLUMES = "/run/volumes";

const PROCESS = "node-sandbox";

/** File in the node's directory that says that the sandbox is furnished, with the number of its first process. */
const READY = "sandbox.pid";

/** A program to run inside a sandbox. */
export type SandboxProcess = Pick<ProcessArgs, "name" | "command" | "args">;

/** The namespaces of a running node. */
export interface Sandbox {
  /** Number of their first process on this machine. */
  readonly pid: number;
  /** Runs a program inside to its end and returns what it printed. */
  run(program: string, args: readonly string[], options?: CommandOptions): Promise<string>;
  /** Starts a program inside that stays. */
  readonly start: (process: SandboxProcess) => void;
}

/**
 * Kernel settings that a kubelet wants and would otherwise set for the whole machine: it reads these from files that are
 * laid over the real ones, inside only, and leaves the machine as it is.
 */
const TUNABLES: Readonly<Record<string, number>> = {
  "vm/overcommit_memory": 1,
  "vm/panic_on_oom": 0,
  "kernel/panic": 10,
  "kernel/panic_on_oops": 1,
  "kernel/keys/root_maxkeys": 1_000_000,
  "kernel/keys/root_maxbytes": 25_000_000,
};

/** Shell script that furnishes fresh namespaces, then becomes their first process. Arguments: the node's directory, the program. */
function furnish(): string {
  const tunables = Object.entries(TUNABLES).map(([name, value]) => {
    const file = `/run/tunables/${name.replaceAll("/", "-")}`;
    return `if [ -e /proc/sys/${name} ]; then echo ${value} >${file}; mount --bind ${file} /proc/sys/${name}; fi`;
  });
  return [
    "set -eu",
    // the machine's /proc still: it shows this process's number there
    "read -r pid rest </proc/self/stat",
    "mount --make-rshared /",
    "mount -t proc proc /proc",
    "mount -t tmpfs -o mode=0755 node /run",
    `mkdir -p ${NODE} ${VOLUMES} /run/tunables /run/lock /run/var/upper /run/var/work`,
    `mount --bind "$1" ${NODE}`,
    // what the node's programs leave in /var goes into memory
    "mount -t overlay -o lowerdir=/var,upperdir=/run/var/upper,workdir=/run/var/work node /var",
    ...tunables,
    "echo 1 >/proc/sys/net/ipv4/ip_forward",
    // clients of a Service without endpoints, and of addresses outside, always get an error instead of now and then
    "echo 0 >/proc/sys/net/ipv4/icmp_ratelimit",
    `echo "$pid" >${NODE}/${READY}`,
    'exec "$2"',
  ].join("\n");
}

type Place = Pick<NodePlace, "layout" | "processes">;

const recordOf = ({ layout }: Place): string => join(layout.nodes, "sandbox.json");

/** The sandbox of a cluster if its first process lives. */
export async function findSandbox(place: Place): Promise<Sandbox | undefined> {
  const text = await readOptional(recordOf(place));
  if (text === undefined) return undefined;
  const identity = ProcessIdentity.parse(JSON.parse(text));
  return isAlive(identity) ? sandboxOf(place, identity.pid) : undefined;
}

/** Creates the sandbox of a cluster; `program` becomes its first process and must reap orphans. */
export async function makeSandbox(place: Place, program: string): Promise<Sandbox> {
  await mkdir(place.layout.nodes, { recursive: true });
  await rm(join(place.layout.nodes, READY), { force: true });
  const namespaces = ["--mount", "--pid", "--net", "--propagation", "private", "--fork"];
  const script = ["sh", "-c", furnish(), "sh", place.layout.nodes, program];
  // a sandbox is of no use without its starter: the kernel ends all of it when that is killed
  const args = [...namespaces, "--kill-child=SIGKILL", "--", ...script];
  place.processes.start({ name: PROCESS, command: "unshare", args });
  const identity = await firstProcess(place);
  await writeWhole(recordOf(place), JSON.stringify(identity));
  return sandboxOf(place, identity.pid);
}

/** Ends everything in the sandbox and returns when the kernel has let go of it. */
export async function removeSandbox(place: Place): Promise<void> {
  const text = await readOptional(recordOf(place));
  await place.processes.stop(PROCESS);
  if (text === undefined) return;
  const identity = ProcessIdentity.parse(JSON.parse(text));
  const deadline = performance.now() + 30_000;
  while (isAlive(identity)) {
    process.kill(identity.pid, "SIGKILL");
    if (performance.now() > deadline) throw new Error(`process ${identity.pid}, the first of a node, does not end`);
    await delay(20);
  }
}

async function firstProcess({ processes, layout }: Place): Promise<ProcessIdentity> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline && processes.isRunning(PROCESS)) {
    const identity = identityOf(Number(await readOptional(join(layout.nodes, READY))));
    if (identity) return identity;
    await delay(10);
  }
  throw new Error(`the node's namespaces could not be made:\n${processes.tail(PROCESS)}`);
}

function sandboxOf({ processes }: Place, pid: number): Sandbox {
  const inside = ["--target", String(pid), "--mount", "--net", "--pid", "--"];
  return {
    pid,
    run: (program, args, options) => run("nsenter", [...inside, program, ...args], options),
    start: ({ name, command, args }) => {
      processes.start({ name, command: "nsenter", args: [...inside, command, ...args], cwd: "/" });
    },
  };
}
