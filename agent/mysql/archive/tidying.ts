// Looks through the binary logs on the volume: removes what has to go, and tells what there is.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LockRefused, withLock } from "../../lock";
import { log } from "../../log";
import { roomOn, type Room as FileSystem } from "../../volume/room";
import { backupsIn, sizeOf } from "../copies/retention";
import { basesOf } from "./bases";
import { foreignBehind, holeBehind, holeText, type Base, type KeptLog, type Session } from "./decide";
import { noteHole } from "./group-notes";
import type { Standing } from "./note";
import { groupDirectory, logsIn, logsLock, sessionsOf, type StoredSession } from "./store";
import { givingWay, missingBytes, remove, repeated, unneeded, type Room, type Volume } from "./tidy";

/** Where, and what counts. */
export interface TidyingArgs extends Omit<Volume, "bases">, Pick<Room, "member" | "written"> {
  readonly backups: string;
  readonly database: string;
  readonly group: string;
  /** The session that is written to; undefined where none is. */
  readonly current: number | undefined;
  /** Whether all that its member had has come since it began: until then what seems to be missing may be on its way. */
  readonly isSettled: boolean;
}

/** What there is afterwards. */
export interface Tidied extends Pick<Standing, "sessions" | "bases" | "gap" | "foreign"> {
  /** Bytes that are missing for the next backup; negative where there is more. */
  readonly missing: number;
  /** Why nothing was removed; undefined where that was possible. */
  readonly refusal?: string | undefined;
}

type FreeOn = (directory: string) => Promise<Pick<FileSystem, "free">>;

/** See the header. */
export async function tidy(args: TidyingArgs, room: FreeOn = roomOn): Promise<Tidied> {
  const { backups, database, group, current } = args;
  const found = await sessionsOf(backups, group);
  const bases = await basesOf(backups, database, group);
  const doomed = doomedIn(found, { ...args, bases, free: await freeOn(backups, room) });
  const refusal = await removing(backups, async () => {
    await remove(found, doomed, current);
    await forgetOthers(args);
  });
  const sessions = await sessionsOf(backups, group);
  const gap = await gapIn(args, bases, sessions);
  return {
    sessions,
    bases,
    gap,
    foreign: foreignIn(bases, sessions),
    missing: missingBytes({ ...args, bases, free: await freeOn(backups, room) }),
    refusal,
  };
}

function doomedIn(sessions: readonly StoredSession[], room: Room): ReadonlySet<KeptLog> {
  const twice = new Set(repeated(sessions).map(([session, name]) => `${session} ${name}`));
  return new Set<KeptLog>([
    ...sessions.flatMap((session) => unneeded(session, room)),
    ...sessions.flatMap(({ number, logs }) => logs.filter(({ name }) => twice.has(`${number} ${name}`))),
    ...givingWay(sessions, room),
  ]);
}

/** Removes while no restore reads. Returns why that is not possible. */
async function removing(backups: string, work: () => Promise<void>): Promise<string | undefined> {
  try {
    await withLock(logsLock(backups), { refusal: "a restore reads the binary logs" }, work);
    return undefined;
  } catch (error) {
    if (error instanceof LockRefused) return error.message;
    throw error;
  }
}

/** With what is being written of a backup: that has its room already. */
async function freeOn(backups: string, room: FreeOn): Promise<number> {
  const { free } = await room(backups);
  let sum = free;
  for (const name of await readdir(backups))
    if (name.startsWith(".partial-")) sum += await sizeOf(join(backups, name)).catch(() => 0);
  return sum;
}

/** What came from outside of the group since the newest backup. */
function foreignIn(bases: readonly Base[], sessions: readonly Session[]): string | undefined {
  const newest = bases.at(-1);
  const foreign = newest && foreignBehind(newest, sessions);
  return foreign === undefined || foreign.size === 0 ? undefined : holeText(foreign);
}

async function gapIn(
  { backups, database, group, isSettled }: TidyingArgs,
  bases: readonly Base[],
  sessions: readonly StoredSession[],
): Promise<Standing["gap"]> {
  const newest = bases.at(-1);
  if (newest === undefined) return isSettled ? await gapBehindFormer(backups, database, group) : undefined;
  const hole = holeBehind(newest, sessions);
  const at = await noteHole(backups, group, {
    base: hole === undefined ? undefined : newest.name,
    isCertain: isSettled,
  });
  return hole === undefined || at === undefined ? undefined : { segment: holeText(hole), at };
}

/** Nothing of another group leads on from a backup: after a decision none is taken before the next one by schedule, which may be far away. */
async function gapBehindFormer(backups: string, database: string, group: string): Promise<Standing["gap"]> {
  const at = (await backupsIn(backups, database)).at(-1)?.completedAt;
  return at === undefined ? undefined : { segment: `${group}:1`, at };
}

/** Logs of a group that the volume's Database was before it was restored in place go with its last backup: until then a second try needs them. */
async function forgetOthers({ backups, database, group }: TidyingArgs): Promise<void> {
  const backedUp = new Set((await backupsIn(backups, database)).map((backup) => backup.group));
  for (const other of await readdir(logsIn(backups))) {
    if (other === group || other.startsWith(".") || backedUp.has(other)) continue;
    log("the binary logs of a former group are removed", { group: other });
    await rm(groupDirectory(backups, other), { recursive: true, force: true });
  }
}
