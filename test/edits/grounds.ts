// What random edits choose from: values that a person may well write, and that the engine's servers start with.
import type { DatabaseSpecInput, Engine } from "../../operator/api/spec";

/** Where a course of edits takes place. */
export interface Grounds {
  readonly engine: Engine;
  /** In the catalogue, of one major version, the lowest first. */
  readonly versions: readonly string[];
  /** Numbers of members. */
  readonly replicas: readonly number[];
  /** Memory and processors of members: some that nodes have room for, and some that none has. */
  readonly memory: Sizes;
  readonly cpu: Sizes;
  /** Parameters with their values, and ConfigMaps with more of them; empty where the image takes none. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly configMaps: readonly string[];
  /** What the Database has at first, beside what every first spec has. Default: nothing. */
  readonly first?: Partial<DatabaseSpecInput>;
}

export interface Sizes {
  readonly usual: readonly string[];
  /** Set where nodes may have no room for the default. */
  readonly isAlwaysGiven?: true;
  readonly impossible: readonly string[];
}

/** Parameters with values, some that running members apply and some that only a restart does. */
export const parametersOf: Readonly<Record<Engine, Readonly<Record<string, readonly string[]>>>> = {
  postgresql: {
    max_connections: ["100", "120", "150"],
    max_locks_per_transaction: ["64", "96"],
    track_activity_query_size: ["1024", "2048"],
    work_mem: ["4MB", "9MB"],
    random_page_cost: ["1.1", "2"],
    log_min_duration_statement: ["-1", "1s"],
  },
  mysql: {
    back_log: ["120", "200"],
    innodb_purge_threads: ["1", "2"],
    max_connections: ["90", "110"],
    long_query_time: ["0.5", "2"],
    sort_buffer_size: ["131072", "262144"],
  },
  mongodb: {
    "net.maxIncomingConnections": ["500", "600"],
    "systemLog.verbosity": ["0", "1"],
    cursorTimeoutMillis: ["300000", "600000"],
    ttlMonitorSleepSecs: ["60", "90"],
  },
};

/** ConfigMaps that every course finds in its namespace, with the parameters in them, by engine. */
export const tuning: Readonly<Record<Engine, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  postgresql: { "tuning-running": { random_page_cost: "1.5" }, "tuning-restart": { max_connections: "110" } },
  mysql: { "tuning-running": { long_query_time: "3" }, "tuning-restart": { back_log: "150" } },
  mongodb: {
    "tuning-running": { cursorTimeoutMillis: "400000" },
    "tuning-restart": { "net.maxIncomingConnections": "550" },
  },
};
