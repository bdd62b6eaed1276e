// The server's process, found by its files: it is a child of Patroni's, not of ours.
import { spawn } from "node:child_process";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { statOf } from "../process-stat";

/** How long one wait for the end lasts before the files are read again, in seconds. */
const waitSeconds = 10;
/** How long a server may take to end before it is killed, in milliseconds. */
const endMs = 2_000;
const lookMs = 20;
/** Of `postmaster.pid`, from 0 on (LOCK_FILE_LINE_PM_STATUS). */
const statusLine = 7;

/** What stands for the system; a test has its own. */
export interface ProcessTable {
  /** Where processes are, as directories. */
  readonly directory: string;
  /** Waits until a process has ended, for so many seconds at most, and answers whether it has. */
  readonly awaitEnd: (pid: number, seconds: number) => Promise<boolean>;
  readonly send: (pid: number, signal: "SIGHUP" | "SIGINT" | "SIGQUIT" | "SIGKILL") => void;
}

const ownTable: ProcessTable = {
  directory: "/proc",
  awaitEnd: awaitEndByDescriptor,
  send: (pid, signal) => {
    process.kill(pid, signal);
  },
};

/** A process, told from a later one of the same number. */
interface Running {
  readonly pid: number;
  readonly started: string;
}

/** See the header. */
export class ServerProcess {
  /** `data`: the server's data directory. */
  constructor(
    private readonly data: string,
    private readonly table: ProcessTable = ownTable,
  ) {}

  /** The server's process; undefined where there is none. After a crash the file names any process, or none. */
  async pid(): Promise<number | undefined> {
    try {
      const [line = ""] = await this.#lines();
      if (!/^\d+$/.test(line.trim())) return undefined;
      const name = await readFile(join(this.table.directory, line.trim(), "comm"), "utf8");
      return name.trim() === "postgres" ? Number(line) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether the server is no replica: by its files, as nobody need answer for that. */
  async isPrimary(): Promise<boolean> {
    if ((await this.pid()) === undefined) return false;
    return access(join(this.data, "standby.signal")).then(
      () => false,
      () => true,
    );
  }

  /** Whether it was told to stop, and has not ended yet: by its files. */
  async isStopping(): Promise<boolean> {
    return (await this.pid()) !== undefined && (await this.#lines().catch(() => []))[statusLine]?.trim() === "stopping";
  }

  /** Tells it to stop in order, its clients notwithstanding; one that is stopping already is not disturbed. */
  async stop(): Promise<void> {
    const pid = await this.pid();
    if (pid !== undefined) this.table.send(pid, "SIGINT");
  }

  /** Tells it to read its configuration, and its certificate, again. */
  async reload(): Promise<void> {
    const pid = await this.pid();
    if (pid !== undefined) this.table.send(pid, "SIGHUP");
  }

  /** Waits for a while, or until `pid` has ended; whether it has. */
  hasEnded(pid: number): Promise<boolean> {
    return this.table.awaitEnd(pid, waitSeconds);
  }

  /** Whether the files name `pid` as the server still: one that ends in order, or by an immediate shutdown, takes that back. */
  async isLeftBy(pid: number): Promise<boolean> {
    const [line = ""] = await this.#lines().catch(() => []);
    return line.trim() === String(pid);
  }

  /** Ends the server at once: what was acknowledged is in the WAL. */
  async end(): Promise<void> {
    const pid = await this.pid();
    const server = pid === undefined ? undefined : await this.#running(pid);
    if (server === undefined) return;
    this.table.send(server.pid, "SIGQUIT");
    const deadline = performance.now() + endMs;
    while (performance.now() < deadline) {
      if (!(await this.#isStill(server))) return;
      await delay(lookMs);
    }
    if (await this.#isStill(server)) this.table.send(server.pid, "SIGKILL");
  }

  async #lines(): Promise<string[]> {
    return (await readFile(join(this.data, "postmaster.pid"), "utf8")).split("\n");
  }

  async #isStill({ pid, started }: Running): Promise<boolean> {
    return (await this.#running(pid))?.started === started;
  }

  /** One that has ended and was not collected yet does not run. */
  async #running(pid: number): Promise<Running | undefined> {
    const fields = await statOf(this.table.directory, pid);
    const [state = "", started] = [fields[0], fields[19]];
    return started === undefined || ["Z", "X"].includes(state) ? undefined : { pid, started };
  }
}

/** By a program of util-linux, which the kernel tells at once: Node waits for its own children only. */
function awaitEndByDescriptor(pid: number, seconds: number): Promise<boolean> {
  const waiting = spawn("waitpid", ["--exited", "--timeout", String(seconds), String(pid)], { stdio: "ignore" });
  return new Promise((resolve, reject) => {
    waiting.once("error", reject);
    waiting.once("exit", (code) => {
      if (code === 0 || code === timedOut) resolve(code === 0);
      else reject(new Error(`the end of process ${pid} cannot be waited for: waitpid failed (${code ?? "killed"})`));
    });
  });
}

const timedOut = 3;
