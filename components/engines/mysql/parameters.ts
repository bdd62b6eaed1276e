// MySQL parameters: which ones a user may set, to which values, and which need a restart of the members.
import type { ParameterProblem } from "../engine";
import known97 from "./parameters-9.7.json";
import { valueProblem, type ParameterKind } from "./values";

type Known = Readonly<Record<string, ParameterKind>>;

/** Parameters that this library or the members' agent sets, each with what to do instead. */
const reserved: readonly (readonly [RegExp, string])[] = [
  [
    /^(port|bind_address|admin_.*|socket|skip_networking|mysqlx.*|report_.*|skip_name_resolve)$/,
    "members listen where the Services and the other members expect them; it cannot be changed",
  ],
  [
    /^(datadir|tmpdir|replica_load_tmpdir|basedir|plugin_dir|character_sets_dir|lc_messages_dir|pid_file|secure_file_priv|innodb_(data_home_dir|data_file_path|directories|doublewrite_dir|log_group_home_dir|temp_.*|tmpdir|undo_directory))$/,
    "paths are fixed by the image; remove it",
  ],
  [/^(server_id|server_uuid|gtid_.*|enforce_gtid_consistency)$/, "the group needs it as it is; remove it"],
  [
    /^group_replication_(?!message_cache_size|flow_control_|compression_|transaction_size_limit|consistency)/,
    "the members' agent sets it; remove it",
  ],
  [
    /^(log_bin(?!_trust_function_creators$).*|log_replica_updates|log_slave_updates|binlog_format|sql_log_bin|relay_log.*|(replica|slave)_(preserve_commit_order|skip_errors|parallel_type|exec_mode|type_conversions)|skip_(replica|slave)_start|init_(replica|slave)|(replicate|binlog)_(do|ignore|wild|rewrite).*|sync_(binlog|relay_log.*|source_info|master_info)|source_verify_checksum)$/,
    "replication in the group needs it as it is; remove it",
  ],
  [/^(read_only|super_read_only|offline_mode)$/, "the group decides who may write; remove it"],
  [
    /^(early_plugin_load|plugin_load.*|init_file|daemonize|user|chroot|initialize.*|upgrade|persist.*|persisted_.*)$/,
    "the members' agent starts the server; remove it",
  ],
  [
    /^(innodb_flush_log_at_trx_commit|innodb_doublewrite|innodb_force_recovery|innodb_(checksum.*|read_only)|binlog_error_action|flush_time)$/,
    "data would be lost in a crash; remove it",
  ],
  [/^innodb_dedicated_server$/, "sizes follow from spec.resources, not from the machine; remove it"],
  [
    /^(binlog_encryption|innodb_(redo|undo)_log_encrypt|default_table_encryption|table_encryption_privilege_check)$/,
    "the images have no keyring; remove it",
  ],
  [/^(autocommit|transaction_read_only)$/, "the sessions of the members themselves must write; set it for a session"],
  [
    /^(ssl_.*|tls_.*|auto_generate_certs|require_secure_transport|sha256_password_.*|caching_sha2_password_.*)$/,
    "certificates of one's own are not available yet; remove it",
  ],
  [
    /^(log_error|log_error_services|log_output|general_log_file|slow_query_log_file|syseventlog.*)$/,
    "errors go to the pod's log, the slow and the general log to tables of `mysql`; remove it",
  ],
  [/^(lower_case_table_names|innodb_page_size)$/, "it is decided when the data directory is made; remove it"],
  [
    /^default_password_lifetime$/,
    "the accounts of the members themselves would expire, and with them the database: set it for each user",
  ],
  [/^(performance_schema|event_scheduler_user)$/, "the members' agent needs it as it is; remove it"],
];

/** Bounds that the group, its members and the exporter need. */
const narrower: Readonly<Record<string, Partial<ParameterKind>>> = {
  max_connections: { min: 40 },
  // it holds for the members' own accounts, too
  max_user_connections: { min: 30 },
  group_replication_message_cache_size: { min: 128 * 1024 ** 2 },
  binlog_expire_logs_seconds: { min: 3600 },
  // the others do without fsync, or are for tests
  innodb_flush_method: { type: "enum", values: ["fsync", "O_DSYNC", "O_DIRECT", "O_DIRECT_NO_FSYNC"] },
};

const namePattern = /^[a-z][a-z0-9_]*$/;
// A value becomes one argument of the server.
const controlCharacters = /\p{Cc}/u;

/** The most that all parameters together may take, in bytes. */
const mostBytes = 128 * 1024;

/** What the server of this version knows; nothing for a version whose parameters are not recorded. */
function recordedFor(version: string): Known | undefined {
  return version === "9.7" ? (known97 as Known) : undefined;
}

/** The parameters of the version, or of the nearest that is recorded. */
export const knownFor = (version: string): Known => recordedFor(version) ?? (known97 as Known);

/** What is wrong with `config` for a server of `version`, in the order of the names. */
export function parameterProblems(config: Readonly<Record<string, string>>, version: string): ParameterProblem[] {
  const problems = Object.entries(config)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([parameter, value]) => {
      const problem = problemOf(parameter, value, version);
      return problem === undefined ? [] : [{ parameter, message: `parameter "${parameter}" ${problem}` }];
    });
  return [...sizeProblems(config), ...problems];
}

function sizeProblems(config: Readonly<Record<string, string>>): ParameterProblem[] {
  const bytes = ([name, value]: readonly [string, string]): number => Buffer.byteLength(JSON.stringify([name, value]));
  const entries = Object.entries(config).sort((left, right) => bytes(right) - bytes(left));
  const total = entries.reduce((sum, entry) => sum + bytes(entry), 0);
  const [largest] = entries;
  if (largest === undefined || total <= mostBytes) return [];
  const message = `parameter "${largest[0]}" and the others take ${total} bytes together: shorten them to ${mostBytes} bytes`;
  return [{ parameter: largest[0], message }];
}

function problemOf(parameter: string, value: string, version: string): string | undefined {
  if (!namePattern.test(parameter)) return "is no name of a parameter: use lower-case letters, digits and _";
  const rule = reserved.find(([pattern]) => pattern.test(parameter));
  if (rule !== undefined) return `cannot be set: ${rule[1]}`;
  if (controlCharacters.test(value)) return "has a line break or another control character in its value: remove it";
  const known = recordedFor(version);
  if (known === undefined) return undefined;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) return `is unknown to MySQL ${version}: see SHOW GLOBAL VARIABLES for the names that exist`;
  const problem = valueProblem(value, { ...kind, ...narrower[parameter] });
  return problem && `is "${value}": it ${problem}`;
}
