// Parameters that follow from the memory of a member.
import type { Resources } from "../../args";
import { mebibyte, mebibytesOf, quantityOf } from "../../quantities";

/** Sizes for a member with this much memory. Without a limit or a request they are those of the smallest. */
export function sizedParametersOf(resources: Resources): Record<string, string> {
  const mebibytes = mebibytesOf(quantityOf(resources, "memory")) ?? 512;
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
