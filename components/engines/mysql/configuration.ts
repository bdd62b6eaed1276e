// What the members' agent reads: how many members there are to be, and the parameters in effect. Those that come with a pod are in it, so
// that they fit it; the others are in a ConfigMap, and running members take them over.
import type { MemberConfiguration, MemberParameter } from "../../../contract/member";
import type { Resources } from "../../args";
import { mebibytesOf } from "../../quantities";
import type { Settings } from "../../settings";
import type { StartParameters } from "../engine";
import { sortedByName } from "../sorted";
import { knownFor } from "./parameters";
import { valueOf } from "./values";

const mebibyte = 1024 ** 2;

/**
 * What comes with a member's pod: parameters that only a start takes over, and those that follow from the pod's size. What users say of the
 * latter counts more, and reaches running members.
 */
export function startParametersOf({ version, resources, config }: Settings): StartParameters {
  const sized = memoryParametersOf(resources);
  const chosen = Object.entries(parametersFor(version, config)).filter(([, { restart }]) => restart);
  return sortedByName({
    ...parametersFor(version, { ...sized, ...userConnections(sized) }),
    ...Object.fromEntries(chosen),
  });
}

/** What running members take over. */
function runningParametersOf({ version, config }: Settings): StartParameters {
  const all = parametersFor(version, { ...constant, ...userConnections(config), ...config });
  return sortedByName(Object.fromEntries(Object.entries(all).filter(([, { restart }]) => !restart)));
}

function parametersFor(version: string, texts: Readonly<Record<string, string>>): StartParameters {
  const known = knownFor(version);
  const entries = Object.entries(texts).map(([name, text]): [string, MemberParameter] => {
    const kind = known[name] ?? { type: "string", restart: true };
    return [name, { value: valueOf(text, kind), restart: kind.restart === true }];
  });
  return Object.fromEntries(entries);
}

/** The same for every database, where the user says nothing else. */
const constant: Readonly<Record<string, string>> = {
  // A member that was away for longer copies all data. Where the volume gets full, members remove the oldest sooner, whole files at a time.
  binlog_expire_logs_seconds: "86400",
  max_binlog_size: String(128 * mebibyte),
  // Without it applications could make neither triggers nor functions; rows are replicated, so what these do cannot differ.
  log_bin_trust_function_creators: "ON",
};

/** Sizes for a member with this much memory. Without a limit or a request they are those of the smallest. */
function memoryParametersOf(resources: Resources): Record<string, string> {
  const quantity = resources.limits?.["memory"] ?? resources.requests?.["memory"];
  const mebibytes = (quantity === undefined ? undefined : mebibytesOf(quantity)) ?? 512;
  const pool = poolMebibytes(mebibytes);
  const connections = Math.min(4000, Math.max(60, Math.floor(mebibytes / 8)));
  return {
    innodb_buffer_pool_size: String(pool * mebibyte),
    innodb_redo_log_capacity: String(Math.min(2048, Math.max(100, Math.floor(pool / 2))) * mebibyte),
    // Messages of the group that a member may ask for again; the least is what the server allows.
    group_replication_message_cache_size: String(Math.min(1024, Math.max(128, Math.floor(mebibytes / 16))) * mebibyte),
    max_connections: String(connections),
    ...(mebibytes < 2048 && frugal),
  };
}

/** No account takes all connections: the members' own must have room. */
function userConnections({ max_connections = "" }: Readonly<Record<string, string>>): Record<string, string> {
  const all = valueOf(max_connections, { type: "integer" });
  return typeof all === "number" ? { max_user_connections: String(Math.max(1, all - 20)) } : {};
}

/**
 * What is left of the memory beside the server's code and own tables, the messages of the group and the agent goes to the buffer pool
 * by more than half. The server rounds sizes above 128 MiB up to multiples of that.
 */
function poolMebibytes(mebibytes: number): number {
  const share = Math.floor((mebibytes - 400) * 0.6);
  return share < 128 ? Math.max(share, 64) : Math.floor(share / 128) * 128;
}

/** A server that keeps less about what it did, for members with less than 2 GiB. */
const frugal: Readonly<Record<string, string>> = {
  innodb_log_buffer_size: String(8 * mebibyte),
  key_buffer_size: String(mebibyte),
  max_digest_length: "256",
  performance_schema_accounts_size: "0",
  performance_schema_digests_size: "500",
  performance_schema_error_size: "0",
  performance_schema_events_stages_history_long_size: "100",
  performance_schema_events_statements_history_long_size: "100",
  performance_schema_events_transactions_history_long_size: "100",
  performance_schema_events_waits_history_long_size: "100",
  performance_schema_hosts_size: "0",
  performance_schema_max_digest_length: "256",
  performance_schema_max_sql_text_length: "256",
  performance_schema_users_size: "0",
  table_definition_cache: "400",
  table_open_cache: "400",
};

/** The text of the ConfigMap's key `member.json`. */
export function memberConfigurationOf(settings: Settings): string {
  const { replicas, superuserAccess } = settings;
  // without the last, as it is where nobody said so, the text stays the same
  const wanted: MemberConfiguration = { replicas, parameters: runningParametersOf(settings), superuserAccess };
  return JSON.stringify(wanted);
}
