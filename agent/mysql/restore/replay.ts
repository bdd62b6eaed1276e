// Replays binary logs on the copy of a backup, up to a moment: a private server reads them as if they had come from a server that it follows.
import { copyFile, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { escape } from "mysql2";
import { z } from "zod";
import { log } from "../../log";
import { Collected } from "../archive/collected";
import { inOrder } from "../archive/decide";
import { scanLog } from "../archive/scan";
import { arrivedAt, ofGroup, sessionsOf, type StoredSession } from "../archive/store";
import { contains } from "../gtid";
import type { OwnServer } from "../server/connection";
import { microsecondsOf } from "./moment";
import { planOf, type Beyond, type Plan, type ReadableLog } from "./plan";
import { executedOn, withCopy } from "./take-over";

const patienceMs = 600_000;
const pauseMs = 500;
const progressMs = 30_000;
/** How long a server that has read all may have less than what was read, in milliseconds. */
const idleMs = 30_000;

/** As a replica: no member has this number, and events of one with its own would be skipped. */
const serverId = "4294967001";

/** What, and where. */
export interface Replaying {
  readonly label: string;
  /** The group of the backup. */
  readonly group: string;
  readonly backups: string;
  /** The copy of the backup. */
  readonly data: string;
  /** For files of the server; and for copies of logs, on the data volume. */
  readonly directory: string;
  readonly scratch: string;
  readonly superuser: string;
  /** A moment in RFC 3339, or `last`. */
  readonly until: string;
}

/** See the header. Throws what is in the way, and what to do about it. */
export async function replay(replaying: Replaying): Promise<void> {
  const { group, backups, data, directory, scratch, superuser, until, label } = replaying;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  // before the logs: what arrives later is not among them
  const arrived = await arrivedAt(backups, group);
  const found = await readableIn(await sessionsOf(backups, group), { scratch, group });
  const moment = until === "last" ? undefined : microsecondsOf(until);
  const copy = { data, directory, superuser };
  let plan: Plan | undefined;
  await withCopy({ ...copy, options: { skip_log_bin: "ON", innodb_redo_log_capacity: "8M" } }, async (sql) => {
    const executed = ofGroup(await executedOn(sql), group);
    const { order, stranded } = inOrder(executed, found);
    const beyond = await beyondIn([...order, ...stranded], group, moment);
    const next = planOf({ label, executed, logs: [...order, ...stranded], moment, beyond, arrivedAt: arrived });
    if ("problem" in next) throw new Error(next.problem);
    plan = next;
  });
  if (plan !== undefined && plan.paths.length > 0) await apply(plan, { ...replaying, relay: join(directory, "relay") });
  await rm(scratch, { recursive: true, force: true });
}

/** With copies of those that are being written: what they end with in the middle of a transaction is cut off. */
async function readableIn(
  sessions: readonly StoredSession[],
  { scratch, group }: { readonly scratch: string; readonly group: string },
): Promise<ReadableLog[]> {
  const found: ReadableLog[] = [];
  for (const { directory, number, logs, open } of sessions) {
    found.push(...logs.map((kept) => ({ ...kept, path: join(directory, kept.name) })));
    for (const name of open) {
      const path = join(scratch, `${number}-${name}`);
      await copyFile(join(directory, name), path);
      const collected = new Collected();
      let latest: number | undefined;
      const scan = await scanLog(path, ({ gtid, committedAt }) => {
        collected.add(gtid);
        latest = Math.max(latest ?? 0, committedAt);
      });
      if (scan === undefined) continue;
      if (!scan.isWhole) await truncate(path, scan.end);
      const transactions = collected.of(group);
      found.push({ path, previous: ofGroup(scan.previous, group), transactions, latest });
    }
  }
  return found;
}

async function beyondIn(logs: readonly ReadableLog[], group: string, moment: number | undefined): Promise<Beyond> {
  const all = new Collected();
  let first: Beyond["first"];
  for (const { path, latest } of moment === undefined ? [] : logs) {
    if (moment === undefined || latest === undefined || latest <= moment) continue;
    const before = new Collected();
    let stop: string | undefined;
    await scanLog(path, ({ gtid, committedAt }) => {
      if (committedAt > moment) all.add(gtid);
      if (committedAt > moment) stop ??= gtid;
      else if (stop === undefined) before.add(gtid);
    });
    if (stop !== undefined) first ??= { gtid: stop, path, before: before.of(group) };
  }
  return { first, all: all.of(group) };
}

async function apply(
  plan: Plan,
  { relay, group, data, directory, superuser }: Replaying & { relay: string },
): Promise<void> {
  await rm(relay, { recursive: true, force: true });
  await mkdir(relay, { recursive: true, mode: 0o700 });
  const names = plan.paths.map((_, index) => join(relay, `relay.${String(index + 1).padStart(6, "0")}`));
  for (const [index, path] of plan.paths.entries()) await symlink(path, names[index] ?? "");
  await writeFile(join(relay, "relay.index"), `${names.join("\n")}\n`);
  const options = {
    ...{ skip_log_bin: "ON", server_id: serverId, innodb_redo_log_capacity: "128M", innodb_buffer_pool_size: "128M" },
    ...{ relay_log: join(relay, "relay"), relay_log_index: join(relay, "relay.index") },
    // they are read where they are, and stay there
    ...{ relay_log_purge: "OFF", relay_log_recovery: "OFF" },
  };
  await withCopy({ data, directory, superuser, options }, async (sql) => {
    await sql.query(
      "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'binary-logs', RELAY_LOG_FILE = 'relay.000001', RELAY_LOG_POS = 4",
      patienceMs,
    );
    const stop = plan.stopBefore === undefined ? "" : ` UNTIL SQL_BEFORE_GTIDS = ${escape(plan.stopBefore)}`;
    await sql.query(`START REPLICA SQL_THREAD${stop}`, patienceMs);
    await untilThere(sql, plan, group);
    await sql.query("STOP REPLICA SQL_THREAD", patienceMs);
    const executed = await executedOn(sql);
    await sql.query("RESET REPLICA ALL", patienceMs);
    log("replayed", { files: plan.paths.length, before: plan.stopBefore, transactions: executed });
  });
}

const Status = z
  .array(
    z.object({
      Replica_SQL_Running: z.string(),
      Last_SQL_Error: z.string(),
      Replica_SQL_Running_State: z.string().nullable(),
    }),
  )
  .length(1);

interface Look {
  /** It has all that it has to have, and stays there. */
  readonly isDone: boolean;
  /** It does nothing any more. */
  readonly isIdle: boolean;
  readonly executed: string;
}

/** However long it takes. Throws what the server says where it cannot go on. */
async function untilThere(sql: OwnServer, plan: Plan, group: string): Promise<void> {
  let [idleSince, toldAt] = [performance.now(), performance.now()];
  for (;;) {
    const { isDone, isIdle, executed } = await lookAt(sql, plan, group);
    if (isDone) return;
    if (!isIdle) idleSince = performance.now();
    if (performance.now() - idleSince > idleMs)
      throw new Error(`the server has read all binary logs, and has not all that is in them: it has ${executed}`);
    if (performance.now() - toldAt > progressMs) {
      log("replaying", { transactions: executed });
      toldAt = performance.now();
    }
    await delay(pauseMs);
  }
}

async function lookAt(sql: OwnServer, { wanted, stopBefore }: Plan, group: string): Promise<Look> {
  const [status] = Status.parse(await sql.query("SHOW REPLICA STATUS", patienceMs));
  const executed = await executedOn(sql);
  const isStopped = status?.Replica_SQL_Running === "No";
  if (isStopped && status.Last_SQL_Error !== "")
    throw new Error(`the changes cannot be replayed: ${status.Last_SQL_Error}`);
  const isDone = contains(ofGroup(executed, group), wanted) && (isStopped || stopBefore === undefined);
  const hasRead = /has read all relay log/.test(status?.Replica_SQL_Running_State ?? "");
  return { isDone, isIdle: isStopped || (hasRead && (await areIdle(sql))), executed };
}

const Threads = z.array(z.object({ User: z.string(), State: z.string().nullable() }));

/** Whether all threads that apply changes wait for some: one that is at a large transaction does not. */
async function areIdle(sql: OwnServer): Promise<boolean> {
  const threads = Threads.parse(await sql.query("SHOW PROCESSLIST", patienceMs));
  return threads
    .filter(({ User }) => User === "system user")
    .every(({ State }) => /has read all relay log|Waiting for an event from Coordinator/.test(State ?? ""));
}
