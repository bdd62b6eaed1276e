// Binary logs are removed where the volume fills up. Otherwise they are kept by age, and one busy day can be larger than a volume; all members'
// volumes fill alike, so that no other member could take over.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { log, textOf } from "../log";
import type { VolumeCause } from "../../contract/volume-note";
import { fills } from "../volume/decide";
import type { Room } from "../volume/room";
import { replicationUser } from "./server/accounts";
import type { OwnServer } from "./server/connection";

/** Below this free share of the volume the oldest are removed, until as much is free. The last one is the server's own, and stays. */
const leastFree = 0.2;
/** As much of the newest stays, as a share of the volume, for members that were down for a restart; unless less than that is free. */
const kept = 0.05;
const lookMs = 5_000;
/** How long the server may take to let go of a log of which the reader was ended. */
const releaseMs = 500;
const patienceMs = 10_000;

export interface BinaryLog {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * The oldest log to keep, of `logs` from old to new; undefined where none has to be removed. A log that is being read is left by the server itself,
 * and a member that comes back and needs a removed one copies all data.
 */
export function oldestToKeep(logs: readonly BinaryLog[], { free, total }: Room): BinaryLog | undefined {
  const spared = newestWithin(logs, free < total * kept ? 0 : total * kept);
  let missing = total * leastFree - free;
  let index = 0;
  while (missing > 0 && index < logs.length - spared) missing -= logs[index++]?.size ?? 0;
  return index === 0 ? undefined : logs[index];
}

/** How many of the newest have at most that many bytes together: one at least, which the server writes to. */
function newestWithin(logs: readonly BinaryLog[], bytes: number): number {
  let sum = 0;
  const count = logs.toReversed().findIndex(({ size }) => (sum += size) > bytes);
  return Math.max(1, count === -1 ? logs.length : count);
}

const Rows = z.array(z.object({ Log_name: z.string().regex(/^[\w.-]+$/), File_size: z.coerce.number() }));

/** What it needs of a member. */
export interface BinaryLogsArgs {
  readonly server: Pick<OwnServer, "query">;
  readonly room: () => Promise<Room>;
}

/** Removes what has to be removed now. Throws what the server says. */
export async function makeRoom({ server, room }: BinaryLogsArgs): Promise<void> {
  const now = await room();
  // the server is asked only where there is something to do
  if (now.free >= now.total * leastFree) return;
  const logs = await logsOf(server);
  const oldest = oldestToKeep(logs, now);
  if (oldest === undefined) return;
  const purge = (): Promise<unknown> => server.query(`PURGE BINARY LOGS TO '${oldest.name}'`, patienceMs);
  await purge();
  let [first] = await logsOf(server);
  // a log that a replica reads keeps those after it, too
  if (first?.name !== oldest.name && isShort(await room())) {
    await endArchiving(server);
    await purge();
    [first] = await logsOf(server);
  }
  if (first?.name !== logs[0]?.name)
    log("binary logs were removed, because the volume is filling up", { before: first?.name });
}

/** Whether the server is about to stop for want of room. */
const isShort = ({ free, total }: Room): boolean => free < total * kept;

/** Streams of our own program: members that copy from another one ask by GTID, and those of users have accounts of theirs. */
const streams = `SELECT ID AS id FROM performance_schema.processlist WHERE USER = '${replicationUser}' AND COMMAND = 'Binlog Dump'`;
const Streams = z.array(z.object({ id: z.number() }));

/** The archive is too slow for what is written here. It begins again with what is left, and says where there is a gap. */
async function endArchiving(server: BinaryLogsArgs["server"]): Promise<void> {
  for (const { id } of Streams.parse(await server.query(streams, patienceMs))) {
    log("the copying of binary logs is ended: they fill the volume faster than they are copied", { connection: id });
    await server.query(`KILL ${id}`, patienceMs);
  }
  await delay(releaseMs);
}

async function logsOf(server: BinaryLogsArgs["server"]): Promise<BinaryLog[]> {
  const rows = Rows.parse(await server.query("SHOW BINARY LOGS", patienceMs));
  return rows.map(({ Log_name: name, File_size: size }) => ({ name, size }));
}

/** Looks again and again until `stop`; while the server is down it logs nothing. */
export async function keepRoom(args: BinaryLogsArgs, stop: AbortSignal): Promise<void> {
  let said = "";
  while (!stop.aborted) {
    await makeRoom(args).catch((error: unknown) => {
      const why = textOf(error);
      if (why !== said) log("binary logs cannot be removed", { why });
      said = why;
    });
    await delay(lookMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Whether binary logs that could be removed fill the volume: data would not, and they go where room is needed. */
export async function causeInLogs(server: BinaryLogsArgs["server"], room: Room): Promise<VolumeCause | undefined> {
  const bytes = (await logsOf(server)).reduce((sum, { size }) => sum + size, 0);
  return fills(bytes - room.total * kept, room) ? { kind: "binaryLogs", bytes } : undefined;
}
