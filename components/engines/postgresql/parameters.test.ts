import assert from "node:assert/strict";
import test from "node:test";
import { needingRestart, parameterProblems } from "./parameters";

const version = "17.11";
const messagesOf = (config: Record<string, string>): string[] =>
  parameterProblems(config, version).map(({ message }) => message);

const accepted: Record<string, string>[] = [
  {},
  { max_connections: "200" },
  { work_mem: "16MB" },
  { work_mem: "0.5GB" },
  { work_mem: "65536" },
  { shared_preload_libraries: "pg_stat_statements,auto_explain" },
  { "pg_stat_statements.max": "10000" },
  { wal_level: "logical" },
  { log_min_duration_statement: "250ms" },
  { log_min_duration_statement: "-1" },
  { checkpoint_timeout: "15min" },
  { checkpoint_completion_target: "0.9" },
  { jit: "off" },
  { synchronous_commit: "remote_apply" },
  { timezone: "Europe/Vienna" },
  { autovacuum_vacuum_cost_delay: "2ms" },
  { huge_pages: "try" },
  { statement_timeout: "30s" },
  { statement_timeout: "0" },
  { lc_messages: "C.UTF-8" },
  { wal_sender_timeout: "0" },
  { wal_sender_timeout: "0s" },
  { tcp_user_timeout: "30s" },
  { temp_file_limit: "-1" },
  { reserved_connections: "30", max_connections: "40" },
  { temp_file_limit: "1GB" },
  { wal_retrieve_retry_interval: "100ms" },
  { default_transaction_isolation: "serializable" },
  { recovery_prefetch: "try" },
  { log_destination: "stderr" },
];

for (const config of accepted) {
  test(`${JSON.stringify(config)} is accepted`, () => {
    assert.deepEqual(messagesOf(config), []);
  });
}

const refused: [Record<string, string>, RegExp][] = [
  [{ listen_addresses: "*" }, /"listen_addresses" cannot be set: .*Services/],
  [{ port: "5433" }, /cannot be set/],
  [{ data_directory: "/data" }, /remove it/],
  [{ hba_file: "/x" }, /remove it/],
  [{ cluster_name: "x" }, /remove it/],
  [{ hot_standby: "off" }, /needs it on/],
  [{ primary_conninfo: "host=x" }, /Patroni sets it/],
  [{ restore_command: "cp" }, /remove it/],
  [{ recovery_target_time: "now" }, /remove it/],
  [{ synchronous_standby_names: "*" }, /synchronousCommit/],
  [{ archive_mode: "on" }, /backup.destination.s3 turns archiving on/],
  [{ ssl: "on" }, /TLS/],
  [{ ssl_cert_file: "x" }, /TLS/],
  [{ unix_socket_directories: "/tmp" }, /Services/],
  [{ logging_collector: "on" }, /pod's log/],
  [{ fsync: "off" }, /lost in a crash/],
  [{ TimeZone: "UTC" }, /"TimeZone" must be written in lower case: timezone$/],
  [{ foo: "1" }, /unknown to PostgreSQL 17\.11: see pg_settings/],
  [{ role: "app" }, /role" is unknown to PostgreSQL 17\.11: see pg_settings/],
  [{ zero_damaged_pages: "on" }, /accepted as valid.*one session/],
  [{ ignore_checksum_failure: "on" }, /accepted as valid/],
  [{ ignore_invalid_pages: "on" }, /accepted as valid/],
  [{ session_replication_role: "replica" }, /bypass triggers/],
  [{ exit_on_error: "on" }, /sessions of the members/],
  [{ password_encryption: "md5" }, /must be one of scram-sha-256/],
  [{ password_encryption: "md5" }, /: the members' own roles log in/],
  [{ synchronous_commit: "off" }, /must be one of local, .*: commits that were confirmed would be lost/],
  [{ wal_receiver_status_interval: "0" }, /must be at least 1s: replicas would confirm nothing/],
  [{ wal_sender_timeout: "1ms" }, /must be at least 1000ms/],
  [{ superuser_reserved_connections: "0" }, /must be at least 3: Patroni/],
  [{ scram_iterations: "2147483647" }, /must be at most 100000/],
  [{ transaction_read_only: "on" }, /write default_transaction/],
  [{ default_transaction_read_only: "on" }, /ALTER ROLE app SET default_transaction_read_only = on/],
  [{ statement_timeout: "1ms" }, /must be at least 1000ms: sessions of Patroni.*ALTER ROLE/],
  [{ idle_session_timeout: "5s" }, /must be at least 10000ms/],
  [{ lc_messages: "de_DE" }, /must be one of C, C\.UTF-8.*no other locales/],
  [{ dynamic_library_path: "/tmp" }, /come from the image alone/],
  [{ jit_provider: "/tmp/x" }, /come from the image alone/],
  [{ shared_preload_libraries: "/var/lib/postgresql/data/x" }, /must not contain \/: libraries come from the image/],
  [{ local_preload_libraries: "x" }, /no directory of such libraries/],
  [{ log_destination: "syslog" }, /must be one of stderr: logs go/],
  [{ max_stack_depth: "1GB" }, /must be at most 7680kB/],
  [{ krb_server_keyfile: "/x" }, /by password/],
  [{ wal_level: "minimal" }, /must be one of replica, logical/],
  [{ max_connections: "5" }, /must be at least 25/],
  [{ max_connections: "9999999999" }, /must be at most 262143/],
  [{ max_connections: "many" }, /must be a number/],
  [{ max_connections: "262143" }, /"max_connections" is "262143": with .* makes 262165 processes.* 262143: lower it$/],
  [{ max_worker_processes: "131072", max_wal_senders: "131072" }, /no server has room for more than 262143/],
  [{ superuser_reserved_connections: "100" }, /all of max_connections \(100\) would be reserved/],
  [
    { reserved_connections: "30", max_connections: "33" },
    /"reserved_connections" is "30": all of max_connections \(33\)/,
  ],
  [{ max_wal_size: "2MB" }, /must be at least 32MB: two segments/],
  [{ temp_file_limit: "0" }, /must be at least 102400kB: .* members could not be copied/],
  [{ wal_retrieve_retry_interval: "1h" }, /must be at most 60000ms: a replica/],
  [{ max_wal_senders: "3" }, /must be at least 12/],
  [{ work_mem: "16mb" }, /units B, kB, MB, GB or TB/],
  [{ work_mem: "16min" }, /units B, kB/],
  [{ jit: "on" }, /must be one of off/],
  [{ autovacuum: "maybe" }, /must be "on" or "off"/],
  [{ synchronous_commit: "sometimes" }, /must be one of/],
  [{ max_conections: "100" }, /did you mean "max_connections"\?/],
  [{ no_such_thing_at_all: "1" }, /unknown to PostgreSQL 17\.11/],
  [{ constructor: "1" }, /unknown/],
  [{ Work_Mem: "1MB" }, /lower case: work_mem/],
  [{ "work_mem = 1\nssl": "1" }, /lower-case/],
  [{ log_line_prefix: "%m\nssl = on" }, /line break/],
];

for (const [config, message] of refused) {
  test(`${JSON.stringify(config)} is refused with a message that says what to do`, () => {
    const messages = messagesOf(config);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? "", message);
  });
}

test("every problem is reported, in the order of the names", () => {
  assert.deepEqual(
    parameterProblems({ ssl: "on", work_mem: "1MB", port: "1" }, version).map(({ parameter }) => parameter),
    ["port", "ssl"],
  );
});

test("parameters that are too long together, as they are stored, are refused; just short enough they are not", () => {
  const many = (count: number, value: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`shop.p${String(index).padStart(3, "0")}`, value]));
  // each entry: 9 + 2 quotes, and the value with 2 more
  assert.deepEqual(messagesOf(many(128, "x".repeat(1011))), []);
  assert.match(
    messagesOf(many(128, "x".repeat(1012))).join(),
    /^parameter "shop\.p000" and the others take 131200 bytes/,
  );
  assert.match(messagesOf(many(100, "😀".repeat(1024))).join(), /take 1230100 bytes together/);
});

test("a server whose parameters are not recorded still has reserved ones", () => {
  assert.deepEqual(parameterProblems({ brand_new: "1" }, "99.1"), []);
  assert.equal(parameterProblems({ port: "1" }, "99.1").length, 1);
});

const onlyIn: [parameter: string, value: string, majors: readonly string[]][] = [
  ["vacuum_defer_cleanup_age", "0", ["15"]],
  ["old_snapshot_threshold", "60", ["15"]],
  ["reserved_connections", "3", ["17", "18"]],
  ["transaction_timeout", "5min", ["17", "18"]],
  ["io_method", "worker", ["18"]],
  ["idle_replication_slot_timeout", "1h", ["18"]],
];

for (const [parameter, value, majors] of onlyIn) {
  test(`${parameter} is for PostgreSQL ${majors.join(" and ")} only`, () => {
    for (const major of ["15", "17", "18"]) {
      const problems = parameterProblems({ [parameter]: value }, `${major}.1`);
      if (majors.includes(major)) assert.deepEqual(problems, []);
      else assert.match(problems[0]?.message ?? "", /is unknown to PostgreSQL/);
    }
  });
}

for (const major of ["15", "17", "18"]) {
  test(`PostgreSQL ${major} applies work_mem at once, shared_buffers at a restart, and its block size never`, () => {
    assert.deepEqual(needingRestart({ work_mem: "1MB", shared_buffers: "1GB" }, `${major}.1`), {
      shared_buffers: "1GB",
    });
    assert.match(
      parameterProblems({ block_size: "4096" }, `${major}.1`)[0]?.message ?? "",
      /cannot be set: it reports how/,
    );
  });
}

test("only parameters that the server reads at its start need a restart", () => {
  assert.deepEqual(needingRestart({ max_connections: "200", work_mem: "1MB", shared_buffers: "1GB" }, version), {
    max_connections: "200",
    shared_buffers: "1GB",
  });
});
