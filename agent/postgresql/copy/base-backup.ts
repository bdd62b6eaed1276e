// Runs pg_basebackup, and ends with it where Patroni says so. That is two processes, and the one for the WAL would outlive the other: it would
// continue to write where the next copy is made, and keep the source busy.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { sessionOptions } from "../server/sessions";

/** For processes that are killed to be gone, in milliseconds. */
const endMs = 5_000;
const lookMs = 20;

/**
 * While a slow disk here takes no more, the WAL that is copied along with the data stands still. Replicas that stream are given up earlier, as
 * commits may wait for them. The server's own settings for connections are for those.
 */
const options = sessionOptions({ wal_sender_timeout: "5min" });

/** See the header. */
export class BaseBackup {
  #running: number | undefined;
  #isStopped = false;

  /** `command`: default pg_basebackup. */
  constructor(private readonly command = "pg_basebackup") {}

  /** Whether it was told to end. */
  isStopped(): boolean {
    return this.#isStopped;
  }

  /** Ends what runs, and what would be run later. */
  stop(): void {
    this.#isStopped = true;
    if (this.#running !== undefined) killGroup(this.#running);
  }

  /** Whether it copied. Resolves when no process of it is left. */
  async run(args: readonly string[]): Promise<boolean> {
    if (this.#isStopped) return false;
    const child = spawn(this.command, args, {
      stdio: "inherit",
      env: { ...process.env, PGOPTIONS: options },
      // of a group of its own
      detached: true,
    });
    this.#running = child.pid;
    const [code] = (await once(child, "exit")) as [number | null];
    this.#running = undefined;
    if (child.pid !== undefined) await endGroup(child.pid);
    return code === 0;
  }
}

/** Ends what is left. The last call finds none; those that have ended are collected by the first process of the container. */
async function endGroup(leader: number): Promise<void> {
  const deadline = performance.now() + endMs;
  while (killGroup(leader) && performance.now() < deadline) await delay(lookMs);
}

/** Whether there was any. */
function killGroup(leader: number): boolean {
  try {
    process.kill(-leader, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
