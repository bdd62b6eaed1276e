// A server that runs in this process' pod alone: no port, no replication, no events, and as little memory as it can do with. Jobs have one to
// take a copy with, or to make a copy a Database's own.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cleanEnvironment } from "../supervise/run";
import { whileItRuns } from "../supervise/while-it-runs";
import { OwnServer } from "./server/connection";
import { isComplaint } from "./server/options";

const patienceMs = 10_000;

/** What it starts with. */
export interface PrivateServerArgs {
  readonly data: string;
  /** For its socket and its temporary files. */
  readonly directory: string;
  /** Of root@localhost. */
  readonly password: string;
  /** Options in addition; one without a value is a switch. */
  readonly options: Readonly<Record<string, string>>;
  /** Ends it at once. Default: nothing does. */
  readonly over?: AbortSignal | undefined;
  /** Where they go: into the error as well, or, as they may quote data, into the log alone. Default: the former. */
  readonly complaints?: "told" | "logged" | undefined;
}

/** Where its socket is. */
export const socketIn = (directory: string): string => join(directory, "mysqld.sock");

/** An option that has no value is a switch. */
const optionOf = ([name, value]: readonly [string, string]): string =>
  `--${name.replaceAll("_", "-")}${value === "" ? "" : `=${value}`}`;

/** All of its options. The plugins are those of members: a server without them may not copy from one that has them. */
export function privateOptions({
  data,
  directory,
  options,
}: Pick<PrivateServerArgs, "data" | "directory" | "options">): string[] {
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
  return ["--no-defaults", ...Object.entries(all).map(optionOf)];
}

/** Does the work with its superuser while it runs, and ends it cleanly. Throws where it does not start, or ends otherwise. */
export async function withPrivateServer(
  args: PrivateServerArgs,
  work: (sql: OwnServer) => Promise<void>,
): Promise<void> {
  await mkdir(args.directory, { recursive: true, mode: 0o700 });
  const sql = new OwnServer({ socket: socketIn(args.directory), password: args.password });
  const ask = (): Promise<unknown> => sql.query("DO 0", patienceMs);
  const { over, complaints = "told" } = args;
  const program = { command: "mysqld", args: privateOptions(args), environment: cleanEnvironment() };
  const server = { ...program, ask, over, isComplaint: complaints === "told" ? isComplaint : undefined };
  try {
    await whileItRuns(server, async () => {
      await work(sql);
      sql.close();
    });
  } finally {
    sql.close();
  }
}
