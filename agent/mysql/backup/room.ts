// Room for another backup: where it would not fit, the oldest ones give way to it, but for the newest and those that are kept. None does
// where that would not be enough. After a copy that did not fit all the same the oldest one goes.
import { removeBackup } from "../../backup-volume";
import { exists } from "../../disk";
import { surplusOf, type Retention } from "../../backups";
import { log } from "../../log";
import { mebibytes } from "../../restore/decide";
import { roomOn, type Room } from "../../volume/room";
import { logsIn } from "../archive/store";
import { backupsIn, sizeOf, type Backup } from "../copies/retention";
import { wantedFor, type Copied } from "../copies/size";

const mebibyte = 1024 ** 2;

/** What needs room. */
export interface Need extends Copied {
  readonly directory: string;
  readonly database: string;
  readonly group: string;
  readonly kept: Retention["kept"];
}

/** Which may give way, oldest first: of the same group, and never the newest one of it. */
export function givingWay(backups: readonly Backup[], { group, kept }: Pick<Need, "group" | "kept">): Backup[] {
  const own = backups.filter((backup) => backup.group === group);
  const newest = own.at(-1);
  if (newest === undefined) return [];
  const labels = own.map(({ name }) => name);
  const doomed = new Set(surplusOf(labels, { newest: newest.name, retention: 1, kept }));
  return own.filter(({ name }) => doomed.has(name));
}

/** Makes room. Throws where there is none, and then removes nothing. */
export async function makeRoom(
  need: Need,
  room: (directory: string) => Promise<Pick<Room, "free">> = roomOn,
): Promise<void> {
  const { directory, database } = need;
  const wanted = wantedFor(need);
  const backups = await backupsIn(directory, database);
  const old = givingWay(backups, need);
  let { free } = await room(directory);
  if (free + sumOf(old) < wanted) {
    const others = backups.filter((backup) => backup.group !== need.group);
    const logs = await logBytesOn(directory);
    if (others.length > 0) log("there is no room", { why: inTheWay(others) });
    throw new Error(noRoom({ wanted, free, others, old, logs }));
  }
  for (const { name } of old) {
    if (free >= wanted) return;
    await removeBackup(directory, name);
    log("removed, as another backup would not fit", { name });
    ({ free } = await room(directory));
  }
}

/** After a copy that did not fit, though it was to: removes the oldest one that may go, for the next attempt. Throws what was done. */
export async function giveWay(need: Need, why: string): Promise<never> {
  const [oldest] = givingWay(await backupsIn(need.directory, need.database), need);
  if (oldest === undefined)
    throw new Error(
      `the copy did not fit onto the volume, and no older backup may give way: raise spec.backup.destination.volume.size (${why})`,
    );
  await removeBackup(need.directory, oldest.name);
  throw new Error(
    `the copy did not fit onto the volume: ${oldest.name} was removed, and the next attempt has its room (${why})`,
  );
}

interface Present {
  readonly wanted: number;
  readonly free: number;
  readonly others: readonly Backup[];
  readonly old: readonly Backup[];
  /** Bytes of binary logs. */
  readonly logs: number;
}

async function logBytesOn(directory: string): Promise<number> {
  const logs = logsIn(directory);
  return (await exists(logs)) ? sizeOf(logs) : 0;
}

/** Short, as 200 characters of it are in the condition; the line before has the names. */
function noRoom({ wanted, free, others, old, logs }: Present): string {
  const all = old.length === 0 ? "" : `, ${mebibytes(free + sumOf(old))} if all went that may`;
  const byHand = others.length === 0 ? "" : `, or remove backups of other groups by hand (${mebibytes(sumOf(others))})`;
  const kept = logs < mebibyte ? "" : ` beside ${mebibytes(logs)} of binary logs`;
  return `the backup needs ${mebibytes(wanted)}, the volume has ${mebibytes(free)} free${kept}${all}: raise spec.backup.destination.volume.size${byHand}`;
}

/** Of the group that the volume's Database was before it was restored in place, mostly: no program removes them. */
export function inTheWay(others: readonly Backup[]): string {
  const named = others.map(({ name, bytes }) => `${name} (${mebibytes(bytes)})`);
  return `backups of other groups take up ${mebibytes(sumOf(others))} until you remove them: ${named.join(", ")}`;
}

const sumOf = (backups: readonly Backup[]): number => backups.reduce((sum, { bytes }) => sum + bytes, 0);
