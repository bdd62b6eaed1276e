// What a member says of its binary logs.
import { escape } from "mysql2";
import type { Connection } from "mysql2/promise";
import { z } from "zod";
import { contains, type GtidSet } from "../gtid";
import { firstToCopy } from "./decide";
import { ofGroup } from "./store";

const patienceMs = 15_000;

const Names = z.array(z.object({ Log_name: z.string() }));
const Events = z.array(z.object({ Event_type: z.string(), Info: z.string() }));
const Status = z.array(z.object({ File: z.string(), Position: z.coerce.number() })).length(1);
const State = z.array(z.object({ state: z.string() }));
const Clock = z.array(z.object({ now: z.coerce.number() })).length(1);
const Executed = z.array(z.object({ executed: z.string() })).length(1);

const ask = async <T>(connection: Connection, sql: string, schema: z.ZodType<T>): Promise<T> => {
  const [rows] = await connection.query({ sql, timeout: patienceMs });
  return schema.parse(rows);
};

/** A file of its binary log. */
export interface MemberLog {
  readonly name: string;
  readonly previous: GtidSet;
}

/** From which of its files on to copy, for someone who has `known`. It is asked about no more of them than that takes. */
export async function startOn(connection: Connection, group: string, known: GtidSet): Promise<MemberLog> {
  const names = await ask(connection, "SHOW BINARY LOGS", Names);
  const seen: MemberLog[] = [];
  for (const { Log_name: name } of names.toReversed()) {
    const events = await ask(connection, `SHOW BINLOG EVENTS IN ${escape(name)} LIMIT 2`, Events);
    const info = events.find(({ Event_type: type }) => type === "Previous_gtids")?.Info ?? "";
    const previous = ofGroup(info, group);
    seen.unshift({ name, previous });
    if (contains(known, previous)) break;
  }
  const first = firstToCopy(seen, known);
  if (first === undefined) throw new Error("the member has no binary logs");
  return first;
}

/** How far the primary is. */
export interface Horizon {
  /** By its clock, in microseconds: what it committed before is in `executed`. */
  readonly now: number;
  readonly executed: GtidSet;
}

/** Asks the primary: for the time first. */
export async function horizonOf(connection: Connection, group: string): Promise<Horizon> {
  const [clock] = await ask(connection, "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS UNSIGNED) AS now", Clock);
  if (clock === undefined) throw new Error("the primary does not answer");
  return { now: clock.now, executed: await executedOn(connection, group) };
}

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

async function executedOn(connection: Connection, group: string): Promise<GtidSet> {
  const [row] = await ask(connection, "SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', '') AS executed", Executed);
  return ofGroup(row?.executed ?? "", group);
}
