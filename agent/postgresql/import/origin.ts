// The database that is imported: a session that holds one moment of it, for as long as it is dumped.
import { z } from "zod";
import { isPassing, reach } from "../../import/reach";
import { titleOf, tlsOptionsOf, type Source } from "../../import/source";
import type { Log } from "../log";
import { openSession, type Session } from "../server/connection";
import { majorOfServer } from "../restore/files";

const Text = z.tuple([z.tuple([z.string()])]);

/** Of servers that start, stop, or have no free connection. */
const passingStates: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03", "53300"]);

const mayPass = (error: unknown): boolean =>
  isPassing(error) ||
  (error instanceof Error &&
    (error.message === "timeout expired" || ("code" in error && passingStates.has(error.code))));

/** A session there. Throws where the server lets no one in, or its version is newer than this image's. */
export async function enter(source: Source, log: Log): Promise<Session> {
  const { host, port, username: user, password } = source;
  const [database = ""] = source.databases;
  const args = { host, port, user, password, database, program: "import", isForeign: true, tls: tlsOptionsOf(source) };
  const session = await reach(() => openSession(args), { title: titleOf(source), log, isPassing: mayPass });
  const problem = versionProblem(session.version, await majorOfServer());
  if (problem === undefined) return session;
  session.close();
  throw new Error(problem);
}

/** Why a server of this version cannot be imported; undefined where it can. `version`: as in `server_version_num`. */
export function versionProblem(version: number, imageMajor: string): string | undefined {
  const major = Math.floor(version / 10_000);
  if (version < oldest)
    return "the source is older than PostgreSQL 9.2, which pg_dump cannot read: upgrade it there first";
  return major > Number(imageMajor)
    ? `the source is PostgreSQL ${major}, which is newer than ${imageMajor}: create the Database with a version of ${major} or later`
    : undefined;
}

/** The version as people write it. */
export async function versionOf(session: Session): Promise<string> {
  const [[text]] = Text.parse(await session.rows("SHOW server_version"));
  return text.split(" ")[0] ?? text;
}

const rowSecuritySince = 90_500;
/** Of those that pg_dump reads. */
const oldest = 90_200;

/** Begins the moment, and returns the name by which other sessions share it. */
export async function holdMoment(session: Session): Promise<string> {
  // an error rather than rows that a policy hides
  if (session.version >= rowSecuritySince) await session.run("SET row_security = off");
  await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const [[snapshot]] = Text.parse(await session.rows("SELECT pg_catalog.pg_export_snapshot()"));
  return snapshot;
}
