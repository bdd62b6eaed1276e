// Detached processes of a cluster: started once, found again by later commands, ended without ever hitting a stranger.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { systemPath } from "../host/command";
import { identityOf, isAlive, ProcessIdentity } from "../host/identity";
import { isCode } from "../host/lock";
import type { Layout } from "./layout";

/** A program to run for as long as its cluster. */
export interface ProcessArgs {
  /** Unique in the cluster; also names the log file. */
  name: string;
  command: string;
  args: readonly string[];
  /** Set on top of PATH, HOME and TMPDIR, the only variables that are passed on. */
  env?: Readonly<Record<string, string>>;
  /** Default: the cluster's directory. */
  cwd?: string;
}

/** How a process is ended. */
export interface StopOptions {
  /** How long it may take to end itself after SIGTERM, before SIGKILL. Default 0: SIGKILL at once. */
  graceSeconds?: number;
}

/** The processes of one cluster. */
export interface Processes {
  /** Starts a program in a process group of its own, its output in `logs/<name>.log`; does nothing when it runs already. */
  start(args: ProcessArgs): void;
  isRunning(name: string): boolean;
  /** The number of a running process. */
  pid(name: string): number | undefined;
  /** Ends a process and its group, and waits until it is gone; does nothing when it does not run. */
  stop(name: string, options?: StopOptions): Promise<void>;
  /** Ends everything that was ever started here, also what the started programs started themselves (on Linux). */
  stopAll(): Promise<void>;
  /** The last lines a process printed, for error messages. */
  tail(name: string, lines?: number): string;
  /** Names of the processes that were started and not stopped, running or not. */
  names(): readonly string[];
}

/** Carries the cluster's directory in the environment of all its processes, so that none can be lost. */
const MARKER = "DATABASE_OPERATOR_CLUSTER";

const Started = z.object({ identity: ProcessIdentity, command: z.string() });

/** The processes of the cluster with that layout. */
export function openProcesses(layout: Layout): Processes {
  const record = (name: string): string => join(layout.processes, `${name}.json`);
  const identity = (name: string): ProcessIdentity | undefined => readRecord(record(name));
  const processes: Processes = {
    start(args) {
      if (processes.isRunning(args.name)) return;
      mkdirSync(layout.processes, { recursive: true });
      mkdirSync(layout.logs, { recursive: true });
      const started = spawnDetached(args, layout);
      writeRecord(record(args.name), { identity: started, command: args.command });
    },
    isRunning(name) {
      const known = identity(name);
      return known !== undefined && isAlive(known);
    },
    pid(name) {
      return processes.isRunning(name) ? identity(name)?.pid : undefined;
    },
    async stop(name, { graceSeconds = 0 } = {}) {
      const known = identity(name);
      if (known) await end(known, graceSeconds);
      rmSync(record(name), { force: true });
    },
    async stopAll() {
      await Promise.all(processes.names().map((name) => processes.stop(name)));
      await endMarked(layout.directory);
    },
    tail(name, lines = 20) {
      return readText(join(layout.logs, `${name}.log`))
        .trimEnd()
        .split("\n")
        .slice(-lines)
        .join("\n");
    },
    names() {
      return readDirectory(layout.processes)
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -".json".length));
    },
  };
  return processes;
}

function spawnDetached(args: ProcessArgs, layout: Layout): ProcessIdentity {
  const log = openSync(join(layout.logs, `${args.name}.log`), "a");
  try {
    const child = spawn(args.command, args.args, {
      detached: true,
      stdio: ["ignore", log, log],
      cwd: args.cwd ?? layout.directory,
      env: { ...environment(), ...args.env, [MARKER]: layout.directory },
    });
    // a failed start shows as a missing pid below
    child.on("error", () => undefined);
    child.unref();
    const identity = child.pid === undefined ? undefined : identityOf(child.pid);
    if (!identity) throw new Error(`${args.name} did not start: ${args.command}`);
    return identity;
  } finally {
    closeSync(log);
  }
}

/** What programs need of the environment; the rest (proxies, secrets, settings) is none of their business. */
function environment(): Record<string, string> {
  const passed = ["HOME", "TMPDIR"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), PATH: systemPath() };
}

async function end(identity: ProcessIdentity, graceSeconds: number): Promise<void> {
  if (!isAlive(identity)) return;
  if (graceSeconds > 0) {
    signal(identity, "SIGTERM");
    if (await isGoneWithin(identity, graceSeconds)) return;
  }
  signal(identity, "SIGKILL");
  if (await isGoneWithin(identity, 10)) return;
  throw new Error(`process ${identity.pid} does not end: it hangs in the kernel, look at its mounts and devices`);
}

/** Signals the process group that the process leads. */
function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  for (const target of [-identity.pid, identity.pid]) {
    try {
      if (isAlive(identity)) process.kill(target, name);
    } catch (error) {
      // ESRCH: gone meanwhile, or no leader of a group
      if (!isCode(error, "ESRCH")) throw error;
    }
  }
}

async function isGoneWithin(identity: ProcessIdentity, seconds: number): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

/** Ends whatever carries the cluster's mark: children of started programs, and processes whose record was never written. */
async function endMarked(directory: string): Promise<void> {
  for (let found = marked(directory); found.length > 0; found = marked(directory)) {
    await Promise.all(found.map((identity) => end(identity, 0)));
  }
}

function marked(directory: string): ProcessIdentity[] {
  if (process.platform !== "linux") return [];
  const mark = `${MARKER}=${directory}`;
  return readDirectory("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && readText(`/proc/${pid}/environ`).split("\0").includes(mark))
    .map(identityOf)
    .filter((identity) => identity !== undefined);
}

function readRecord(file: string): ProcessIdentity | undefined {
  const text = readText(file);
  return text === "" ? undefined : Started.parse(JSON.parse(text)).identity;
}

function writeRecord(file: string, value: z.infer<typeof Started>): void {
  writeFileSync(`${file}.draft`, JSON.stringify(value));
  renameSync(`${file}.draft`, file);
}

/** A file's text; empty when it cannot be read, as of a process that has ended meanwhile. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function readDirectory(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
