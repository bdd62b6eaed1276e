// What sessions of the members' own programs begin with, whatever users set for theirs.

/** Parameters by name. */
type Values = Readonly<Record<string, string>>;

// images/postgresql/postgresql_sessions.py has the same, for the backup Job
const values: Values = {
  statement_timeout: "0",
  lock_timeout: "0",
  idle_session_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  default_transaction_read_only: "off",
  // a replica refuses every query of a session that begins with serializable
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  search_path: "pg_catalog",
  standard_conforming_strings: "on",
  client_min_messages: "notice",
};

/** Those that came later than the oldest server that is imported from, as in `server_version_num`. */
const since: ReadonlyMap<string, number> = new Map([
  ["idle_in_transaction_session_timeout", 90_600],
  ["idle_session_timeout", 140_000],
  ["transaction_timeout", 170_000],
]);

/** Those that a server of this version, as in `server_version_num`, knows. */
export const sessionValues = (version: number): Values =>
  Object.fromEntries(
    Object.entries({ ...values, transaction_timeout: "0" }).filter(([name]) => version >= (since.get(name) ?? 0)),
  );

/** As options of a connection to a server of any version that a Database can have, after which `more` counts. */
export const sessionOptions = (more: Values = {}): string =>
  Object.entries({ ...values, ...more })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, String.raw`\$&`)}`)
    .join(" ");
