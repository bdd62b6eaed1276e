// Every parameter of MySQL by its class, with the reason. What the server says of them (types, bounds, restarts) is in the table beside this
// file; a test holds both against each other, so that none of a new version is taken without having been looked at.
import { groupsByName, type ParameterBound, type ParameterGroup } from "../parameter-classes";
import { safeGroups } from "./safe";
import type { ParameterKind } from "./values";

/** See the header. */
export const groups: readonly ParameterGroup[] = [
  {
    class: "owned",
    reason: "members listen where the Services and the other members expect them; it cannot be changed",
    names:
      "port bind_address admin_* create_admin_listener_thread socket skip_networking mysqlx* report_* skip_name_resolve",
  },
  {
    class: "owned",
    reason: "paths are fixed by the image; remove it",
    names: `datadir tmpdir replica_load_tmpdir slave_load_tmpdir basedir plugin_dir character_sets_dir lc_messages_dir pid_file
      innodb_data_home_dir innodb_data_file_path innodb_directories innodb_doublewrite_dir innodb_log_group_home_dir innodb_temp_*
      innodb_tmpdir innodb_undo_directory`,
  },
  {
    class: "escapes",
    reason: "the server would read or write files of the pod by SQL, or at its start; remove it",
    names: "secure_file_priv innodb_redo_log_archive_dirs ft_stopword_file",
  },
  {
    class: "owned",
    reason: "the group needs it as it is; remove it",
    names: "server_id server_uuid server_id_bits gtid_* enforce_gtid_consistency",
  },
  {
    class: "owned",
    reason: "the members' agent sets it; remove it",
    names: "group_replication_* clone_valid_donor_list",
  },
  {
    class: "owned",
    reason:
      "a replica that is backed up would hold back changes of tables, and with them all that follows them; remove it",
    names: "clone_block_ddl",
  },
  {
    class: "owned",
    reason: "replication in the group needs it as it is; remove it",
    names: `log_bin* log_replica_updates log_slave_updates binlog_format sql_log_bin relay_log* replica_preserve_commit_order
      slave_preserve_commit_order replica_skip_errors slave_skip_errors replica_parallel_type slave_parallel_type
      replica_exec_mode slave_exec_mode replica_type_conversions slave_type_conversions replica_max_allowed_packet
      slave_max_allowed_packet skip_replica_start skip_slave_start init_replica init_slave replicate_* binlog_do_db
      binlog_ignore_db replication_optimize_for_static_plugin_config replication_sender_observe_commit_only
      xa_detach_on_prepare`,
  },
  {
    class: "losesData",
    reason: "replication in the group needs it as it is; remove it",
    names: "sync_binlog sync_relay_log* sync_source_info sync_master_info",
  },
  {
    class: "owned",
    reason: "the group decides who may write; remove it",
    names: "read_only super_read_only offline_mode",
  },
  {
    class: "escapes",
    reason: "the members' agent starts the server; remove it",
    names: `early_plugin_load plugin_load* init_file daemonize user chroot initialize* upgrade persist_* persisted_*`,
  },
  {
    class: "losesData",
    reason: "data would be lost in a crash; remove it",
    names: `innodb_flush_log_at_trx_commit innodb_doublewrite innodb_force_recovery innodb_read_only binlog_error_action
      flush_time`,
  },
  {
    class: "losesData",
    reason: "damaged data would be accepted as valid; remove it",
    names: `innodb_checksum_algorithm innodb_checksums innodb_log_checksums innodb_force_load_corrupted source_verify_checksum
      master_verify_checksum replica_sql_verify_checksum slave_sql_verify_checksum`,
  },
  {
    class: "losesData",
    reason: "the server writes a file of that name over whatever is there; remove it",
    names: "innodb_buffer_pool_filename",
  },
  {
    class: "owned",
    reason: "sizes follow from spec.resources, not from the machine; remove it",
    names: "innodb_dedicated_server container_aware server_memory",
  },
  {
    class: "locksOut",
    reason: "the images have no keyring; remove it",
    names: `binlog_encryption binlog_rotate_encryption_master_key_at_startup innodb_redo_log_encrypt innodb_undo_log_encrypt
      default_table_encryption table_encryption_privilege_check`,
  },
  {
    class: "locksOut",
    reason: "the sessions of the members themselves must write; set it for a session",
    names: "autocommit transaction_read_only",
  },
  {
    class: "locksOut",
    reason: "the sessions of the members themselves must continue after a commit; set it for a session",
    names: "completion_type",
  },
  {
    class: "owned",
    reason: "custom certificates are not available yet; remove it",
    names: `ssl_* tls_* auto_generate_certs require_secure_transport sha256_password_* caching_sha2_password_* clone_ssl_*`,
  },
  {
    class: "owned",
    reason: "errors go to the pod's log, the slow and the general log to tables of `mysql`; remove it",
    names: "log_error log_error_services log_output general_log_file slow_query_log_file syseventlog*",
  },
  {
    class: "escapes",
    reason: "the logs would contain passwords in clear text; remove it",
    names: "log_raw",
  },
  {
    class: "locksOut",
    reason: "it is decided when the data directory is created; remove it",
    names: "lower_case_table_names innodb_page_size",
  },
  {
    class: "locksOut",
    reason: "the accounts of the members themselves would expire, and with them the database: set it for each user",
    names: "default_password_lifetime",
  },
  {
    class: "locksOut",
    reason:
      "the accounts of the members themselves keep their passwords, and log in by nothing else: set it for each user",
    names: "authentication_policy password_history password_reuse_interval password_require_current",
  },
  {
    class: "owned",
    reason: "the members' agent needs it as it is; remove it",
    names: "performance_schema event_scheduler_user",
  },
  ...safeGroups,
];

/** The group of a parameter. */
export const groupOf = groupsByName(groups);

/** Values that are refused though the server knows them. */
export const bounds: ReadonlyMap<string, ParameterBound<ParameterKind>> = new Map(
  Object.entries<ParameterBound<ParameterKind>>({
    max_connections: {
      class: "locksOut",
      reason: "the group, its members and the exporter need connections, too",
      within: { min: 40 },
    },
    max_user_connections: {
      class: "locksOut",
      reason: "it holds for the members' own accounts, too",
      within: { min: 30 },
    },
    max_connect_errors: {
      class: "locksOut",
      reason: "a few broken connections would lock out a whole host",
      within: { min: 10 },
    },
    max_prepared_stmt_count: {
      class: "locksOut",
      reason: "the exporter and many drivers prepare their statements",
      within: { min: 100 },
    },
    max_allowed_packet: {
      class: "locksOut",
      reason: "statements of the members themselves must fit",
      within: { min: 1024 ** 2 },
    },
    thread_stack: {
      class: "locksOut",
      reason: "statements of the members themselves would overrun it",
      within: { min: 256 * 1024 },
    },
    max_join_size: {
      class: "locksOut",
      reason:
        "the exporter's sessions have it, too, and it reads the server's own tables by joins; set it for a session",
      within: { min: 1_000_000 },
    },
    max_execution_time: {
      class: "locksOut",
      reason: "the exporter's sessions have it, too; set it for a session or a statement",
      within: { min: 1_000 },
      or: 0,
    },
    sql_mode: {
      class: "locksOut",
      reason: "no member could join the group again, because names in its own tables would be read padded with blanks",
      excludes: "PAD_CHAR_TO_FULL_LENGTH",
    },
    protocol_compression_algorithms: {
      class: "locksOut",
      reason: "the members' own connections, and most drivers', are not compressed",
      requires: "uncompressed",
    },
    default_storage_engine: {
      class: "locksOut",
      reason: "the group refuses writes to tables of any other",
      within: { type: "enum", values: ["InnoDB"] },
    },
    disabled_storage_engines: {
      class: "locksOut",
      reason: "without InnoDB there is no table that the group can replicate",
      excludes: "InnoDB",
    },
    group_replication_message_cache_size: {
      class: "locksOut",
      reason: "the group needs as much",
      within: { min: 128 * 1024 ** 2 },
    },
    binlog_expire_logs_seconds: {
      class: "losesData",
      reason: "a member that was down for a moment would have to copy everything",
      within: { min: 3600 },
    },
    // the others do without fsync, or are for tests
    innodb_flush_method: {
      class: "losesData",
      reason: "data would be lost in a crash",
      within: { type: "enum", values: ["fsync", "O_DSYNC", "O_DIRECT", "O_DIRECT_NO_FSYNC"] },
    },
    innodb_fast_shutdown: {
      class: "locksOut",
      reason: "each shutdown would look like a crash at the next start, and a new version would not start",
      within: { max: 1 },
    },
  }),
);
