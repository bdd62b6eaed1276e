// Patroni's own process: the container's init process hands signals on to it, and ends with it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

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
    const names = (await readdir(this.table.directory)).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(names.map(async (name) => ((await this.#isPatroni(name)) ? [Number(name)] : [])));
    const pids = found.flat();
    for (const pid of pids) this.table.kill(pid);
    return pids.length > 0;
  }

  async #isPatroni(pid: string): Promise<boolean> {
    const read = (file: string): Promise<string> =>
      readFile(join(this.table.directory, pid, file), "utf8").catch(() => "");
    const stat = await read("stat");
    // the name before it may have spaces and brackets
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return parent === "1" && (await read("cmdline")).split("\0").includes(program);
  }
}
