// Replays binary logs on the copy of a backup, up to a moment: a private server reads them as if they had come from a server that it follows.
import { copyFile, mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { escape } from "mysql2";
import { z } from "zod";
import { log, textOf } from "../../log";
import { mebibytes } from "../../restore/decide";
import { roomOn, type Room } from "../../volume/room";
import { ofGroup } from "../archive/store";
import { contains, gtidText, parseGtidSet, without, type GtidSet } from "../gtid";
import type { OwnServer } from "../server/connection";
import { replayRedoBytes } from "../copies/fit";
import { tooNew } from "./foresight";
import type { Plan } from "./plan";
import { planFor, type Wish } from "./readable";
import { ReplayProblem } from "./replay-problem";
import { executedOn, withCopy, type CopyArgs } from "./take-over";

const patienceMs = 600_000;
const pauseMs = 500;
const progressMs = 30_000;
/** How long a server that has read all may have less than what was read, in milliseconds. */
const idleMs = 30_000;

const mebibyte = 1024 ** 2;

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
  /** Ends its servers at once. Default: nothing does. */
  readonly over?: AbortSignal | undefined;
  /** See `PrivateServerArgs`. */
  readonly complaints?: CopyArgs["complaints"];
}

/** See the header. Throws what is in the way, and what to do about it. */
export async function replay(replaying: Replaying): Promise<void> {
  try {
    const plan = await planned(replaying);
    await apply(plan, replaying).catch(async (error: unknown) => {
      throw fullOr(error, await roomOn(dirname(replaying.data)));
    });
  } finally {
    await rm(replaying.scratch, { recursive: true, force: true });
  }
}

/** What is there to replay. Throws what is in the way of it. */
export async function planned(replaying: Replaying): Promise<Plan> {
  const { data, directory, superuser, parameters, over, complaints } = replaying;
  const options = { ...parameters, skip_log_bin: "ON", innodb_redo_log_capacity: "8M" };
  let plan: Plan | undefined;
  await withCopy({ data, directory, superuser, options, over, complaints }, async (sql) => {
    plan = await possible(replaying, parseGtidSet(await executedOn(sql)));
  });
  if (plan === undefined) throw new Error("unreachable: it was planned");
  return plan;
}

async function possible(replaying: Replaying, executed: GtidSet): Promise<Plan> {
  const plan = await planFor(replaying, executed);
  if ("problem" in plan) throw new ReplayProblem(plan.nothing ?? "gap", plan.problem);
  const problem = tooNew(plan, replaying.version);
  if (problem !== undefined) throw new ReplayProblem("version", problem);
  return plan;
}

/** Links to files of which all counts, and copies of the others, up to there. */
async function laidOut({ logs }: Plan, relay: string, scratch: string): Promise<void> {
  await rm(scratch, { recursive: true, force: true });
  await mkdir(temporaryIn(scratch), { recursive: true, mode: 0o700 });
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

/** Of the server that replays. A large transaction has its rows in temporary files: they are on the data volume, not on the node's disk. */
export function replayOptions({
  relay,
  scratch,
  parameters,
}: Pick<Replaying, "scratch" | "parameters"> & { readonly relay: string }): Readonly<Record<string, string>> {
  return {
    ...parameters,
    ...{ skip_log_bin: "ON", server_id: serverId, innodb_buffer_pool_size: "128M" },
    innodb_redo_log_capacity: String(replayRedoBytes),
    ...{ tmpdir: temporaryIn(scratch), replica_load_tmpdir: temporaryIn(scratch) },
    ...{ relay_log: join(relay, "relay"), relay_log_index: join(relay, "relay.index") },
    // they are read where they are, and stay there
    ...{ relay_log_purge: "OFF", relay_log_recovery: "OFF" },
  };
}

const temporaryIn = (scratch: string): string => join(scratch, "tmp");

/** Does it. What it leaves in `scratch` is the caller's to remove: by then it is known how much room there was. */
export async function apply(plan: Plan, replaying: Replaying): Promise<void> {
  if (plan.logs.length === 0) return;
  const { group, data, directory, scratch, superuser, parameters, over, complaints } = replaying;
  const relay = join(directory, "relay");
  const options = replayOptions({ relay, scratch, parameters });
  await laidOut(plan, relay, scratch);
  await withCopy({ data, directory, superuser, options, over, complaints }, async (sql) => {
    await sql.query(
      "CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'binary-logs', RELAY_LOG_FILE = 'relay.000001', RELAY_LOG_POS = 4",
      patienceMs,
    );
    const stop = plan.stopBefore === undefined ? "" : ` UNTIL SQL_BEFORE_GTIDS = ${escape(plan.stopBefore)}`;
    await sql.query(`START REPLICA SQL_THREAD${stop}`, patienceMs);
    await untilThere(sql, plan, replaying);
    await sql.query("STOP REPLICA SQL_THREAD", patienceMs);
    const executed = await executedOn(sql);
    const more = without(ofGroup(executed, group), plan.wanted);
    if (more.size > 0) throw new ReplayProblem("changes", `more was replayed than was planned: ${gtidText(more)}`);
    await sql.query("RESET REPLICA ALL", patienceMs);
    log("replayed", { files: plan.logs.length, before: plan.stopBefore, transactions: executed });
  });
}

/** Less than this free is none: a file grows by as much at a time. */
const noRoomBytes = 8 * mebibyte;

/** The error, with what to do where the data volume is full. */
export function fullOr(error: unknown, { free }: Pick<Room, "free">): unknown {
  const isFull = free < noRoomBytes || /is full|no space left|error number 28\b|errno: 28\b/i.test(textOf(error));
  if (!isFull) return error;
  const why = `the data volume is full, with ${mebibytes(free)} free: create the Database again with a larger storage`;
  return new Error(`${textOf(error)}; ${why}`, { cause: error });
}

const Status = z
  .array(
    z.object({
      Replica_SQL_Running: z.string(),
      Last_SQL_Errno: z.number(),
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

type Asked = Pick<OwnServer, "query">;

/** However long it takes. Throws what the server says where it cannot go on. */
export async function untilThere(
  sql: Asked,
  plan: Plan,
  { group, data }: Pick<Replaying, "group" | "data">,
): Promise<void> {
  let [idleSince, roomySince, toldAt] = [performance.now(), performance.now(), performance.now()];
  for (;;) {
    const { isDone, isIdle, executed } = await lookAt(sql, plan, group);
    if (isDone) return;
    if (!isIdle) idleSince = performance.now();
    if ((await roomOn(dirname(data))).free >= mebibyte) roomySince = performance.now();
    // it waits for room without an end, and without an error
    if (performance.now() - roomySince > idleMs) throw new Error(`the server waits: it has ${executed}`);
    if (performance.now() - idleSince > idleMs)
      throw new ReplayProblem(
        "changes",
        `the server has read all binary logs, and has not all that is in them: it has ${executed}`,
      );
    if (performance.now() - toldAt > progressMs) {
      log("replaying", { transactions: executed });
      toldAt = performance.now();
    }
    await delay(pauseMs);
  }
}

async function lookAt(sql: Asked, { wanted, stopBefore }: Plan, group: string): Promise<Look> {
  const [status] = Status.parse(await sql.query("SHOW REPLICA STATUS", patienceMs));
  const executed = await executedOn(sql);
  const isStopped = status?.Replica_SQL_Running === "No";
  if (isStopped && status.Last_SQL_Error !== "")
    throw new ReplayProblem(
      "changes",
      `the changes cannot be replayed: ${status.Last_SQL_Error}`,
      status.Last_SQL_Errno,
    );
  const isDone = contains(ofGroup(executed, group), wanted) && (isStopped || stopBefore === undefined);
  const hasRead = /has read all relay log/.test(status?.Replica_SQL_Running_State ?? "");
  return { isDone, isIdle: isStopped || (hasRead && (await areIdle(sql))), executed };
}

const Threads = z.array(z.object({ User: z.string(), State: z.string().nullable() }));

/** Whether all threads that apply changes wait for some: one that is at a large transaction does not. */
async function areIdle(sql: Asked): Promise<boolean> {
  const threads = Threads.parse(await sql.query("SHOW PROCESSLIST", patienceMs));
  return threads
    .filter(({ User }) => User === "system user")
    .every(({ State }) => /has read all relay log|Waiting for an event from Coordinator/.test(State ?? ""));
}
