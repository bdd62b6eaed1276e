// Patroni's own process: the container's init process hands signals on to it, and ends with it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { statOf } from "../process-stat";

/** As postgresql-member starts it. */
const program = "/usr/local/lib/database/patroni";

/** What stands for the system; a test has its own. */
export interface ProcessTable {
  /** Where processes are, as directories. */
  readonly directory: string;
  readonly kill: (pid: number) => void;
}

const ownTable: ProcessTable = {
  directory: "/proc",
  kill: (pid) => {
    process.kill(pid, "SIGKILL");
  },
};

/** See the header. */
export class PatroniProcess {
  constructor(private readonly table: ProcessTable = ownTable) {}

  /** Kills it, and so ends the container. Whether it was there. */
  async kill(): Promise<boolean> {
    const all = (await readdir(this.table.directory)).filter((name) => /^\d+$/.test(name)).map(Number);
    const found = await Promise.all(all.map(async (pid) => ((await this.#isPatroni(pid)) ? [pid] : [])));
    const pids = found.flat();
    for (const pid of pids) this.table.kill(pid);
    return pids.length > 0;
  }

  async #isPatroni(pid: number): Promise<boolean> {
    const [, parent] = await statOf(this.table.directory, pid);
    if (parent !== "1") return false;
    const command = await readFile(join(this.table.directory, String(pid), "cmdline"), "utf8").catch(() => "");
    return command.split("\0").includes(program);
  }
}
