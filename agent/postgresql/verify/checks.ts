// Reads all that was restored: structure of tables and indexes with amcheck, and each row with pg_dump.
import { spawn } from "node:child_process";
import { z } from "zod";
import { DrillEnd, omissionOf, saysFull } from "../../verify/decide";
import type { Log } from "../log";
import type { Session } from "../server/connection";
import { attempt, checkStructure } from "./amcheck";

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  /** The first of what it printed, on one line. */
  readonly said: string;
}

/** Runs a program. */
export type RunProgram = (command: string, args: readonly string[]) => Promise<Ended>;

/** What is looked at, and how. */
export interface CheckArgs {
  /** The superuser's, in the database `postgres`. */
  readonly session: Session;
  /** Another of the superuser's, in this database. */
  readonly open: (database: string) => Promise<Session>;
  /** Where the server's socket is. */
  readonly host: string;
  readonly user: string;
  /** Whether the server answers, once there was time to end. */
  readonly isAlive: () => Promise<boolean>;
  readonly log: Log;
  /** Default: as processes of this pod. */
  readonly run?: RunProgram;
}

// -2: DROP DATABASE was interrupted, and no one gets in
const databases = `SELECT datname, pg_encoding_to_char(encoding), datistemplate FROM pg_database
WHERE datallowconn AND datconnlimit <> -2 ORDER BY oid`;
const Databases = z.array(z.tuple([z.string(), z.string(), z.boolean()]));

/** Returns what could not be looked at, as sentences. Throws a DrillEnd where something is wrong. */
export async function readAll(args: CheckArgs): Promise<readonly string[]> {
  const { session, log } = args;
  const all = Databases.parse(await session.rows(databases));
  const isThere = await session.rows("SELECT FROM pg_available_extensions WHERE name = 'amcheck'");
  const unchecked: string[] = [];
  if (isThere.length > 0) {
    log("checking the structure of tables and indexes");
    for (const [database] of all) unchecked.push(...(await structureOf(database, args)));
  }
  log("reading each row");
  for (const [database, encoding, isTemplate] of all) if (!isTemplate) await readRows(database, encoding, args);
  if (isThere.length === 0) return ["indexes were not checked, as the image has no amcheck"];
  return unchecked.length === 0 ? [] : [omissionOf(unchecked)];
}

async function structureOf(database: string, { open, log }: CheckArgs): Promise<readonly string[]> {
  const session = await attempt(`database ${database}`, { log }, () => open(database));
  if (session === undefined) return [`database ${database}`];
  try {
    return await checkStructure({ database, session, log });
  } finally {
    session.close();
  }
}

async function readRows(database: string, encoding: string, args: CheckArgs): Promise<void> {
  const { host, user, isAlive, run = runProgram } = args;
  // in any other encoding a text that does not fit it would be an error
  const options = ["--host", host, "--username", user, "--no-password", "--encoding", encoding];
  const to = ["--format", "plain", "--file", "/dev/null", "--dbname", `dbname=${quoted(database)}`];
  const read = await run("pg_dump", [...options, ...to]);
  if (read.code === 0) return;
  const what = `${objectIn(read.said)}database ${database}`;
  if (saysFull(read.said)) throw new DrillEnd("NoRoom", `there was no room to read ${what}: write a larger storage`);
  // a server that was killed takes some time to end
  const isOfTheData = read.code !== null && !notOfTheData.test(read.said) && (await isAlive());
  throw isOfTheData
    ? new DrillEnd("DataDamaged", `pg_dump cannot read ${what}; the log of the drill has the error`)
    : new DrillEnd("Interrupted", `pg_dump could not finish with ${what} (${read.code ?? "killed"})`);
}

/** Complaints about memory, a connection or a library. */
const notOfTheData =
  /out of memory|Cannot allocate memory|cannot allocate memory|terminating connection|could not (load library|access file)|server closed the connection/;

/** The table that could not be read; of the text nothing else is told, as it may quote data. */
function objectIn(said: string): string {
  const table = /contents of table "([^"]{1,63})"/.exec(said)?.[1];
  return table === undefined ? "" : `table ${table} of `;
}

/** As a value of a connection string: a name may hold anything. */
const quoted = (value: string): string => `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** Enough for the first finding. */
const mostCharacters = 2000;

async function runProgram(command: string, args: readonly string[]): Promise<Ended> {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: "C" };
  delete env["PGCLIENTENCODING"];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env });
  let said = "";
  const note = async (stream: typeof child.stdout): Promise<void> => {
    for await (const chunk of stream.setEncoding("utf8")) {
      process.stdout.write(String(chunk));
      if (said.length < mostCharacters) said = (said + String(chunk)).slice(0, mostCharacters);
    }
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [code] = await Promise.all([ended, note(child.stdout), note(child.stderr)]);
  return { code, said: said.replaceAll(/\s+/g, " ").trim() };
}
