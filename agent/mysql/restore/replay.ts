// Replays binary logs on the copy of a backup, up to a moment: a private server reads them as if they had come from a server that it follows.
import { copyFile, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { escape } from "mysql2";
import { z } from "zod";
import { log } from "../../log";
import { ofGroup } from "../archive/store";
import type { Manifest } from "../copies/manifest";
import { contains, gtidText, parseGtidSet, without, type GtidSet } from "../gtid";
import type { OwnServer } from "../server/connection";
import { versionProblem } from "./decide";
import type { Plan } from "./plan";
import { planFor, type Wish } from "./readable";
import { executedOn, withCopy } from "./take-over";

const patienceMs = 600_000;
const pauseMs = 500;
const progressMs = 30_000;
/** How long a server that has read all may have less than what was read, in milliseconds. */
const idleMs = 30_000;

/** As a replica: no member has this number, and events of one with its own would be skipped. */
const serverId = "4294967001";

/** What, and where. */
export interface Replaying extends Wish {
  /** The copy of the backup. */
  readonly data: string;
  /** For files of the server; and for copies of logs, on the data volume. */
  readonly directory: string;
  readonly scratch: string;
  readonly superuser: string;
  /** Of the server, such as "9.7.4". */
  readonly version: string;
  /** Of the new Database: those that decide what a change leaves behind. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** See the header. Throws what is in the way, and what to do about it. */
export async function replay(replaying: Replaying): Promise<void> {
  const { group, data, directory, superuser, parameters } = replaying;
  const options = { ...parameters, skip_log_bin: "ON", innodb_redo_log_capacity: "8M" };
  let plan: Plan | undefined;
  await withCopy({ data, directory, superuser, options }, async (sql) => {
    plan = await possible(replaying, parseGtidSet(await executedOn(sql)));
  });
  if (plan !== undefined && plan.logs.length > 0) await apply(plan, { ...replaying, relay: join(directory, "relay") });
}

async function possible(replaying: Replaying, executed: GtidSet): Promise<Plan> {
  const plan = await planFor(replaying, executed);
  const problem = "problem" in plan ? plan.problem : tooNew(plan, replaying.version);
  if (problem !== undefined || "problem" in plan) throw new Error(problem);
  return plan;
}

/** What the server may not read; undefined where it reads all. */
export function tooNew({ logs }: Pick<Plan, "logs">, version: string): string | undefined {
  const problems = logs.map(({ path, server }) => versionProblem(`the binary log ${basename(path)}`, server, version));
  return problems.find((problem) => problem !== undefined);
}

/** Why a backup cannot be restored, as far as that is known of it before it is copied; undefined where it may be. */
export async function refusalOf(
  wish: Wish,
  { transactions, copiedAt }: Pick<Manifest, "transactions" | "copiedAt">,
): Promise<string | undefined> {
  const plan = await planFor(wish, parseGtidSet(transactions));
  if (!("problem" in plan)) return undefined;
  // the copy may have more than is noted: what was committed while it was made
  const isCertain = plan.before === undefined || (copiedAt !== undefined && plan.before >= Date.parse(copiedAt) * 1000);
  return isCertain ? plan.problem : undefined;
}

/** Links to files of which all counts, and copies of the others, up to there. */
async function laidOut({ logs }: Plan, relay: string, scratch: string): Promise<void> {
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  await rm(relay, { recursive: true, force: true });
  await mkdir(relay, { recursive: true, mode: 0o700 });
  const names: string[] = [];
  for (const [index, { path, end }] of logs.entries()) {
    const name = `relay.${String(index + 1).padStart(6, "0")}`;
    const copy = join(scratch, name);
    if (end !== undefined) {
      await copyFile(path, copy);
      await truncate(copy, end);
    }
    await symlink(end === undefined ? path : copy, join(relay, name));
    names.push(join(relay, name));
  }
  await writeFile(join(relay, "relay.index"), `${names.join("\n")}\n`);
}

async function apply(plan: Plan, replaying: Replaying & { readonly relay: string }): Promise<void> {
  const { relay, group, data, directory, scratch, superuser, parameters } = replaying;
  const options = {
    ...parameters,
    ...{ skip_log_bin: "ON", server_id: serverId, innodb_redo_log_capacity: "128M", innodb_buffer_pool_size: "128M" },
    ...{ relay_log: join(relay, "relay"), relay_log_index: join(relay, "relay.index") },
    // they are read where they are, and stay there
    ...{ relay_log_purge: "OFF", relay_log_recovery: "OFF" },
  };
  try {
    await laidOut(plan, relay, scratch);
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
      const more = without(ofGroup(executed, group), plan.wanted);
      if (more.size > 0) throw new Error(`more was replayed than was planned: ${gtidText(more)}`);
      await sql.query("RESET REPLICA ALL", patienceMs);
      log("replayed", { files: plan.logs.length, before: plan.stopBefore, transactions: executed });
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
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
