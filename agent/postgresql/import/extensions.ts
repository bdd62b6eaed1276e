// The extensions of an imported database: which the new one gets, and who makes each, as it would be done there by hand. Pure but for `extensionsOf` and
// `availableOn`.
import { escapeIdentifier } from "pg";
import { z } from "zod";
import type { Session } from "../server/connection";

/** One that the source has. */
export interface Extension {
  readonly name: string;
  readonly schema: string;
}

/** One that the image has. */
export interface Available {
  /** Whether who may create in a database may make it. */
  readonly isTrusted: boolean;
  /** The schema that it is in, always; undefined where that can be chosen. */
  readonly schema: string | undefined;
}

const Extensions = z.array(z.tuple([z.string(), z.string()]));

/** Those of a database but the language that every database has, in the order in which they were made. */
export async function extensionsOf(session: Session): Promise<readonly Extension[]> {
  const rows = await session.rows(`
    SELECT e.extname, n.nspname
    FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
    WHERE e.extname <> 'plpgsql'
    ORDER BY e.oid
  `);
  return Extensions.parse(rows).map(([name, schema]) => ({ name, schema }));
}

const Named = z.array(z.tuple([z.string(), z.string()]));

/** Tables and sequences of extensions whose contents a dump would take along (`pg_extension_config_dump`): they are the superuser's where it made them. */
export async function ownTablesOf(session: Session): Promise<readonly (readonly [string, string])[]> {
  return Named.parse(
    await session.rows(`
    SELECT DISTINCT n.nspname, c.relname
    FROM pg_catalog.pg_extension e
      JOIN pg_catalog.pg_class c ON c.oid = ANY (e.extconfig)
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    ORDER BY 1, 2
  `),
  );
}

const Offered = z.array(z.tuple([z.string(), z.boolean(), z.string().nullable()]));

/** Those of the image, by name. */
export async function availableOn(session: Session): Promise<ReadonlyMap<string, Available>> {
  const rows = await session.rows(`
    SELECT v.name, v.trusted, v.schema
    FROM pg_catalog.pg_available_extensions a
      JOIN pg_catalog.pg_available_extension_versions v ON v.name = a.name AND v.version = a.default_version
  `);
  const offered = Offered.parse(rows);
  return new Map(offered.map(([name, isTrusted, schema]) => [name, { isTrusted, schema: schema ?? undefined }]));
}

/** A statement, and who runs it. */
export interface Making {
  readonly by: "superuser" | "application";
  readonly statement: string;
}

/**
 * Those that the superuser makes although none trusts them to others: what they bring reads or counts what the database has. Any other may open
 * files or ways to other servers, or run programs, for who owns the database.
 */
const made: ReadonlySet<string> = new Set([
  ...["amcheck", "autoinc", "bloom", "dict_xsyn", "earthdistance", "insert_username", "moddatetime", "refint"],
  ...["pageinspect", "pg_buffercache", "pg_freespacemap", "pg_prewarm", "pg_stat_statements", "pg_visibility"],
  ...["pg_walinspect", "pgrowlocks", "pgstattuple", "sslinfo", "xml2"],
  ...["postgis", "postgis_topology", "vector"],
]);

/** What is made before anything else. */
export interface ExtensionPlan {
  readonly making: readonly Making[];
  /** Schemas that are there then. */
  readonly schemas: readonly string[];
}

/** Schemas that every database has. */
const given: ReadonlySet<string> = new Set(["public", "pg_catalog"]);

/** Why extensions cannot be made, as a sentence that says what to do. */
export interface ExtensionProblem {
  readonly problem: string;
}

/** How they are made, or which of them the image lacks, or are not for a user. */
export function planOf(
  extensions: readonly Extension[],
  available: ReadonlyMap<string, Available>,
): ExtensionPlan | ExtensionProblem {
  const problem = problemOf(extensions, available);
  if (problem !== undefined) return { problem };
  const free = extensions.filter(({ name }) => available.get(name)?.schema === undefined);
  const schemasOf = (all: readonly Extension[]): string[] =>
    [...new Set(all.map(({ schema }) => schema))].filter((schema) => !given.has(schema));
  const making = extensions.map((one) => makingOf(one, available.get(one.name)));
  // those of their own come with them
  return { schemas: schemasOf(extensions), making: [...schemasOf(free).map(schemaMaking), ...making] };
}

function problemOf(extensions: readonly Extension[], available: ReadonlyMap<string, Available>): string | undefined {
  const names = extensions.map(({ name }) => name);
  const lacking = names.filter((name) => !available.has(name));
  if (lacking.length > 0)
    return `the image has no extension ${lacking.join(", ")}: drop it at the source, or have an image that has it (docs/platform/images-and-catalogue.md)`;
  const denied = names.filter((name) => available.get(name)?.isTrusted !== true && !made.has(name));
  return denied.length > 0
    ? `extension ${denied.join(", ")} can be made by a superuser alone, and may open files, ways to other servers, or run programs: an import makes none of these; drop it at the source, with what needs it`
    : undefined;
}

const schemaMaking = (schema: string): Making => ({
  by: "application",
  statement: `CREATE SCHEMA ${escapeIdentifier(schema)}`,
});

function makingOf({ name, schema }: Extension, available: Available | undefined): Making {
  const where = available?.schema === undefined ? ` SCHEMA ${escapeIdentifier(schema)}` : "";
  return {
    by: available?.isTrusted === true ? "application" : "superuser",
    statement: `CREATE EXTENSION IF NOT EXISTS ${escapeIdentifier(name)}${where} CASCADE`,
  };
}

/**
 * The table of contents of an archive (`pg_restore --list`) without what was made before: extensions, what is said of them, and their schemas. Lines
 * are `4; 3079 16456 EXTENSION - hstore` and `10; 2615 16386 SCHEMA - ext owner`.
 */
export function contentsWithout(listed: string, schemas: readonly string[]): string {
  const isMade = (line: string): boolean => {
    const entry = /^\d+; \d+ \d+ (.*)$/.exec(line)?.[1];
    if (entry === undefined) return false;
    return (
      entry.startsWith("EXTENSION - ") ||
      entry.startsWith("COMMENT - EXTENSION ") ||
      schemas.some((schema) =>
        [`SCHEMA - ${schema} `, `COMMENT - SCHEMA ${schema} `].some((begin) => entry.startsWith(begin)),
      )
    );
  };
  return listed
    .split("\n")
    .filter((line) => !isMade(line))
    .join("\n");
}
