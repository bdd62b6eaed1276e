// Views that cannot be read because their tables or definer are gone: one of them would end a dump, and a restore too.
import type { Connection } from "mysql2/promise";
import { z } from "zod";
import { systemDatabases } from "./source";

/** A view that is left out of a dump. */
export const BrokenView = z.object({
  /** `database.view`. */
  view: z.string(),
  /** In the server's words. */
  why: z.string(),
  /** The statement that created it. */
  definition: z.string(),
});
export type BrokenView = z.infer<typeof BrokenView>;

const Views = z.array(z.object({ database: z.string(), name: z.string() }));
const Definitions = z.array(z.object({ "Create View": z.string() })).min(1);

/** ER_VIEW_INVALID and ER_NO_SUCH_USER. */
const broken: ReadonlySet<unknown> = new Set([1356, 1449]);

/** All of a server. Throws where it reports anything else of a view. */
export async function brokenViewsOf(connection: Connection): Promise<BrokenView[]> {
  const [rows] = await connection.query(
    `SELECT TABLE_SCHEMA AS \`database\`, TABLE_NAME AS name FROM information_schema.VIEWS
      WHERE TABLE_SCHEMA NOT IN (${systemDatabases}) ORDER BY 1, 2`,
  );
  const found: BrokenView[] = [];
  for (const { database, name } of Views.parse(rows)) {
    const why = await problemOf(connection, database, name);
    if (why === undefined) continue;
    const [definitions] = await connection.query("SHOW CREATE VIEW ??.??", [database, name]);
    const [{ "Create View": definition } = { "Create View": "" }] = Definitions.parse(definitions);
    found.push({ view: `${database}.${name}`, why, definition });
  }
  return found;
}

async function problemOf(connection: Connection, database: string, name: string): Promise<string | undefined> {
  try {
    await connection.query("SHOW FIELDS FROM ??.??", [database, name]);
    return undefined;
  } catch (error) {
    if (error instanceof Error && "errno" in error && broken.has(error.errno)) return error.message;
    throw error;
  }
}
