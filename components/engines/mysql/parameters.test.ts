import assert from "node:assert/strict";
import test from "node:test";
import { parameterProblems } from "./parameters";

const messagesOf = (config: Record<string, string>, version = "9.7"): string[] =>
  parameterProblems(config, version).map(({ message }) => message);

const accepted: Record<string, string>[] = [
  {},
  { max_connections: "200" },
  { innodb_buffer_pool_size: "1G" },
  { innodb_buffer_pool_size: "134217728" },
  { long_query_time: "0.5" },
  { sql_mode: "STRICT_ALL_TABLES,NO_ZERO_DATE" },
  { slow_query_log: "on" },
  { local_infile: "FALSE" },
  { transaction_isolation: "read-committed" },
  { init_connect: "SET NAMES utf8mb4" },
  { group_replication_flow_control_mode: "DISABLED" },
  { back_log: "100" },
  { log_bin_trust_function_creators: "OFF" },
  { innodb_flush_method: "O_DIRECT" },
  { disabled_storage_engines: "MyISAM,MEMORY" },
  { protocol_compression_algorithms: "uncompressed,zstd" },
  { default_storage_engine: "innodb" },
  { group_replication_consistency: "BEFORE" },
  { performance_schema_digests_size: "1000" },
  { max_execution_time: "0" },
  { max_execution_time: "30000" },
];

for (const config of accepted) {
  test(`${JSON.stringify(config)} is accepted`, () => {
    assert.deepEqual(messagesOf(config), []);
  });
}

const refused: [Record<string, string>, RegExp][] = [
  [{ port: "3307" }, /"port" cannot be set: .*Services/],
  [{ bind_address: "*" }, /cannot be set/],
  [{ datadir: "/data" }, /remove it/],
  [{ server_id: "7" }, /group needs it/],
  [{ gtid_mode: "OFF" }, /group needs it/],
  [{ group_replication_bootstrap_group: "ON" }, /agent sets it/],
  [{ group_replication_member_expel_timeout: "60" }, /agent sets it/],
  [{ clone_block_ddl: "ON" }, /a replica that is backed up would hold back changes of tables/],
  [{ super_read_only: "OFF" }, /group decides/],
  [{ offline_mode: "OFF" }, /group decides/],
  [{ log_bin: "OFF" }, /replication/],
  [{ sync_binlog: "0" }, /replication/],
  [{ binlog_format: "STATEMENT" }, /replication/],
  [{ innodb_flush_log_at_trx_commit: "2" }, /lost in a crash/],
  [{ innodb_flush_method: "nosync" }, /must be one of fsync, O_DSYNC/],
  [{ binlog_error_action: "IGNORE_ERROR" }, /lost in a crash/],
  [{ innodb_log_checksums: "OFF" }, /accepted as valid/],
  [{ replica_sql_verify_checksum: "OFF" }, /accepted as valid/],
  [{ innodb_force_load_corrupted: "ON" }, /accepted as valid/],
  [{ innodb_buffer_pool_filename: "ibdata1" }, /over whatever is there/],
  [{ innodb_fast_shutdown: "2" }, /must be at most 1: each shutdown/],
  [{ log_raw: "ON" }, /passwords/],
  [{ innodb_redo_log_archive_dirs: "x:/tmp" }, /files of the pod/],
  [{ completion_type: "RELEASE" }, /must continue after a commit/],
  [{ password_history: "3" }, /keep their passwords/],
  [{ authentication_policy: "*,*" }, /keep their passwords/],
  [{ protocol_compression_algorithms: "zstd" }, /must contain uncompressed: the members' own/],
  [{ default_storage_engine: "MyISAM" }, /must be one of InnoDB: the group refuses/],
  [{ disabled_storage_engines: "MyISAM,innodb" }, /must not contain InnoDB/],
  [{ max_join_size: "1" }, /at least 1000000: the exporter's sessions/],
  [{ max_execution_time: "1" }, /at least 1000: the exporter's sessions/],
  [{ sql_mode: "ansi,pad_char_to_full_length" }, /must not contain PAD_CHAR_TO_FULL_LENGTH: no member could join/],
  [{ max_prepared_stmt_count: "0" }, /at least 100: the exporter/],
  [{ replica_max_allowed_packet: "1024" }, /replication in the group/],
  [{ xa_detach_on_prepare: "OFF" }, /replication in the group/],
  [{ server_memory: "1G" }, /spec\.resources/],
  [{ innodb_dedicated_server: "ON" }, /spec\.resources/],
  [{ innodb_redo_log_encrypt: "ON" }, /no keyring/],
  [{ autocommit: "OFF" }, /members themselves must write/],
  [{ ssl_cert: "x" }, /certificates/],
  [{ log_error: "/x" }, /pod's log/],
  [{ plugin_load_add: "x.so" }, /starts the server/],
  [{ init_file: "/x" }, /starts the server/],
  [{ lower_case_table_names: "1" }, /data directory is created/],
  [{ performance_schema: "OFF" }, /needs it/],
  [{ max_connections: "5" }, /must be at least 40/],
  [{ max_connections: "9999999" }, /must be at most 100000/],
  [{ max_connections: "many" }, /must be a whole number/],
  [{ max_connections: "1.5" }, /must be a whole number/],
  [{ long_query_time: "soon" }, /must be a number/],
  [{ slow_query_log: "maybe" }, /must be "ON" or "OFF"/],
  [{ transaction_isolation: "SOMETIMES" }, /must be one of .*SERIALIZABLE/],
  [{ max_conections: "100" }, /unknown to MySQL 9\.7/],
  [{ constructor: "1" }, /unknown/],
  [{ "max-connections": "100" }, /lower-case/],
  [{ Max_Connections: "100" }, /lower-case/],
  [{ init_connect: "a\nb" }, /line break/],
];

for (const [config, message] of refused) {
  test(`${JSON.stringify(config)} is refused with a message that says what to do`, () => {
    const messages = messagesOf(config);
    assert.equal(messages.length, 1, messages.join());
    assert.match(messages[0] ?? "", message);
  });
}

test("every problem is reported, in the order of the names", () => {
  assert.deepEqual(
    parameterProblems({ server_id: "1", back_log: "9", datadir: "x" }, "9.7").map(({ parameter }) => parameter),
    ["datadir", "server_id"],
  );
});

test("parameters that are too long together are refused", () => {
  assert.match(messagesOf({ init_connect: "x".repeat(140_000) }).join(), /take 140\d+ bytes together/);
});

test("a server whose parameters are not recorded still has reserved ones", () => {
  assert.deepEqual(messagesOf({ brand_new: "1" }, "10.1"), []);
  assert.equal(messagesOf({ port: "1" }, "10.1").length, 1);
});
