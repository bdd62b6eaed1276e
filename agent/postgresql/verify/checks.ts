// Reads all that was restored: structure of tables and indexes with amcheck, and each row with pg_dump.
import { spawn } from "node:child_process";
import { z } from "zod";
import type { Log } from "../log";
import type { Session } from "../server/connection";
import { DrillEnd } from "./decide";

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
  /** Where the server's socket is. */
  readonly host: string;
  readonly user: string;
  /** Whether the server has not ended. */
  readonly isRunning: () => boolean;
  readonly log: Log;
  /** Default: as processes of this pod. */
  readonly run?: RunProgram;
}

const Names = z.array(z.tuple([z.string()]));

/** Returns what could not be looked at, as sentences. Throws a DrillEnd where something is wrong. */
export async function readAll(args: CheckArgs): Promise<readonly string[]> {
  const { session, host, user, log, run = runProgram } = args;
  const connection = ["--host", host, "--username", user, "--no-password"];
  const isThere = await session.rows("SELECT FROM pg_available_extensions WHERE name = 'amcheck'");
  if (isThere.length > 0) {
    log("checking the structure of tables and indexes");
    const checked = await run("pg_amcheck", [...connection, "--all", "--install-missing", "--heapallindexed"]);
    // 2: it found something
    if (checked.code !== 0) throw endOfProgram("pg_amcheck", checked, checked.code === 2 && args.isRunning());
  }
  log("reading each row");
  const databases = await session.rows("SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate");
  for (const [database] of Names.parse(databases)) {
    const options = [...connection, "--format", "plain", "--file", "/dev/null"];
    const read = await run("pg_dump", [...options, "--dbname", `dbname=${quoted(database)}`]);
    if (read.code !== 0) throw endOfProgram("pg_dump", read, read.code !== null && args.isRunning());
  }
  return isThere.length > 0 ? [] : ["indexes were not checked, as the image has no amcheck"];
}

/** As a value of a connection string: a name may hold anything. */
const quoted = (value: string): string => `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** Where the server is gone as well, or the program was killed, it may have been for its memory: that says nothing of the backup. */
function endOfProgram(program: string, { code, said }: Ended, isOfTheData: boolean): DrillEnd {
  return isOfTheData
    ? new DrillEnd("DataDamaged", `${program} finds what was restored damaged: ${said}`)
    : new DrillEnd("Interrupted", `${program} could not finish (${code ?? "killed"}): ${said}`);
}

/** Enough for the first finding; there may be one for each page. */
const mostCharacters = 500;

async function runProgram(command: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } });
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
