// The structure of the tables and indexes of one database, as the extension amcheck knows it.
//
// Over a session of our own, and not by `pg_amcheck`: that makes one finding of all errors, and only their SQLSTATE tells a damaged index from
// one whose function does not find what it calls.
import { escapeIdentifier } from "pg";
import { z } from "zod";
import { textOf } from "../../log";
import { DrillEnd } from "../../verify/decide";
import { sqlStateOf } from "../../verify/sql-state";
import type { Log } from "../log";
import type { Session } from "../server/connection";
import { damages, serverEnd } from "./decide";

/** Heap tables, with those of TOAST, and B-tree indexes that queries use. Tables come first: an index is compared with one. */
const relations = `SELECT c.oid::text, n.nspname || '.' || c.relname, c.relkind = 'i'
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE c.relpersistence <> 't' AND (c.relkind IN ('r', 'm', 't') AND c.relam = 2
  OR c.relkind = 'i' AND c.relam = 403 AND i.indisready AND i.indisvalid AND i.indislive)
ORDER BY c.relkind = 'i', c.oid`;
const Relations = z.array(z.tuple([z.string().regex(/^\d+$/), z.string(), z.boolean()]));

const Names = z.array(z.tuple([z.string()]));
const Corruptions = z.array(z.tuple([z.string()]));

/** Which database, and the superuser's session in it. */
export interface Structured {
  readonly database: string;
  readonly session: Session;
  readonly log: Log;
}

/** Returns the names of what could not be checked in full. Throws a DrillEnd where something is damaged, or the server is gone. */
export async function checkStructure(args: Structured): Promise<readonly string[]> {
  const { database, session } = args;
  const checked = await attempt(`the catalogs of database ${database}`, args, async () => {
    await session.run("CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA pg_catalog");
    const [[schema] = []] = Names.parse(
      await session.rows(
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'",
      ),
    );
    return { schema: escapeIdentifier(schema ?? "pg_catalog"), all: Relations.parse(await session.rows(relations)) };
  });
  if (checked === undefined) return [`database ${database}`];
  const omitted: string[] = [];
  for (const [oid, name, isIndex] of checked.all) {
    const what = `${isIndex ? "index" : "table"} ${database}.${name}`;
    const check = isIndex ? checkIndex : checkTable;
    if (!(await check({ ...args, schema: checked.schema, oid, what }))) omitted.push(what);
  }
  return omitted;
}

interface Relation extends Structured {
  readonly schema: string;
  readonly oid: string;
  readonly what: string;
}

/** Whether it was checked in full. */
async function checkTable(relation: Relation): Promise<boolean> {
  const { schema, oid, what, session, log } = relation;
  const found = await attempt(what, relation, async () =>
    Corruptions.parse(
      await session.rows(
        `SELECT msg FROM ${schema}.verify_heapam(relation := ${oid}::regclass, on_error_stop := true, check_toast := true)`,
      ),
    ),
  );
  const [[corruption] = []] = found ?? [];
  if (corruption === undefined) return found !== undefined;
  log(`${what}: ${corruption}`);
  throw new DrillEnd("DataDamaged", `${what} is damaged; the log of the drill says how`);
}

/** The comparison with the rows calls the functions of an index, which may not run here: then it is left out. */
async function checkIndex(relation: Relation): Promise<boolean> {
  const { schema, oid, what, session } = relation;
  for (const isCompared of [true, false]) {
    const done = await attempt(what, relation, async () => {
      await session.rows(`SELECT ${schema}.bt_index_check(index := ${oid}::regclass, heapallindexed := ${isCompared})`);
      return true;
    });
    if (done === true) return isCompared;
  }
  return false;
}

/** No more can be asked. Memory and libraries may be there for the next one. */
const isOver = /^(53100|57|08|$)/;

/** Undefined where it cannot be done for what is no damage. Throws a DrillEnd as `checkStructure` does. */
export async function attempt<T>(
  what: string,
  { log }: Pick<Structured, "log">,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    log(`${what}: ${sqlStateOf(error) ?? "no SQLSTATE"}: ${textOf(error)}`);
    if (damages(error))
      throw new DrillEnd(
        "DataDamaged",
        `${what} is damaged (SQLSTATE ${sqlStateOf(error) ?? ""}); the log of the drill says how`,
      );
    if (isOver.test(sqlStateOf(error) ?? "")) throw serverEnd(error, `${what} was checked`);
    return undefined;
  }
}
