// Has the server check all tables: it reads each row and each index, and compares them.
import { escapeId } from "mysql2";
import { z } from "zod";
import { textOf } from "../../log";
import { DrillEnd, omissionOf } from "../../verify/decide";
import type { OwnServer } from "../server/connection";
import { isOfTheServer, serverEnd, tableIs, type Told } from "./findings";

/** Tables of the server's own are data as well: accounts and rights are in them. */
const tables = `SELECT TABLE_SCHEMA AS \`database\`, TABLE_NAME AS name FROM information_schema.TABLES
  WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema') ORDER BY 1, 2`;
const Tables = z.array(z.object({ database: z.string(), name: z.string() }));

const Rows = z.array(
  z
    .object({ Msg_type: z.string(), Msg_text: z.string() })
    .transform(({ Msg_type: type, Msg_text: text }): Told => ({ type, text })),
);

/** How they are checked. */
export interface CheckArgs {
  readonly sql: Pick<OwnServer, "query">;
  /** How long one may take, in milliseconds. */
  readonly withinMs: number;
  readonly log: (message: string) => void;
}

/** Returns what could not be looked at, as sentences. Throws a DrillEnd where something is damaged, or the server is gone. */
export async function checkTables({ sql, withinMs, log }: CheckArgs): Promise<readonly string[]> {
  const unchecked: string[] = [];
  log("checking all tables");
  for (const { database, name } of Tables.parse(await sql.query(tables, withinMs))) {
    const table = `${escapeId(database, true)}.${escapeId(name, true)}`;
    const what = `table ${database}.${name}`;
    const found = await told(sql.query(`CHECK TABLE ${table}`, withinMs), what);
    const state = tableIs(found);
    if (state === "whole") continue;
    for (const { type, text } of found) log(`${what}: ${type}: ${text}`);
    if (state === "damaged") throw new DrillEnd("DataDamaged", `${what} is damaged; the log of the drill says how`);
    unchecked.push(what);
  }
  return unchecked.length === 0 ? [] : [omissionOf(unchecked)];
}

/** What is refused is told as the server tells what is wrong with a table. */
async function told(answer: Promise<unknown>, what: string): Promise<readonly Told[]> {
  try {
    return Rows.parse(await answer);
  } catch (error) {
    if (isOfTheServer(error)) throw serverEnd(error, `${what} was checked`);
    return [{ type: "error", text: textOf(error) }];
  }
}
