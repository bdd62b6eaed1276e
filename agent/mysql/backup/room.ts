// Room for another backup: where it would not fit, the oldest ones give way to it, but for the newest and those that are kept. None does
// where that would not be enough.
import { removeBackup } from "../../backup-volume";
import { surplusOf, type Retention } from "../../backups";
import { log } from "../../log";
import { roomOn, type Room } from "../../volume/room";
import { backupsIn, type Backup } from "./retention";

/** What the copy has beside its tables. */
const marginBytes = 32 * 1024 ** 2;

/** What needs room. */
export interface Need {
  readonly directory: string;
  readonly database: string;
  readonly group: string;
  readonly bytes: number;
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
  const { directory, database, bytes } = need;
  const wanted = bytes + marginBytes;
  const backups = await backupsIn(directory, database);
  const old = givingWay(backups, need);
  let { free } = await room(directory);
  if (free + sumOf(old) < wanted) throw new Error(noRoom(need, { wanted, free, backups, old }));
  for (const { name } of old) {
    if (free >= wanted) return;
    await removeBackup(directory, name);
    log("removed, as another backup would not fit", { name });
    ({ free } = await room(directory));
  }
}

interface Present {
  readonly wanted: number;
  readonly free: number;
  readonly backups: readonly Backup[];
  readonly old: readonly Backup[];
}

/** What is named of the backups of other groups: the message of a condition has no room for any number of them. */
const mostNamed = 10;

function noRoom({ group }: Need, { wanted, free, backups, old }: Present): string {
  const all = old.length === 0 ? "" : `, or ${mebibytes(free + sumOf(old))} without the older backups that may go`;
  const others = backups.filter((backup) => backup.group !== group);
  const named = others.slice(0, mostNamed).map(({ name, bytes }) => `${name} (${mebibytes(bytes)})`);
  const more = others.length > mostNamed ? [`${others.length - mostNamed} more`] : [];
  const byHand =
    others.length === 0
      ? ""
      : `, or remove by hand backups of other groups, which take up ${mebibytes(sumOf(others))}: ${[...named, ...more].join(", ")}`;
  return `the backup takes up ${mebibytes(wanted)}, and the volume has ${mebibytes(free)} free${all}: raise spec.backup.destination.volume.size${byHand}`;
}

const sumOf = (backups: readonly Backup[]): number => backups.reduce((sum, { bytes }) => sum + bytes, 0);

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
