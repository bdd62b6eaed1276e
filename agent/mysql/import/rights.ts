// What a user may see of a database at the source: pure. The server shows less to one who lacks a right, and says nothing of it; so a dump would be
// whole by its own numbers, and lack tables, triggers or routines.
import { escapeId } from "mysql2";

/** The rights on a whole database without which something of it is not seen. */
const onDatabase = ["SELECT", "SHOW VIEW", "TRIGGER", "EVENT"] as const;

/** What one line of SHOW GRANTS gives, or takes. */
interface Grant {
  readonly isTaken: boolean;
  readonly rights: ReadonlySet<string>;
  /** As the line has it: `*`, or a pattern of names. */
  readonly database: string;
  /** `*`, or a table. */
  readonly table: string;
}

/** What the source says of the user's rights. */
export interface Reading {
  /** As SHOW GRANTS answers it, with those of the roles that are active. */
  readonly grants: readonly string[];
  /** Whether `_` and `%` stand for themselves in grants: where rights can be taken for single databases. */
  readonly isLiteral: boolean;
  /** Of the server, as a number (`versionNumber`). */
  readonly version: number;
}

/** "8.0.42-0ubuntu0.24.04.1" is 80042. */
export function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = (/^\d+\.\d+(\.\d+)?/.exec(version)?.[0] ?? "").split(".").map(Number);
  return major * 10_000 + minor * 100 + patch;
}

/** The right that shows routines to who did not make them, as the statement that gives it. */
function routineGrant(version: number): string {
  if (version >= showRoutineSince) return "GRANT SHOW_ROUTINE ON *.*";
  return version >= dictionarySince ? "GRANT SELECT ON *.*" : "GRANT SELECT ON `mysql`.`proc`";
}

const showRoutineSince = 80_020;
/** There routines are in no table that could be read. */
const dictionarySince = 80_000;

/** What is missing to see all of these databases, as the statements that give it; `TO` whom is left to who runs them. */
export function missingRights(databases: readonly string[], reading: Reading): readonly string[] {
  const grants = reading.grants.map(grantIn).filter((grant) => grant !== undefined);
  const onSingle = databases.flatMap((database) => {
    const held = rightsOn(database, grants, reading);
    const missing = onDatabase.filter((right) => !held.has(right));
    return missing.length === 0 ? [] : [`GRANT ${missing.join(", ")} ON ${nameFor(database, reading)}.*`];
  });
  return seesRoutines(databases, grants, reading) ? onSingle : [...onSingle, routineGrant(reading.version)];
}

/** `GRANT a, b ON x TO y`, or `REVOKE … FROM y`; roles, proxies and rights on a routine are of another form. */
const form = /^(GRANT|REVOKE) (.+) ON (\*|`(?:[^`]|``)*`)\.(\*|`(?:[^`]|``)*`) (?:TO|FROM) /;

function grantIn(line: string): Grant | undefined {
  const [, verb, rights = "", database = "", table = ""] = form.exec(line) ?? [];
  if (verb === undefined) return undefined;
  return {
    isTaken: verb === "REVOKE",
    // rights on columns alone have them in brackets, and count for nothing here
    rights: new Set(rights.split(", ")),
    database: nameOf(database),
    table: nameOf(table),
  };
}

const nameOf = (quoted: string): string => (quoted === "*" ? quoted : quoted.slice(1, -1).replaceAll("``", "`"));

const has = ({ rights }: Grant, right: string): boolean =>
  rights.has(right) || rights.has("ALL PRIVILEGES") || rights.has("ALL");

/** The server takes the entry that names a database most exactly, and no other: where several patterns match, what is in all of them is sure. */
function rightsOn(database: string, grants: readonly Grant[], { isLiteral }: Reading): ReadonlySet<string> {
  const whole = grants.filter(({ table }) => table === "*");
  const everywhere = whole.filter((one) => one.database === "*" && !one.isTaken);
  const taken = whole.filter((one) => one.isTaken && isNamed(one.database, database));
  const here = whole.filter((one) => one.database !== "*" && !one.isTaken);
  const exact = here.filter((one) => isNamed(one.database, database));
  const patterns = isLiteral ? [] : here.filter((one) => matches(one.database, database));
  const holds = (right: string): boolean => {
    const gives = (one: Grant): boolean => has(one, right);
    if (everywhere.some(gives) && !taken.some(gives)) return true;
    return exact.length > 0 ? exact.some(gives) : patterns.length > 0 && patterns.every(gives);
  };
  return new Set(onDatabase.filter(holds));
}

/** Without wildcards, or with all of them escaped. */
const isNamed = (pattern: string, database: string): boolean =>
  pattern === database || pattern.replaceAll(/\\([_%])/g, "$1") === database;

function matches(pattern: string, database: string): boolean {
  const parts = pattern.match(/\\[_%]|[^]/g) ?? [];
  const expression = parts.map((part) => wildcards.get(part) ?? part.slice(-1).replace(/[^\w]/, String.raw`\$&`));
  return new RegExp(`^${expression.join("")}$`).test(database);
}

const wildcards: ReadonlyMap<string, string> = new Map([
  ["_", "[^]"],
  ["%", "[^]*"],
]);

/** By the right for it, or by one to read everything; before there was one, by the table that has them. */
function seesRoutines(databases: readonly string[], grants: readonly Grant[], { version }: Reading): boolean {
  const given = grants.filter(({ isTaken }) => !isTaken);
  const everywhere = given.filter(({ database, table }) => database === "*" && table === "*");
  if (everywhere.some((one) => has(one, "SHOW_ROUTINE"))) return true;
  const isTaken = grants.some(
    (one) => one.isTaken && databases.some((database) => isNamed(one.database, database)) && has(one, "SELECT"),
  );
  if (everywhere.some((one) => has(one, "SELECT"))) return !isTaken;
  const ofRoutines = given.filter(({ database, table }) => database === "mysql" && ["*", "proc"].includes(table));
  return version < dictionarySince && ofRoutines.some((one) => has(one, "SELECT"));
}

const nameFor = (database: string, { isLiteral }: Reading): string =>
  escapeId(isLiteral ? database : database.replaceAll(/[_%]/g, String.raw`\$&`), true);
