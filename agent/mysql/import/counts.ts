// The tables of databases and their rows, where they were loaded.
import { escape, escapeId } from "mysql2";
import { z } from "zod";
import type { Counts } from "../../import/counts";
import type { OwnServer } from "../server/connection";

/** Long enough to read any table. */
const patienceMs = 24 * 3_600_000;

const Listed = z.array(z.object({ database: z.string(), name: z.string() }));
const Count = z.tuple([z.object({ count: z.coerce.number().int() })]);

/** How many rows each table has, by `database.table`. */
export async function countsOf(sql: Pick<OwnServer, "query">, databases: readonly string[]): Promise<Counts> {
  const list = databases.map((name) => escape(name)).join(", ");
  const listed = Listed.parse(
    await sql.query(
      `SELECT TABLE_SCHEMA AS \`database\`, TABLE_NAME AS name FROM information_schema.TABLES
        WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA IN (${list}) ORDER BY 1, 2`,
      patienceMs,
    ),
  );
  const counts = new Map<string, number>();
  for (const { database, name } of listed) {
    const table = `${escapeId(database, true)}.${escapeId(name, true)}`;
    const [{ count }] = Count.parse(await sql.query(`SELECT COUNT(*) AS count FROM ${table}`, patienceMs));
    counts.set(`${database}.${name}`, count);
  }
  return counts;
}

/** The rows of a dump with the tables that it had none for: those that there were before. */
export const countsAt = (tables: readonly string[], passed: ReadonlyMap<string, number>): Counts =>
  new Map([...tables.map((name): [string, number] => [name, 0]), ...passed]);
