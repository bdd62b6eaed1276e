// Dumps a database with the client of this image and loads it into a server of this pod: definitions, then data, which are piped, then indexes and
// constraints. All three are of one snapshot.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escapeIdentifier } from "pg";
import { intoFile, piped, printedBy, type Program } from "../../import/pipes";
import { writeAuthorities, type Source } from "../../import/source";
import { cleanEnvironment } from "../../supervise/run";
import type { Log } from "../log";
import { socketDirectory } from "../server/connection";
import type { Credentials } from "../settings";
import { contentsWithout } from "./extensions";

/** What is transferred, and where to. */
export interface Transfer {
  readonly source: Source;
  /** As the source exported it. */
  readonly snapshot: string;
  /** Who loads it, and so owns all of it. */
  readonly app: Credentials;
  readonly database: string;
  /** Schemas that are there already. */
  readonly schemas: readonly string[];
  /** Schema and name of tables whose rows are not taken along. */
  readonly withoutRows: readonly (readonly [string, string])[];
  /** For files that go with the pod. */
  readonly directory: string;
}

/** What neither dump nor load takes along: owners and rights are the new Database's, and publishers and subscribers are not to act twice. */
const without = ["--no-owner", "--no-privileges", "--no-publications", "--no-subscriptions", "--no-security-labels"];

const sslModes = { Verify: "verify-full", Require: "require", Disable: "disable" } as const;

type Section = "pre-data" | "data" | "post-data";

/** The program that dumps a part of it. */
export function dumpOf({ source, snapshot, directory, withoutRows }: Transfer, section: Section): Program {
  const [database = ""] = source.databases;
  return {
    command: "pg_dump",
    args: [
      ...["--no-password", `--section=${section}`, `--snapshot=${snapshot}`, "--format=custom", "--compress=0"],
      ...without,
      // a quoted name is no pattern
      ...withoutRows.map((names) => `--exclude-table-data=${names.map(escapeIdentifier).join(".")}`),
      ...["--no-tablespaces", `--dbname=${database}`],
    ],
    environment: cleanEnvironment({
      PGHOST: source.host,
      PGPORT: String(source.port),
      PGUSER: source.username,
      PGPASSWORD: source.password,
      PGSSLMODE: sslModes[source.tls],
      // with a file there `require` would verify, too
      ...(source.tls === "Verify" && { PGSSLROOTCERT: authoritiesIn(directory) }),
      PGGSSENCMODE: "disable",
      PGAPPNAME: "import",
      PGCONNECT_TIMEOUT: "30",
    }),
  };
}

const authoritiesIn = (directory: string): string => join(directory, "authorities.pem");

/** The program that loads a part. It is who will own it: a dump may bring functions that are run while it is loaded. */
export function loadOf({ app, database }: Pick<Transfer, "app" | "database">, args: readonly string[]): Program {
  return {
    command: "pg_restore",
    args: ["--no-password", "--exit-on-error", ...without, `--dbname=${database}`, ...args],
    environment: cleanEnvironment({ PGHOST: socketDirectory, PGUSER: app.user, PGPASSWORD: app.password }),
  };
}

/** See the header. */
export async function transfer(what: Transfer, log: Log): Promise<void> {
  const { directory, schemas, source } = what;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeAuthorities(source, authoritiesIn(directory));
  const at = (name: string): string => join(directory, name);
  const [before, after, list] = [at("definitions"), at("constraints"), at("contents")] as const;
  await intoFile(dumpOf(what, "pre-data"), before);
  await intoFile(dumpOf(what, "post-data"), after);
  const listing: Program = { command: "pg_restore", args: ["--list", before], environment: cleanEnvironment() };
  await writeFile(list, contentsWithout(await printedBy(listing), schemas));
  log("making tables, functions and types");
  await printedBy(loadOf(what, [`--use-list=${list}`, before]));
  log("loading data");
  await piped(dumpOf(what, "data"), loadOf(what, []), log);
  log("making indexes and constraints");
  await printedBy(loadOf(what, [after]));
}
