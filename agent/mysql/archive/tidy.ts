// Which binary logs go: those that no backup needs, those that were copied twice, and where there is no room for the next backup the oldest.
import { rm } from "node:fs/promises";
import { contains } from "../gtid";
import { wantedFor } from "../backup/room";
import { coveredBy, type Base, type KeptLog, type Session } from "./decide";
import { removeLogs, type StoredSession } from "./store";

/** What is always left free, in bytes: for notes, and for what is being copied. */
const leastFree = 32 * 1024 ** 2;

/** Whose logs. `bases`: from old to new. */
export interface Volume {
  readonly bases: readonly Base[];
  /** Labels that are kept beyond retention; undefined where they are not known. */
  readonly kept: ReadonlySet<string> | undefined;
}

/** Those that are needed by no backup: of all that retention counts, the oldest has what is in them. One that is kept alone keeps no logs. */
export function unneeded(session: Session, { bases, kept }: Volume): KeptLog[] {
  const counted = bases.filter(({ name }) => kept === undefined || !kept.has(name));
  const oldest = counted[0] ?? bases.at(-1);
  return oldest === undefined ? [] : coveredBy(oldest, session);
}

/** The last log of each session that the next one has from its beginning on. */
export function repeated(sessions: readonly Session[]): (readonly [session: number, log: string])[] {
  return sessions.flatMap((session, index): [number, string][] => {
    const last = session.logs.at(-1);
    const next = sessions[index + 1]?.logs[0];
    const isTwice = last !== undefined && next !== undefined && contains(next.transactions, last.transactions);
    return isTwice ? [[session.number, last.name]] : [];
  });
}

/** What decides whether there is room. */
export interface Room extends Volume {
  readonly free: number;
  /** Of a member: bytes of its tablespaces, and the capacity of its redo log. */
  readonly member: { readonly bytes: number; readonly redo: number };
}

/** Bytes that are missing for the next backup, once older ones have given way to it; negative where there is more. */
export function missingBytes({ bases, kept, free, member }: Room): number {
  const older = bases.slice(0, -1).filter(({ name }) => kept !== undefined && !kept.has(name));
  const freed = older.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.max(wantedFor(member) - free - freed, leastFree - free);
}

/** Logs that give way where so many bytes are missing, the oldest first; never those that lead on from the newest backup. */
export function givingWay(sessions: readonly Session[], { bases }: Volume, missing: number): KeptLog[] {
  const newest = bases.at(-1);
  const found: KeptLog[] = [];
  let left = missing;
  for (const session of newest === undefined ? [] : sessions)
    for (const log of newest === undefined ? [] : coveredBy(newest, session)) {
      if (left <= 0) return found;
      found.push(log);
      left -= log.bytes;
    }
  return found;
}

/** Removes logs, and sessions of which nothing is left. `current`: the number of the one that is written to. */
export async function remove(
  sessions: readonly StoredSession[],
  doomed: ReadonlySet<KeptLog>,
  current: number | undefined,
): Promise<void> {
  for (const { number, directory, logs, open } of sessions) {
    const going = logs.filter((log) => doomed.has(log)).map(({ name }) => name);
    await removeLogs(directory, going);
    if (number !== current && going.length === logs.length && open.length === 0)
      await rm(directory, { recursive: true, force: true });
  }
}
