// Which binary logs go: those that no backup needs, those that were copied twice, and where there is no room for the next backup the oldest: pure, but for the removal.
import { rm } from "node:fs/promises";
import { log } from "../../log";
import { wantedFor } from "../copies/size";
import { coveredBy, type Base, type KeptLog, type Session } from "./decide";
import { removeLogs, type StoredSession } from "./store";

/** What is always left free, in bytes, however little is written: for notes, and for what is being copied. */
const leastFree = 32 * 1024 ** 2;
/** For how many times as long as between two looks there is room for what is written. */
const looksAhead = 3;

/** Whose logs. `bases`: from old to new. */
export interface Volume {
  readonly bases: readonly Base[];
  /** Labels that are kept beyond retention; undefined where they are not known. */
  readonly kept: ReadonlySet<string> | undefined;
  /** How many of the newest there would be if none were kept beyond it. */
  readonly retention: number;
}

/**
 * Logs that are needed by no backup: each that holds logs has what is in them. The newest need not have the most: it may be that of a member that was
 * behind. One that is kept beyond retention holds them for as long as it would have been there otherwise: one that was kept for years would hold all
 * that was written since.
 */
export function unneeded(session: Session, { bases, kept, retention }: Volume): KeptLog[] {
  const first = bases.length - retention;
  const holding = bases.filter(({ name }, index) => index >= first || kept?.has(name) !== true);
  const covered = (holding.length > 0 ? holding : bases.slice(-1)).map((base) => new Set(coveredBy(base, session)));
  return covered.length === 0 ? [] : session.logs.filter((log) => covered.every((logs) => logs.has(log)));
}

/** The last log of each session that the next one has from its beginning on. */
export function repeated(sessions: readonly Session[]): (readonly [session: number, log: string])[] {
  return sessions.flatMap((session, index): [number, string][] => {
    const last = session.logs.at(-1);
    const next = sessions[index + 1]?.logs[0];
    const isTwice =
      last !== undefined &&
      next !== undefined &&
      coveredBy({ ...next, others: next.foreign }, { logs: [last] }).length > 0;
    return isTwice ? [[session.number, last.name]] : [];
  });
}

/** What decides whether there is room. */
export interface Room extends Volume {
  /** With what a backup that is being taken has taken up already. */
  readonly free: number;
  /** Of a member: bytes of its tablespaces, and the capacity of its redo log. */
  readonly member: { readonly bytes: number; readonly redo: number };
  /** Bytes that were written since the last look. */
  readonly written: number;
}

/** What the next backup and what is written meanwhile need: the next backup is no smaller than the one before. */
function wantedIn({ bases, member, written }: Room): { readonly backup: number; readonly beside: number } {
  const bytes = Math.max(member.bytes, bases.at(-1)?.bytes ?? 0);
  return { backup: wantedFor({ ...member, bytes }), beside: Math.max(leastFree, looksAhead * written) };
}

/** Backups that may give way to the next one, the oldest first. */
const mayGo = ({ bases, kept }: Volume): readonly Base[] =>
  bases.slice(0, -1).filter(({ name }) => kept !== undefined && !kept.has(name));

const bytesOf = (all: readonly { readonly bytes: number }[]): number => all.reduce((sum, { bytes }) => sum + bytes, 0);

/** Bytes that are missing though all older backups gave way; negative where there is more. */
export function missingBytes(room: Room): number {
  const { backup, beside } = wantedIn(room);
  return Math.max(backup + beside - room.free - bytesOf(mayGo(room)), beside - room.free);
}

/**
 * Logs that give way where there is no room, the oldest first; never those that lead on from the newest backup. They go before a backup would, and
 * not where it would have to go all the same.
 */
export function givingWay(sessions: readonly Session[], room: Room): KeptLog[] {
  const newest = room.bases.at(-1);
  if (newest === undefined) return [];
  const may = sessions.flatMap((session) => coveredBy(newest, session));
  const { backup, beside } = wantedIn(room);
  const missing = backup + beside - room.free;
  let lost = 0;
  for (const { bytes } of mayGo(room)) if (missing - bytesOf(may) > lost) lost += bytes;
  return firstOf(may, Math.max(missing - lost, beside - room.free));
}

/** As many as have so many bytes. */
function firstOf(logs: readonly KeptLog[], bytes: number): KeptLog[] {
  let left = bytes;
  return logs.filter((log) => {
    const isTaken = left > 0;
    left -= log.bytes;
    return isTaken;
  });
}

/** Removes logs, and sessions of which nothing is left. `current`: the number of the one that is written to. */
export async function remove(
  sessions: readonly StoredSession[],
  doomed: ReadonlySet<KeptLog>,
  current: number | undefined,
): Promise<void> {
  for (const { number, directory, logs, open } of sessions) {
    const going = logs.filter((one) => doomed.has(one)).map(({ name }) => name);
    await removeLogs(directory, going);
    for (const name of going) log("removed", { session: number, name });
    if (number !== current && going.length === logs.length && open.length === 0)
      await rm(directory, { recursive: true, force: true });
  }
}
