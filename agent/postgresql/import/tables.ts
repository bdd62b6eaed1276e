// The tables of a database and their rows, counted in the same way on both sides.
import { escapeIdentifier } from "pg";
import { z } from "zod";
import type { Counts } from "../../import/counts";
import type { Session } from "../server/connection";

/** Those of users: each partition is one, what extensions have is theirs, and what has no rows of its own counts nowhere. */
const listing = `
  SELECT n.nspname, c.relname
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence <> 't'
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND NOT EXISTS (
      SELECT FROM pg_catalog.pg_depend d
      WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
  ORDER BY 1, 2
`;
const Listed = z.array(z.tuple([z.string(), z.string()]));
const Count = z.tuple([z.tuple([z.coerce.number().int()])]);

/** How many rows each table has, by its name. */
export async function countsOf(session: Session): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const names of Listed.parse(await session.rows(listing))) {
    const table = names.map(escapeIdentifier).join(".");
    counts.set(names.join("."), await countIn(session, `SELECT count(*) FROM ONLY ${table}`));
  }
  return counts;
}

/** How many large objects there are. */
export const largeObjectsOf = (session: Session): Promise<number> =>
  countIn(session, "SELECT count(*) FROM pg_catalog.pg_largeobject_metadata");

async function countIn(session: Session, statement: string): Promise<number> {
  const [[count]] = Count.parse(await session.rows(statement));
  return count;
}
