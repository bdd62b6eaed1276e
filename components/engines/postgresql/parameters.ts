// PostgreSQL parameters: which ones a user may set, to which values, and which need a restart of the members.
import type { ParameterProblem } from "../engine";
import { knownFor, likeliest } from "./known";
import { valueProblem, type ParameterKind } from "./values";

/** Parameters that this library or Patroni sets, each with what to do instead. */
const reserved: readonly (readonly [RegExp, string])[] = [
  [/^(listen_addresses|port|unix_socket_.*)$/, "members listen where the Services expect them; it cannot be changed"],
  [/^(data_directory|config_file|hba_file|ident_file|external_pid_file)$/, "paths are fixed by the image; remove it"],
  [/^cluster_name$/, "it is always the name of the Database; remove it"],
  [/^(hot_standby|wal_log_hints)$/, "replication needs it on; remove it"],
  [/^(primary_conninfo|primary_slot_name|promote_trigger_file)$/, "Patroni sets it on every replica; remove it"],
  [/^(restore_command|archive_cleanup_command|recovery_.*)$/, "recovery is the members' own business; remove it"],
  [
    /^synchronous_standby_names$/,
    "Patroni sets it; use highAvailability.synchronousCommit (synchronousCommit) instead",
  ],
  [/^archive_(mode|command|library|timeout)$/, "WAL archiving is not available yet; remove it"],
  [/^ssl(_.*)?$/, "TLS is not available yet; remove it"],
  [
    /^(logging_collector|log_(directory|filename|file_mode|rotation_age|rotation_size|truncate_on_rotation))$/,
    "logs go to the pod's log; remove it",
  ],
  [/^(fsync|full_page_writes|data_sync_retry)$/, "data would be lost in a crash; remove it"],
  [
    /^(zero_damaged_pages|ignore_(checksum_failure|invalid_pages|system_indexes))$/,
    "damaged data would be taken for sound in every session; set it for one session of the superuser",
  ],
  [
    /^(allow_system_table_mods|session_replication_role)$/,
    "every session could break the catalogs or pass over triggers; set it for one session of the superuser",
  ],
  [
    /^(exit_on_error|(pre|post)_auth_delay|debug_io_direct)$/,
    "the sessions of the members themselves would end or wait; remove it",
  ],
  [/^(bonjour.*|event_source|syslog_.*)$/, "it has no effect in a pod; remove it"],
];

/** Bounds that Patroni silently replaces by a default, or that replication among ten members, backups and the images need. */
const narrower: Readonly<Record<string, Partial<ParameterKind>>> = {
  max_connections: { min: 25 },
  max_wal_senders: { min: 12 },
  max_replication_slots: { min: 12 },
  max_worker_processes: { min: 2 },
  max_locks_per_transaction: { min: 32 },
  wal_keep_size: { min: 16 },
  // the members' own roles log in with it
  password_encryption: { values: ["scram-sha-256"] },
  wal_level: { values: ["replica", "logical"] },
  // the images have no compiler for it
  jit: { type: "enum", values: ["off"] },
};

const namePattern = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$/;
// A value becomes one line of a configuration file.
const controlCharacters = /\p{Cc}/u;

/**
 * The most that all parameters together may take in the annotation that members read them from, in bytes: half of what
 * Kubernetes allows for all annotations of an object.
 */
const mostBytes = 128 * 1024;

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
  const sizes = Object.entries(config)
    .map(([parameter, value]) => ({ parameter, bytes: escapedBytes(parameter) + escapedBytes(value) }))
    .sort((left, right) => right.bytes - left.bytes);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const [largest] = sizes;
  if (largest === undefined || total <= mostBytes) return [];
  const message = `parameter "${largest.parameter}" and the others take ${total} bytes together, characters beyond ASCII six or more each: shorten them to ${mostBytes} bytes`;
  return [{ parameter: largest.parameter, message }];
}

/** Length of a text as a string of ASCII JSON. */
function escapedBytes(text: string): number {
  const beyondAscii = Array.from(text.matchAll(/[\u007f-\uffff]/g)).length;
  return JSON.stringify(text).length + 5 * beyondAscii;
}

function problemOf(parameter: string, value: string, version: string): string | undefined {
  if (!namePattern.test(parameter)) return nameProblem(parameter);
  const rule = reserved.find(([pattern]) => pattern.test(parameter));
  if (rule !== undefined) return `cannot be set: ${rule[1]}`;
  if (controlCharacters.test(value)) return "has a line break or another control character in its value: remove it";
  const known = knownFor(version);
  if (known === undefined || parameter.includes(".")) return undefined;
  const kind = Object.hasOwn(known, parameter) ? known[parameter] : undefined;
  if (kind === undefined) return `is unknown to PostgreSQL ${version}${suggestionFor(parameter, Object.keys(known))}`;
  if (kind.fixed) return "cannot be set: it tells how the server was built or the data made; remove it";
  const problem = valueProblem(value, { ...kind, ...narrower[parameter] });
  return problem && `is "${value}": it ${problem}`;
}

/** The server itself prints some names with capitals, such as TimeZone, and takes any spelling; two of one name could differ here. */
function nameProblem(parameter: string): string {
  const lower = parameter.toLowerCase();
  return namePattern.test(lower)
    ? `must be written in lower case: ${lower}`
    : "is no name of a parameter: use lower-case letters, digits, _ and .";
}

function suggestionFor(parameter: string, names: readonly string[]): string {
  const [best] = names
    .map((name) => ({ name, distance: distanceBetween(parameter, name) }))
    // of a short name nearly everything is near
    .filter(({ distance }) => distance <= Math.min(3, Math.floor(parameter.length / 3)))
    .sort((left, right) => left.distance - right.distance);
  return best === undefined ? ": see pg_settings for the names that exist" : `: did you mean "${best.name}"?`;
}

/** How many characters must be added, removed or replaced to turn one word into the other. */
function distanceBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(left).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(right).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The ones of `parameters` that a member takes over only by a restart. */
export function needingRestart(parameters: Readonly<Record<string, string>>, version: string): Record<string, string> {
  const known = knownFor(version) ?? likeliest;
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => known[name]?.restart === true));
}
