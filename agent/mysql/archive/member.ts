// What a member says of its binary logs.
import { escape } from "mysql2";
import type { Connection } from "mysql2/promise";
import { z } from "zod";
import { contains, ofOthers, ofSource, parseGtidSet, type GtidSet } from "../gtid";
import type { Look } from "./horizon";
import type { MemberLog } from "./start";
import { ofGroup } from "./store";

const patienceMs = 15_000;

const Names = z.array(z.object({ Log_name: z.string() }));
const Events = z.array(z.object({ Event_type: z.string(), Info: z.string() }));
const Status = z.array(z.object({ File: z.string(), Position: z.coerce.number() })).length(1);
const Hosts = z.array(z.object({ host: z.string() }));
const Ids = z.array(z.object({ id: z.string() }));
const State = z.array(z.object({ state: z.string() }));
const Clock = z.array(z.object({ now: z.coerce.number() })).length(1);
const Executed = z.array(z.object({ executed: z.string() })).length(1);

const ask = async <T>(connection: Connection, sql: string, schema: z.ZodType<T>): Promise<T> => {
  const [rows] = await connection.query({ sql, timeout: patienceMs });
  return schema.parse(rows);
};

/** Its files, from old to new: the newest, back to one before which nothing of `known` is missing. It is asked about no more of them than that takes. */
export async function logsOn(connection: Connection, group: string, known: GtidSet): Promise<MemberLog[]> {
  const names = await ask(connection, "SHOW BINARY LOGS", Names);
  const seen: MemberLog[] = [];
  for (const { Log_name: name } of names.toReversed()) {
    const events = await ask(connection, `SHOW BINLOG EVENTS IN ${escape(name)} LIMIT 2`, Events);
    const info = events.find(({ Event_type: type }) => type === "Previous_gtids")?.Info ?? "";
    const previous = ofGroup(info, group);
    seen.unshift({ name, previous });
    if (contains(known, previous)) break;
  }
  return seen;
}

/** Where the members of its group are that have all it has, or nearly so. */
export async function onlineHosts(connection: Connection): Promise<string[]> {
  const sql = `SELECT MEMBER_HOST AS host FROM performance_schema.replication_group_members WHERE MEMBER_STATE = 'ONLINE' ORDER BY MEMBER_HOST`;
  return (await ask(connection, sql, Hosts)).map(({ host }) => host);
}

/** UUIDs of the members of its group, itself among them. */
export async function serversOf(connection: Connection): Promise<string[]> {
  const sql = `SELECT MEMBER_ID AS id FROM performance_schema.replication_group_members WHERE MEMBER_ID <> '' UNION SELECT @@server_uuid`;
  return (await ask(connection, sql, Ids)).map(({ id }) => id);
}

/** The clock of a server, in microseconds. */
export async function clockOf(connection: Connection): Promise<number> {
  const [clock] = await ask(connection, "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS UNSIGNED) AS now", Clock);
  if (clock === undefined) throw new Error("the server does not answer");
  return clock.now;
}

/** What the primary has executed: of a new one, with all that the former one had committed. */
export async function lookAt(connection: Connection, group: string): Promise<Look> {
  for (const sql of waitForFormer) await connection.query({ sql, timeout: patienceMs });
  const now = await clockOf(connection);
  return { now, executed: await executedOn(connection, group) };
}

/** Only what reads a table waits. */
const waitForFormer = [
  "SET SESSION group_replication_consistency = 'BEFORE_ON_PRIMARY_FAILOVER'",
  "SELECT 1 FROM mysql.plugin LIMIT 1",
];

/** How far a member is. */
export interface Progress {
  readonly isOnline: boolean;
  readonly executed: GtidSet;
  /** All that it had executed is before that. */
  readonly file: string;
  readonly position: number;
}

/** Asks it. */
export async function progressOf(connection: Connection, group: string): Promise<Progress> {
  const state = `SELECT MEMBER_STATE AS state FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid`;
  const own = await ask(connection, state, State);
  const executed = await executedOn(connection, group);
  const [status] = await ask(connection, "SHOW BINARY LOG STATUS", Status);
  if (status === undefined) throw new Error("the member does not answer");
  return { isOnline: own[0]?.state === "ONLINE", executed, file: status.File, position: status.Position };
}

const executedOn = async (connection: Connection, group: string): Promise<GtidSet> =>
  ofSource(await allOn(connection), group);

/** What it has executed of others than the group. */
export const othersOn = async (connection: Connection, group: string): Promise<GtidSet> =>
  ofOthers(await allOn(connection), group);

async function allOn(connection: Connection): Promise<GtidSet> {
  const [row] = await ask(connection, "SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', '') AS executed", Executed);
  return parseGtidSet(row?.executed ?? "");
}
