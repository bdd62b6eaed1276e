// Indexes whose order may be another one with the libraries of the new version. pg_upgrade notes the versions of these libraries as if all indexes
// had been built with them, so no server would say a word.
import { escapeIdentifier, escapeLiteral } from "pg";
import { z } from "zod";
import type { Session } from "../server/connection";
import { changedCollations, type Collation } from "./reading";

/** Opens a session with a database. */
export type Open = (database: string) => Promise<Session>;

const Rows = z.array(z.tuple([z.string(), z.string(), z.string()]));
const Names = z.array(z.tuple([z.string()]));

/** The databases that take sessions. */
export const databasesOf = async (session: Session): Promise<string[]> =>
  Names.parse(
    await session.rows(
      "SELECT datname FROM pg_catalog.pg_database WHERE datallowconn AND datname <> 'template0' ORDER BY 1",
    ),
  ).flat();

/** In each of these databases. */
export async function collationsOf(
  databases: readonly string[],
  open: Open,
  of: keyof typeof versions,
): Promise<Map<string, Collation[]>> {
  const found = new Map<string, Collation[]>();
  for (const database of databases) {
    const session = await open(database);
    try {
      const rows = Rows.parse(await session.rows(versions[of]));
      found.set(
        database,
        rows.map(([oid, name, version]) => ({ oid, name, version })),
      );
    } finally {
      session.close();
    }
  }
  return found;
}

/** `collation` and `database`: where the versions are taken from. */
const versionsBy = (collation: string, database: string): string => `
  SELECT c.oid::text, format('%s %s.%s', c.collprovider, n.nspname, c.collname), coalesce(${collation}, '')
  FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
  WHERE c.collprovider <> 'd'
  UNION ALL
  SELECT '100', 'default', coalesce(${database}, '')
  FROM pg_catalog.pg_database d WHERE d.datname = current_database()
`;

// the default one is that of the database; what has no version never changes
const actual = ["pg_collation_actual_version(c.oid)", "pg_database_collation_actual_version(d.oid)"] as const;
const versions = {
  actual: versionsBy(...actual),
  /** With which indexes were built, as far as that is known: the library may have changed under them before. */
  recorded: versionsBy(`c.collversion, ${actual[0]}`, `d.datcollversion, ${actual[1]}`),
};

/** Records the versions with which all indexes are built now: otherwise sessions are warned of those that users made. */
export async function refreshVersions(databases: readonly string[], open: Open): Promise<void> {
  for (const database of databases) {
    const session = await open(database);
    try {
      for (const [statement] of Names.parse(await session.rows(outdatedVersions))) await session.run(statement);
    } finally {
      session.close();
    }
  }
}

const outdatedVersions = `
  SELECT format('ALTER COLLATION %I.%I REFRESH VERSION', n.nspname, c.collname)
  FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
  WHERE c.collprovider <> 'd' AND c.collversion <> ${actual[0]}
    AND c.collencoding IN (-1, pg_char_to_encoding(getdatabaseencoding()))
  UNION ALL
  SELECT format('ALTER DATABASE %I REFRESH COLLATION VERSION', d.datname)
  FROM pg_catalog.pg_database d WHERE d.datname = current_database() AND d.datcollversion <> ${actual[1]}
`;

/** Builds them again, in each database. Returns how many these were. Throws where one cannot be built. */
export async function rebuildIndexes(
  former: ReadonlyMap<string, readonly Collation[]>,
  present: ReadonlyMap<string, readonly Collation[]>,
  open: Open,
): Promise<number> {
  let count = 0;
  for (const [database, collations] of present) {
    const changed = changedCollations(former.get(database) ?? [], collations);
    if (changed.length === 0) continue;
    const session = await open(database);
    try {
      const indexes = Names.parse(await session.rows(indexesBy(changed))).flat();
      for (const index of indexes) await session.run(`REINDEX INDEX ${index}`);
      count += indexes.length;
    } finally {
      session.close();
    }
  }
  return count;
}

/** By a collation, or by what may use one where the catalogs do not say so: an expression, a predicate, a range. */
const indexesBy = (changed: readonly Collation[]): string => `
  SELECT format('%I.%I', n.nspname, c.relname)
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'i' AND c.relpersistence <> 't' AND n.nspname <> 'pg_toast' AND (
    i.indcollation::oid[] && ${escapeLiteral(`{${changed.map(({ oid }) => oid).join(",")}}`)}::oid[]
    OR i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
    OR EXISTS (
      SELECT FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_range r ON a.atttypid IN (r.rngtypid, r.rngmultitypid)
      WHERE a.attrelid = i.indexrelid AND r.rngcollation <> 0
    )
  )
  ORDER BY 1
`;

/** Takes the extensions of each database to the versions that the image has. Returns those that did not follow, as `database: name`. */
export async function updateExtensions(databases: readonly string[], open: Open): Promise<string[]> {
  const left: string[] = [];
  for (const database of databases) {
    const session = await open(database);
    try {
      const names = Names.parse(await session.rows(outdated)).flat();
      for (const name of names) {
        await session
          .run(`ALTER EXTENSION ${escapeIdentifier(name)} UPDATE`)
          .catch(() => left.push(`${database}: ${name}`));
      }
    } finally {
      session.close();
    }
  }
  return left;
}

const outdated = `
  SELECT name FROM pg_catalog.pg_available_extensions
  WHERE installed_version IS NOT NULL AND installed_version <> default_version ORDER BY 1
`;
