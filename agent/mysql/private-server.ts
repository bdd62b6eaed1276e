// A server that runs in this process' pod alone: no port, no replication, no events, and as little memory as it can do with. Jobs have one to
// take a copy with, or to make a copy a Database's own.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "../log";
import { cleanEnvironment } from "../supervise/run";
import { OwnServer } from "./server/connection";

const pauseMs = 200;
const patienceMs = 10_000;

/** What it starts with. */
export interface PrivateServerArgs {
  readonly data: string;
  /** For its socket and its temporary files. */
  readonly directory: string;
  /** Of root@localhost. */
  readonly password: string;
  /** Options in addition. */
  readonly options: Readonly<Record<string, string>>;
}

const socketIn = (directory: string): string => join(directory, "mysqld.sock");

/** All of its options. The plugins are those of members: a server without them may not copy from one that has them. */
export function privateOptions({ data, directory, options }: Omit<PrivateServerArgs, "password">): string[] {
  const all = {
    datadir: data,
    tmpdir: directory,
    socket: socketIn(directory),
    pid_file: join(directory, "mysqld.pid"),
    secure_file_priv: "NULL",
    skip_networking: "ON",
    mysqlx: "OFF",
    plugin_load_add: "group_replication.so;mysql_clone.so",
    group_replication_start_on_boot: "OFF",
    skip_replica_start: "ON",
    event_scheduler: "DISABLED",
    gtid_mode: "ON",
    enforce_gtid_consistency: "ON",
    // some 250 MiB of the 500 that it would take otherwise
    performance_schema: "OFF",
    innodb_buffer_pool_size: "32M",
    max_connections: "10",
    ...options,
  };
  return ["--no-defaults", ...Object.entries(all).map(([name, value]) => `--${name.replaceAll("_", "-")}=${value}`)];
}

/** See the header. */
export class PrivateServer {
  /** For its superuser. */
  readonly sql: OwnServer;
  readonly #child: ChildProcess;
  #end: string | undefined;

  private constructor(args: PrivateServerArgs) {
    this.sql = new OwnServer({ socket: socketIn(args.directory), password: args.password });
    const stdio = ["ignore", "inherit", "inherit"] as const;
    this.#child = spawn("mysqld", privateOptions(args), { stdio: [...stdio], env: cleanEnvironment() });
    this.#child.once("error", (error) => {
      this.#end = textOf(error);
    });
    this.#child.once("exit", (code, signal) => {
      this.#end = `it ended with ${code ?? signal ?? "an unknown signal"}; its own words are above`;
    });
  }

  /** Does the work while it runs, and ends it cleanly, with all on disk. Throws where it does not start, or ends otherwise. */
  static async during(args: PrivateServerArgs, work: (server: PrivateServer) => Promise<void>): Promise<void> {
    await mkdir(args.directory, { recursive: true, mode: 0o700 });
    const server = new PrivateServer(args);
    try {
      await server.#answers();
      await work(server);
      await server.#stop();
    } finally {
      server.#abandon();
    }
  }

  /** However long a recovery takes. */
  async #answers(): Promise<void> {
    let why = "";
    for (;;) {
      if (this.#end !== undefined) throw new Error(`the private server does not start: ${this.#end}${why}`);
      try {
        await this.sql.query("DO 0", patienceMs);
        return;
      } catch (error) {
        why = ` (${textOf(error)})`;
      }
      await delay(pauseMs);
    }
  }

  async #stop(): Promise<void> {
    this.sql.close();
    if (this.#end === undefined) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await ended;
    }
    if (this.#child.exitCode !== 0)
      throw new Error(`the private server did not end cleanly: ${this.#end ?? "it never ran"}`);
  }

  /** Ends it at once, where it runs: nothing of it is needed. */
  #abandon(): void {
    this.sql.close();
    if (this.#end === undefined) this.#child.kill("SIGKILL");
  }
}
