// What sessions of the members' own programs begin with, whatever users set for theirs: the server's defaults, and long timeouts.

const patienceSeconds = 31_536_000;

const values: Readonly<Record<string, string | number>> = {
  autocommit: "ON",
  // those of ANSI or without backslashes read statements and strings differently
  sql_mode:
    "'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  transaction_isolation: "'REPEATABLE-READ'",
  max_execution_time: 0,
  // it is off as soon as max_join_size is set, and then large tables are not read
  sql_big_selects: "ON",
  lock_wait_timeout: patienceSeconds,
  wait_timeout: patienceSeconds,
  net_read_timeout: 600,
  net_write_timeout: 600,
  // names would have no stable order
  max_sort_length: 1024,
  // keys that the server generated are part of a table
  show_gipk_in_create_table_and_information_schema: "ON",
  lc_messages: "'en_US'",
  session_track_gtids: "OFF",
  session_track_state_change: "OFF",
  session_track_system_variables: "''",
  session_track_transaction_info: "OFF",
  // a member answers for itself, and for the current moment
  group_replication_consistency: "'EVENTUAL'",
};

/** The first statement of such a session. */
export const ownSession = `SET ${Object.entries(values)
  .map(([name, value]) => `SESSION ${name} = ${value}`)
  .join(", ")}`;
