// The parameters of MySQL that can be set, by what they are about.
import type { ParameterGroup } from "../parameter-classes";

/** See the header. */
export const safeGroups: readonly ParameterGroup[] = [
  {
    class: "safe",
    reason: "replication in the group, and its log of changes",
    names: `auto_increment_increment auto_increment_offset binlog_cache_size binlog_checksum
      binlog_direct_non_transactional_updates binlog_expire_logs_auto_purge binlog_expire_logs_seconds
      binlog_group_commit_sync_delay binlog_group_commit_sync_no_delay_count binlog_gtid_simple_recovery
      binlog_max_flush_queue_time binlog_order_commits binlog_row_event_max_size binlog_row_image binlog_row_metadata
      binlog_row_value_options binlog_rows_query_log_events binlog_stmt_cache_size binlog_transaction_compression
      binlog_transaction_compression_level_zstd binlog_transaction_dependency_history_size clone_autotune_concurrency
      clone_buffer_size clone_ddl_timeout clone_delay_after_data_drop
      clone_donor_timeout_after_network_failure clone_enable_compression clone_max_concurrency clone_max_data_bandwidth
      clone_max_network_bandwidth group_replication_compression_threshold group_replication_consistency
      group_replication_flow_control_applier_threshold group_replication_flow_control_certifier_threshold
      group_replication_flow_control_hold_percent group_replication_flow_control_max_quota
      group_replication_flow_control_member_quota_percent group_replication_flow_control_min_quota
      group_replication_flow_control_min_recovery_quota group_replication_flow_control_mode
      group_replication_flow_control_period group_replication_flow_control_release_percent
      group_replication_message_cache_size group_replication_transaction_size_limit log_bin_trust_function_creators
      log_statements_unsafe_for_binlog max_binlog_cache_size max_binlog_size max_binlog_stmt_cache_size max_relay_log_size
      replica_allow_batching replica_allow_higher_version_source replica_checkpoint_group replica_checkpoint_period
      replica_compressed_protocol replica_net_timeout replica_parallel_workers replica_pending_jobs_size_max
      replica_transaction_retries rpl_read_size rpl_stop_replica_timeout rpl_stop_slave_timeout session_track_gtids
      slave_allow_batching slave_checkpoint_group slave_checkpoint_period slave_compressed_protocol slave_net_timeout
      slave_parallel_workers slave_pending_jobs_size_max slave_transaction_retries`,
  },
  {
    class: "safe",
    reason: "InnoDB",
    names: `innodb_adaptive_flushing innodb_adaptive_flushing_lwm innodb_adaptive_hash_index innodb_adaptive_hash_index_parts
      innodb_adaptive_max_sleep_delay innodb_api_bk_commit_interval innodb_api_disable_rowlock innodb_api_enable_binlog
      innodb_api_enable_mdl innodb_api_trx_level innodb_autoextend_increment innodb_autoinc_lock_mode
      innodb_buffer_pool_chunk_size innodb_buffer_pool_dump_at_shutdown innodb_buffer_pool_dump_now
      innodb_buffer_pool_dump_pct innodb_buffer_pool_in_core_file innodb_buffer_pool_instances innodb_buffer_pool_load_abort
      innodb_buffer_pool_load_at_startup innodb_buffer_pool_load_now innodb_buffer_pool_size innodb_change_buffer_max_size
      innodb_change_buffering innodb_cmp_per_index_enabled innodb_commit_concurrency
      innodb_compression_failure_threshold_pct innodb_compression_level innodb_compression_pad_pct_max
      innodb_concurrency_tickets innodb_ddl_buffer_size innodb_ddl_threads innodb_deadlock_detect innodb_default_row_format
      innodb_disable_sort_file_cache innodb_doublewrite_batch_size innodb_doublewrite_files innodb_doublewrite_pages
      innodb_extend_and_initialize innodb_fast_shutdown innodb_file_per_table innodb_fill_factor innodb_flush_log_at_timeout
      innodb_flush_method innodb_flush_neighbors innodb_flush_sync innodb_flushing_avg_loops innodb_fsync_threshold
      innodb_ft_aux_table innodb_ft_cache_size innodb_ft_enable_diag_print innodb_ft_enable_stopword
      innodb_ft_max_token_size innodb_ft_min_token_size innodb_ft_num_word_optimize innodb_ft_result_cache_limit
      innodb_ft_server_stopword_table innodb_ft_sort_pll_degree innodb_ft_total_cache_size innodb_ft_user_stopword_table
      innodb_idle_flush_pct innodb_io_capacity innodb_io_capacity_max innodb_lock_wait_timeout innodb_log_buffer_size
      innodb_log_compressed_pages innodb_log_spin_cpu_abs_lwm innodb_log_spin_cpu_pct_hwm innodb_log_wait_for_flush_spin_hwm
      innodb_log_write_ahead_size innodb_log_writer_threads innodb_lru_scan_depth innodb_max_dirty_pages_pct
      innodb_max_dirty_pages_pct_lwm innodb_max_purge_lag innodb_max_purge_lag_delay innodb_max_undo_log_size
      innodb_monitor_disable innodb_monitor_enable innodb_monitor_reset innodb_monitor_reset_all innodb_native_foreign_keys
      innodb_numa_interleave innodb_old_blocks_pct innodb_old_blocks_time innodb_online_alter_log_max_size innodb_open_files
      innodb_optimize_fulltext_only innodb_page_cleaners innodb_parallel_read_threads innodb_print_all_deadlocks
      innodb_print_ddl_logs innodb_purge_batch_size innodb_purge_rseg_truncate_frequency innodb_purge_threads
      innodb_random_read_ahead innodb_read_ahead_threshold innodb_read_io_threads innodb_redo_log_capacity
      innodb_replication_delay innodb_rollback_on_timeout innodb_rollback_segments innodb_segment_reserve_factor
      innodb_sort_buffer_size innodb_spin_wait_delay innodb_spin_wait_pause_multiplier innodb_stats_auto_recalc
      innodb_stats_include_delete_marked innodb_stats_method innodb_stats_on_metadata innodb_stats_persistent
      innodb_stats_persistent_sample_pages innodb_stats_transient_sample_pages innodb_status_output
      innodb_status_output_locks innodb_strict_mode innodb_sync_array_size innodb_sync_spin_loops innodb_table_locks
      innodb_thread_concurrency innodb_thread_sleep_delay innodb_undo_log_truncate innodb_use_fdatasync
      innodb_use_native_aio innodb_validate_tablespace_paths innodb_write_io_threads`,
  },
  {
    class: "safe",
    reason: "other storage engines and full text",
    names: `bulk_insert_buffer_size concurrent_insert default_storage_engine default_tmp_storage_engine delay_key_write
      delayed_insert_limit delayed_insert_timeout delayed_queue_size disabled_storage_engines
      enable_secondary_engine_statistics external_table_secondary_storage_engine external_table_storage_engine flush
      ft_boolean_syntax ft_max_word_len ft_min_word_len ft_query_expansion_limit internal_tmp_mem_storage_engine
      keep_files_on_create key_buffer_size key_cache_age_threshold key_cache_block_size key_cache_division_limit
      low_priority_updates max_delayed_threads max_write_lock_count myisam_data_pointer_size myisam_max_sort_file_size
      myisam_mmap_size myisam_recover_options myisam_sort_buffer_size myisam_stats_method myisam_use_mmap ngram_token_size
      preload_buffer_size secondary_engine_cost_threshold temptable_max_mmap temptable_max_ram`,
  },
  {
    class: "safe",
    reason: "connections and accounts",
    names: `activate_all_roles_on_login activate_mandatory_roles automatic_sp_privileges back_log check_proxy_users
      connect_timeout connection_memory_chunk_size connection_memory_limit connection_memory_status_limit
      disconnect_on_expired_password generated_random_password_length global_connection_memory_limit
      global_connection_memory_status_limit global_connection_memory_tracking host_cache_size init_connect
      interactive_timeout local_infile lock_wait_timeout mandatory_roles max_allowed_packet max_connect_errors
      max_connections max_prepared_stmt_count max_user_connections net_buffer_length net_read_timeout net_retry_count
      net_write_timeout partial_revokes print_identified_with_as_hex protocol_compression_algorithms skip_show_database
      thread_cache_size thread_handling thread_stack wait_timeout`,
  },
  {
    class: "safe",
    reason: "what is in the logs and tables of the server itself",
    names: `end_markers_in_json explain_format explain_json_format_version general_log information_schema_stats_expiry
      log_error_suppression_list log_error_verbosity log_queries_not_using_indexes log_slow_admin_statements log_slow_extra
      log_slow_replica_statements log_slow_slave_statements log_throttle_queries_not_using_indexes log_timestamps
      long_query_time max_digest_length max_error_count min_examined_row_limit optimizer_trace optimizer_trace_features
      optimizer_trace_limit optimizer_trace_max_mem_size optimizer_trace_offset profiling_history_size session_track_schema
      session_track_state_change session_track_system_variables session_track_transaction_info show_create_table_verbosity
      show_gipk_in_create_table_and_information_schema slow_launch_time slow_query_log terminology_use_previous`,
  },
  {
    class: "safe",
    reason: "memory and caches",
    names: `eq_range_index_dive_limit histogram_generation_max_mem_size join_buffer_size large_pages max_heap_table_size
      max_join_size open_files_limit parser_max_mem_size query_alloc_block_size query_prealloc_size range_alloc_block_size
      range_optimizer_max_mem_size read_buffer_size read_rnd_buffer_size regexp_stack_limit regexp_time_limit
      schema_definition_cache select_into_buffer_size select_into_disk_sync select_into_disk_sync_delay
      set_operations_buffer_size sort_buffer_size stored_program_cache stored_program_definition_cache
      table_definition_cache table_open_cache table_open_cache_instances table_open_cache_triggers
      tablespace_definition_cache tmp_table_size transaction_alloc_block_size transaction_prealloc_size
      performance_schema_*`,
  },
  {
    class: "safe",
    reason: "what sessions begin with, except those of the members' own programs",
    names: `big_tables block_encryption_mode character_set_filesystem character_set_server collation_server
      cte_max_recursion_depth default_week_format div_precision_increment enable_cascade_triggers event_scheduler
      explicit_defaults_for_timestamp group_concat_max_len lc_messages lc_time_names max_execution_time
      max_length_for_sort_data max_points_in_geometry max_seeks_for_key max_sort_length max_sp_recursion_depth
      old_alter_table optimizer_max_subgraph_pairs optimizer_prune_level optimizer_search_depth optimizer_switch
      restrict_fk_on_non_standard_key sql_generate_invisible_primary_key sql_mode sql_require_primary_key
      transaction_isolation updatable_views_with_limit windowing_use_high_precision`,
  },
];
