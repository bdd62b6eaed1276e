// The options that a member's server starts with: those that the group needs, and the parameters of its Database.
import { join } from "node:path";
import { ordinalOf } from "../observation";
import type { MemberSettings } from "../settings";
import type { Parameters } from "../configuration";

/** Where the files of a member are. */
export interface Files {
  /** The data directory. */
  readonly data: string;
  /** Where it is created; it gets its name when it is complete. */
  readonly draft: string;
  /** Exists as long as the data is that of an empty server that never was in a group. */
  readonly fresh: string;
  /** Files of the server that end with it. */
  readonly temporary: string;
  readonly socket: string;
  /** Where the server writes its process ID. */
  readonly pid: string;
}

/** The files of this member. */
export function filesOf({ volume, runDirectory }: Pick<MemberSettings, "volume" | "runDirectory">): Files {
  return {
    data: join(volume, "data"),
    draft: join(volume, "data.draft"),
    fresh: join(volume, "fresh"),
    temporary: join(volume, "tmp"),
    socket: join(runDirectory, "mysqld.sock"),
    pid: join(runDirectory, "mysqld.pid"),
  };
}

/** The exit code of a server that asks for a restart, after a copy of another member's data. */
export const restartCode = 16;

/** Whether a line of the server says why it ends; the very last one only says that it does. */
export const isComplaint = (line: string): boolean => line.includes("[ERROR]") && !/\bAborting\s*$/.test(line);

/** The host name of a member. */
export const hostOf = (settings: Pick<MemberSettings, "domain">, pod: string): string => `${pod}.${settings.domain}`;

/** Seconds until the group drops a member that it no longer hears from, after the five until it is suspected. */
export const expelAfterSeconds = 2;

/**
 * Seconds until a member that hears from no majority gives up, after the same five: before the others have dropped it and chosen another
 * primary, so that there are never two.
 */
const giveUpAfterSeconds = 1;

/** How often a member asks each of the others for what it lacks, and the seconds between, until it leaves the group. */
const [recoveryAttempts, betweenRecoveriesSeconds] = [3, 5];

/** All options of the server, parameters last. */
export function serverOptions(settings: MemberSettings, parameters: Parameters): string[] {
  const files = filesOf(settings);
  const given = Object.entries(parameters).map(([name, { value }]): [string, string] => [name, String(value)]);
  const options = [...Object.entries(filesAndNetwork(settings, files)), ...Object.entries(replication), ...given];
  return ["--no-defaults", ...options.map(([name, value]) => `--${name.replaceAll("_", "-")}=${value}`)];
}

function filesAndNetwork(settings: MemberSettings, files: Files): Record<string, string> {
  const host = hostOf(settings, settings.self);
  return {
    datadir: files.data,
    tmpdir: files.temporary,
    socket: files.socket,
    pid_file: files.pid,
    secure_file_priv: "NULL",
    // of the slow and the general log: clients with only SQL could not read or empty files
    log_output: "TABLE",
    bind_address: "*",
    port: String(settings.serverPort),
    mysqlx: "OFF",
    skip_name_resolve: "ON",
    server_id: String(ordinalOf(settings.self) + 1),
    report_host: host,
    report_port: String(settings.serverPort),
    group_replication_local_address: `${host}:${settings.serverPort}`,
  };
}

/** The same for every member of every database. */
const replication: Readonly<Record<string, string>> = {
  plugin_load_add: "group_replication.so;mysql_clone.so",
  // Closed until the member is in the group, and closed again as soon as it is not: no client reads from or writes to one that is left behind.
  super_read_only: "ON",
  offline_mode: "ON",
  group_replication_exit_state_action: "OFFLINE_MODE",
  // The agent starts and restarts it: it knows which group is the right one.
  group_replication_start_on_boot: "OFF",
  group_replication_autorejoin_tries: "0",
  group_replication_member_expel_timeout: String(expelAfterSeconds),
  group_replication_unreachable_majority_timeout: String(giveUpAfterSeconds),
  group_replication_consistency: "BEFORE_ON_PRIMARY_FAILOVER",
  // Over the port of clients, with password and encryption: no list of addresses, which change with every pod.
  group_replication_communication_stack: "MYSQL",
  group_replication_ssl_mode: "REQUIRED",
  group_replication_recovery_use_ssl: "ON",
  // A member that was refused a copy, as its donor lets one be taken at a time, looks for what it lacks in binary logs, although none reach so far where the
  // other member that could have them has yet to get its own copy. It then leaves after seconds, not ten minutes, and the agent has it ask for a copy again.
  group_replication_recovery_retry_count: String(recoveryAttempts),
  group_replication_recovery_reconnect_interval: String(betweenRecoveriesSeconds),
  gtid_mode: "ON",
  enforce_gtid_consistency: "ON",
  // Named after nothing that can change.
  relay_log: "relay",
  // What was received and not executed yet must survive a restart: after an outage of all members it counts. An end that a crash tore,
  // or left as zeros, is skipped by the server and fetched again (tried with 9.7.4).
  relay_log_recovery: "OFF",
  sync_binlog: "1",
  innodb_flush_log_at_trx_commit: "1",
};
