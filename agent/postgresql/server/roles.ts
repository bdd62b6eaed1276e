// The roles by which programs outside of the member connect (roles.sql), made by the superuser on a primary.
//
// Where they are there as this image makes them nothing is written: a replica's copy of a failover slot that is begun after a transaction
// of ours would not last until the slot's owner has read past that.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { escapeLiteral } from "pg";
import { z } from "zod";
import type { Session, SessionArgs } from "./connection";
import { openPeer, withPeer } from "./peer";
import { notingStatements } from "./session-statements";
import { sessionValues } from "./sessions";
import { usualIterations, verifierOf } from "./verifier";

/** The role of the init Job. */
export const initializer = "database_init";

/** Where the image has the template of the statements. */
const templateFile = "/usr/local/share/database-operator/roles.sql";

/** What sessions begin with that make the roles. No replica is waited for: at the beginning there is none. */
export const makerSettings = { synchronous_commit: "local", session_preload_libraries: "" } as const;

const quiet = `
  SET log_statement = 'none';
  SET log_min_duration_statement = -1;
  SET log_min_error_statement = 'panic';
  SET pg_stat_statements.track = 'none';
`;

// Patroni makes the second one only after this, or continues with what is there
const first =
  "CREATE ROLE no_network NOLOGIN; GRANT no_network TO postgres; CREATE ROLE replicator NOLOGIN REPLICATION";

/**
 * In a new cluster, before any replica is copied: marks it as one whose superuser does not connect over the network. The mark is part of the
 * data, so that an older cluster, whose users may rely on it, stays as it is until its Database says what it wants.
 */
export async function beginCluster(session: Session): Promise<void> {
  await session.run(first);
  for (const statement of notingStatements("postgres", session.version)) await session.run(statement);
}

/** What is needed to make the roles. */
export interface RolesArgs {
  /** The superuser's. */
  readonly session: Session;
  /** Of the init Job's role. */
  readonly password: string;
  /** Whether the init Job could connect where the session is. */
  readonly letsIn: () => Promise<boolean>;
  /** The template. Default: the file in the image. */
  readonly template?: string;
}

/** Makes the roles where `args` lead to, unless they are there. `password`: that of the init Job's role. */
export const ensureRolesAt = (args: SessionArgs, password: string): Promise<void> =>
  withPeer(args, (session) => ensureRoles({ session, password, letsIn: () => letsIn(args, password) }));

/** Makes the roles, unless they are there. */
export async function ensureRoles({ session, password, letsIn, template: given }: RolesArgs): Promise<void> {
  const template = given ?? (await readFile(templateFile, "utf8"));
  const ownSessions = ownSessionsOf(session.version);
  const mark = markOf(template, ownSessions);
  if ((await hasMark(session, mark)) && (await letsIn())) return;
  await session.run(quiet);
  const verifier = await verifierOf(password, await iterationsOf(session));
  await session.run(filledIn(template, { verifier, own_sessions: ownSessions }));
  for (const role of ["postgres", "replicator"]) {
    for (const statement of notingStatements(role, session.version)) await session.run(statement);
  }
  await session.run(`COMMENT ON SCHEMA database_operator IS ${escapeLiteral(mark)}`);
}

/** What the exporter's sessions begin with, as JSON. Its spaces are part of the mark, so that no release writes roles that are there. */
export const ownSessionsOf = (version: number): string =>
  `{${Object.entries(sessionValues(version))
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(", ")}}`;

/** Tells the roles that this image makes from those that another one made. */
export const markOf = (template: string, ownSessions: string): string =>
  createHash("sha256").update(template).update(ownSessions).digest("hex");

/** The statements of a template, with values for what is in braces. */
export const filledIn = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`roles.sql asks for "${name}", which nobody knows`);
    return escapeLiteral(value);
  });

const Mark = z.tuple([z.tuple([z.boolean().nullable()])]);

/** Whether the roles are as this image makes them. */
async function hasMark(session: Session, mark: string): Promise<boolean> {
  const rows = await session.rows(`
    SELECT obj_description(to_regnamespace('database_operator'), 'pg_namespace') = ${escapeLiteral(mark)}
      AND to_regrole('${initializer}') IS NOT NULL
      AND to_regprocedure('database_operator.ensure_role(text,text)') IS NOT NULL
  `);
  return Mark.parse(rows)[0][0] === true;
}

/** Whether the init Job could connect there. */
export async function letsIn({ host, port }: Pick<SessionArgs, "host" | "port">, password: string): Promise<boolean> {
  const args: SessionArgs = {
    host: host.startsWith("/") ? "127.0.0.1" : host,
    ...(port !== undefined && { port }),
    ...{ user: initializer, password, program: "roles", settings: makerSettings },
  };
  try {
    (await openPeer(args)).close();
    return true;
  } catch {
    return false;
  }
}

const Iterations = z.tuple([z.tuple([z.coerce.number().int().positive()])]);

/** As many as the server's own. Before 16 it did not say. */
export async function iterationsOf(session: Session): Promise<number> {
  if (session.version < 160_000) return usualIterations;
  return Iterations.parse(await session.rows("SHOW scram_iterations"))[0][0];
}
