// What a restore decides: which backup fits this server, and what the server that finishes it starts with.
/**
 * Why the server of this image cannot have the files of a backup; undefined where it can. `major`: their major version, as in `PG_VERSION`;
 * undefined where they do not say.
 */
export function unfitFor(label: string, major: string | undefined, serverMajor: string): string | undefined {
  if (major === undefined) return `${label} does not say of which version it is: its files are damaged`;
  if (major !== serverMajor)
    return `${label} is of PostgreSQL ${major}, and the image of PostgreSQL ${serverMajor}: write a version of ${major}`;
  return undefined;
}

/** The lines of `pg_controldata` that matter here, in English. */
const settingLines = {
  max_connections: "max_connections setting",
  max_worker_processes: "max_worker_processes setting",
  max_prepared_transactions: "max_prepared_xacts setting",
  max_locks_per_transaction: "max_locks_per_xact setting",
  track_commit_timestamp: "track_commit_timestamp setting",
} as const;

/**
 * With what of the former server's the WAL must be replayed, from the output of `pg_controldata`: with less room for prepared transactions
 * it could not be, and commit times would be dropped. Throws where a line is missing.
 */
export function formerSettings(control: string): Readonly<Record<keyof typeof settingLines, string>> {
  const valueOf = (line: string): string => {
    const value = new RegExp(`^${line}:\\s+(\\d+|on|off)$`, "m").exec(control)?.[1];
    if (value === undefined) throw new Error(`pg_controldata says nothing of "${line}": the backup is damaged`);
    return value;
  };
  return {
    max_connections: valueOf(settingLines.max_connections),
    max_worker_processes: valueOf(settingLines.max_worker_processes),
    max_prepared_transactions: valueOf(settingLines.max_prepared_transactions),
    max_locks_per_transaction: valueOf(settingLines.max_locks_per_transaction),
    track_commit_timestamp: valueOf(settingLines.track_commit_timestamp),
  };
}

/** More than anyone prepares; each costs about a kilobyte. */
const manyPrepared = 1_000;

/** The same, where the WAL may be of a server that was given room for more prepared transactions later: it does not start with less than there are. */
export const withRoom = (former: ReturnType<typeof formerSettings>): ReturnType<typeof formerSettings> => ({
  ...former,
  max_prepared_transactions: String(Math.max(Number(former.max_prepared_transactions), manyPrepared)),
});

/** Where the server that finishes a restore has its files. */
export interface Places {
  readonly data: string;
  readonly socket: string;
  readonly config: string;
  readonly hostBasedAuthentication: string;
}

/**
 * Arguments of a server that no one else reaches and that changes nothing elsewhere. They win over what users wrote with ALTER SYSTEM,
 * which may ask for libraries, or more memory than there is.
 */
export function serverArguments(places: Places, former: Readonly<Record<string, string>>): string[] {
  const settings = {
    config_file: places.config,
    hba_file: places.hostBasedAuthentication,
    listen_addresses: "",
    unix_socket_directories: places.socket,
    ssl: "off",
    archive_mode: "off",
    // neither subscriptions nor anything else of the former server may begin to act
    max_logical_replication_workers: "0",
    max_wal_senders: "0",
    // a standby refuses less
    wal_level: "replica",
    shared_preload_libraries: "",
    session_preload_libraries: "",
    local_preload_libraries: "",
    autovacuum: "off",
    shared_buffers: "32MB",
    huge_pages: "off",
    fsync: "on",
    full_page_writes: "on",
    restart_after_crash: "off",
    logging_collector: "off",
    log_statement: "none",
    // of a standby that waits on purpose, and what the former server ran
    recovery_min_apply_delay: "0",
    recovery_end_command: "",
    archive_cleanup_command: "",
    default_transaction_read_only: "off",
    // what it says is read
    log_destination: "stderr",
    log_min_messages: "warning",
    lc_messages: "C",
    ...former,
  };
  return ["-D", places.data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** Files of the copy that would make the server something else than a primary that begins. */
export const leftOut: readonly string[] = [
  // of a replica that was copied
  "standby.signal",
  "recovery.signal",
  "postmaster.pid",
  // Patroni's copy of the former configuration, which it would take where it finds none
  "patroni.dynamic.json",
];
