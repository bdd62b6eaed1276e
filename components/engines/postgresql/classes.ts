// Every parameter of PostgreSQL by its class, with the reason. What the servers say of them (types, bounds, restarts) is in the tables beside
// this file; a test holds both against each other, so that none of a new version is taken without having been looked at.
import { groupsByName, type ParameterGroup } from "../parameter-classes";

/** Where nothing else is said, names are those of 15, 17 and 18. */
export const groups: readonly ParameterGroup[] = [
  {
    class: "owned",
    reason: "members listen where the Services expect them; it cannot be changed",
    names: "listen_addresses port unix_socket_*",
  },
  {
    class: "owned",
    reason: "paths are fixed by the image; remove it",
    names: "data_directory config_file hba_file ident_file external_pid_file",
  },
  { class: "owned", reason: "it is always the name of the Database; remove it", names: "cluster_name" },
  { class: "owned", reason: "replication needs it on; remove it", names: "hot_standby wal_log_hints" },
  {
    class: "owned",
    reason: "Patroni sets it on every replica; remove it",
    names: "primary_conninfo primary_slot_name promote_trigger_file",
  },
  {
    class: "owned",
    reason: "the members manage recovery themselves; remove it",
    names: "restore_command archive_cleanup_command recovery_*",
  },
  {
    class: "owned",
    reason: "Patroni sets it; use highAvailability.synchronousCommit (synchronousCommit) instead",
    names: "synchronous_standby_names",
  },
  {
    class: "owned",
    reason: "backup.destination.s3 turns archiving on, and pointInTime says how often; remove it",
    names: "archive_mode archive_command archive_library archive_timeout",
  },
  {
    class: "owned",
    reason: "spec.tls decides about TLS, and the operator issues the certificate; remove it",
    names: "ssl ssl_*",
  },
  {
    class: "owned",
    reason: "logs go to the pod's log; remove it",
    names:
      "logging_collector log_directory log_filename log_file_mode log_rotation_age log_rotation_size log_truncate_on_rotation",
  },
  { class: "owned", reason: "it has no effect in a pod; remove it", names: "bonjour* event_source syslog_*" },
  {
    class: "owned",
    reason: "clients log in by password; remove it",
    names: "krb_* gss_* oauth_*",
  },
  {
    class: "losesData",
    reason: "data would be lost in a crash; remove it",
    names: "fsync full_page_writes data_sync_retry",
  },
  {
    class: "losesData",
    reason: "damaged data would be accepted as valid in every session; set it for one session of the superuser",
    names: "zero_damaged_pages ignore_checksum_failure ignore_invalid_pages ignore_system_indexes",
  },
  {
    class: "losesData",
    reason: "every session could break the catalogs or bypass triggers; set it for one session of the superuser",
    names: "allow_system_table_mods session_replication_role",
  },
  {
    class: "locksOut",
    reason: "the sessions of the members themselves would end or wait; remove it",
    names: "exit_on_error pre_auth_delay post_auth_delay debug_io_direct",
  },
  {
    class: "locksOut",
    reason: "the members' own roles, and app, could no longer log in by their names; remove it",
    names: "db_user_namespace",
  },
  {
    class: "locksOut",
    reason:
      "it belongs to a single transaction: write default_transaction_isolation or default_transaction_deferrable instead",
    names: "transaction_isolation transaction_read_only transaction_deferrable",
  },
  {
    class: "locksOut",
    reason:
      "the sessions of the members themselves must write when the database is made; set it for roles: ALTER ROLE app SET default_transaction_read_only = on",
    names: "default_transaction_read_only",
  },
  {
    class: "locksOut",
    reason: "the images have no directory of such libraries; use session_preload_libraries",
    names: "local_preload_libraries",
  },
  {
    class: "escapes",
    reason: "libraries and extensions come from the image alone; remove it",
    names: "dynamic_library_path extension_control_path extension_destdir jit_provider output_plugin_libraries",
  },
  {
    class: "safe",
    reason: "connections and memory of the server",
    names: `max_connections reserved_connections superuser_reserved_connections shared_buffers huge_pages huge_page_size
      shared_memory_type dynamic_shared_memory_type min_dynamic_shared_memory work_mem hash_mem_multiplier maintenance_work_mem
      autovacuum_work_mem logical_decoding_work_mem temp_buffers max_stack_depth max_prepared_transactions
      max_locks_per_transaction max_pred_locks_per_transaction max_pred_locks_per_relation max_pred_locks_per_page
      max_files_per_process max_worker_processes max_notify_queue_pages track_activity_query_size vacuum_buffer_usage_limit
      commit_timestamp_buffers multixact_member_buffers multixact_offset_buffers notify_buffers serializable_buffers
      subtransaction_buffers transaction_buffers`,
  },
  {
    class: "safe",
    reason: "how clients connect and stay connected",
    names: `authentication_timeout password_encryption scram_iterations md5_password_warnings client_connection_check_interval
      tcp_keepalives_idle tcp_keepalives_interval tcp_keepalives_count tcp_user_timeout application_name`,
  },
  {
    class: "safe",
    reason: "processes for queries, vacuum and subscriptions",
    names: `max_parallel_workers max_parallel_workers_per_gather max_parallel_maintenance_workers parallel_leader_participation
      max_logical_replication_workers max_sync_workers_per_subscription max_parallel_apply_workers_per_subscription
      max_active_replication_origins`,
  },
  {
    class: "safe",
    reason: "reading and writing of files",
    names: `backend_flush_after bgwriter_delay bgwriter_flush_after bgwriter_lru_maxpages bgwriter_lru_multiplier
      effective_io_concurrency maintenance_io_concurrency io_combine_limit io_max_combine_limit io_max_concurrency io_method
      io_workers file_copy_method file_extend_method temp_file_limit remove_temp_files_after_crash synchronize_seqscans
      gin_pending_list_limit gin_fuzzy_search_limit`,
  },
  {
    class: "safe",
    reason: "checkpoints and WAL",
    names: `checkpoint_completion_target checkpoint_flush_after checkpoint_timeout checkpoint_warning commit_delay commit_siblings
      max_wal_size min_wal_size synchronous_commit wal_buffers wal_compression wal_decode_buffer_size wal_init_zero wal_recycle
      wal_skip_threshold wal_sync_method wal_writer_delay wal_writer_flush_after wal_level summarize_wal wal_summary_keep_time
      recovery_prefetch recovery_init_sync_method restart_after_crash`,
  },
  {
    class: "safe",
    reason: "replication, of members and of subscribers",
    names: `hot_standby_feedback idle_replication_slot_timeout max_replication_slots max_slot_wal_keep_size
      max_standby_archive_delay max_standby_streaming_delay max_wal_senders sync_replication_slots synchronized_standby_slots
      track_commit_timestamp vacuum_defer_cleanup_age wal_keep_size wal_receiver_create_temp_slot wal_receiver_status_interval
      wal_receiver_timeout wal_retrieve_retry_interval wal_sender_timeout`,
  },
  {
    class: "safe",
    reason: "vacuum and statistics",
    names: `autovacuum autovacuum_analyze_scale_factor autovacuum_analyze_threshold autovacuum_freeze_max_age
      autovacuum_max_workers autovacuum_multixact_freeze_max_age autovacuum_naptime autovacuum_vacuum_cost_delay
      autovacuum_vacuum_cost_limit autovacuum_vacuum_insert_scale_factor autovacuum_vacuum_insert_threshold
      autovacuum_vacuum_max_threshold autovacuum_vacuum_scale_factor autovacuum_vacuum_threshold autovacuum_worker_slots
      default_statistics_target old_snapshot_threshold stats_fetch_consistency track_activities track_counts track_functions
      track_io_timing track_wal_io_timing track_cost_delay_timing compute_query_id vacuum_cost_delay vacuum_cost_limit
      vacuum_cost_page_dirty vacuum_cost_page_hit vacuum_cost_page_miss vacuum_failsafe_age vacuum_freeze_min_age
      vacuum_freeze_table_age vacuum_max_eager_freeze_failure_rate vacuum_multixact_failsafe_age vacuum_multixact_freeze_min_age
      vacuum_multixact_freeze_table_age vacuum_truncate`,
  },
  {
    class: "safe",
    reason: "what the planner assumes",
    names: `constraint_exclusion cpu_index_tuple_cost cpu_operator_cost cpu_tuple_cost cursor_tuple_fraction effective_cache_size
      enable_async_append enable_bitmapscan enable_distinct_reordering enable_gathermerge enable_group_by_reordering
      enable_hashagg enable_hashjoin enable_incremental_sort enable_indexonlyscan enable_indexscan enable_material enable_memoize
      enable_mergejoin enable_nestloop enable_parallel_append enable_parallel_hash enable_partition_pruning
      enable_partitionwise_aggregate enable_partitionwise_join enable_presorted_aggregate enable_self_join_elimination
      enable_seqscan enable_sort enable_tidscan from_collapse_limit geqo geqo_effort geqo_generations geqo_pool_size geqo_seed
      geqo_selection_bias geqo_threshold jit jit_above_cost jit_debugging_support jit_dump_bitcode jit_expressions
      jit_inline_above_cost jit_optimize_above_cost jit_profiling_support jit_tuple_deforming join_collapse_limit
      min_parallel_index_scan_size min_parallel_table_scan_size parallel_setup_cost parallel_tuple_cost plan_cache_mode
      random_page_cost recursive_worktable_factor seq_page_cost`,
  },
  {
    class: "safe",
    reason: "what sessions begin with, except those of the members' own programs",
    names: `array_nulls backslash_quote bytea_output check_function_bodies client_encoding client_min_messages
      composite_type_mismatch createrole_self_grant datestyle deadlock_timeout default_table_access_method default_tablespace
      default_text_search_config default_toast_compression default_transaction_deferrable default_transaction_isolation
      escape_string_warning event_triggers extra_float_digits icu_validation_level
      idle_in_transaction_session_timeout idle_session_timeout intervalstyle lc_messages lc_monetary lc_numeric lc_time
      lo_compat_privileges lock_timeout quote_all_identifiers restrict_nonsystem_relation_kind row_security search_path
      session_preload_libraries shared_preload_libraries standard_conforming_strings statement_timeout temp_tablespaces timezone
      timezone_abbreviations transaction_timeout transform_null_equals xmlbinary xmloption`,
  },
  {
    class: "safe",
    reason: "what is in the pod's log",
    names: `backtrace_functions debug_pretty_print debug_print_parse debug_print_plan debug_print_rewritten
      log_autovacuum_min_duration log_checkpoints log_connections log_destination log_disconnections log_duration
      log_error_verbosity log_executor_stats log_hostname log_line_prefix log_lock_failures log_lock_waits
      log_min_duration_sample log_min_duration_statement log_min_error_statement log_min_messages log_parameter_max_length
      log_parameter_max_length_on_error log_parser_stats log_planner_stats log_recovery_conflict_waits log_replication_commands
      log_startup_progress_interval log_statement log_statement_sample_rate log_statement_stats log_temp_files log_timezone
      log_transaction_sample_rate trace_connection_negotiation trace_notify trace_recovery_messages trace_sort
      update_process_title`,
  },
  {
    class: "safe",
    reason: "for debugging the server itself",
    names: `allow_alter_system allow_in_place_tablespaces debug_discard_caches debug_logical_replication_streaming
      debug_parallel_query force_parallel_mode send_abort_for_crash send_abort_for_kill wal_consistency_checking`,
  },
];

/** The group of a parameter. */
export const groupOf = groupsByName(groups);
