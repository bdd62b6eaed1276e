// Decides how full a volume counts as, what fills it, and when that is worth a note. Pure.
import {
  fillingLevel,
  volumeLevels,
  type VolumeCause,
  type VolumeLevel,
  type VolumeNote,
} from "../../contract/volume-note";
import type { Room } from "./room";

/** With less free, in bytes, a server may stop: PostgreSQL asks for a whole segment of WAL at once. */
const leastFree = 32 * 2 ** 20;
const leastFreeShare = 0.01;
/** So far below a threshold, in percent, the volume must be to count as below it again. */
const hysteresis = 3;
/** How long a note about a volume that fills up counts, in milliseconds: the operator may have had to wait with what follows from it. */
export const repeatMs = 30 * 60_000;
/** A size that differs by less than this share counts as the same: a file system that shares its room says another one with each look. */
const leastResize = 0.01;
/** What holds less than this share of the volume does not fill it. */
const leastShare = 0.1;

const percentOf = ({ free, total }: Room): number => (total === 0 ? 0 : ((total - free) / total) * 100);

/** How full the volume is; `before` is what it counted as. */
export function levelOf(room: Room, before: VolumeLevel): VolumeLevel {
  const percent = percentOf(room);
  const least = Math.max(leastFree, room.total * leastFreeShare);
  const isFull = room.total > 0 && room.free < (before === 100 ? 1.5 * least : least);
  const reached = isFull ? 100 : (volumeLevels.findLast((level) => level < 100 && percent >= level) ?? 0);
  if (reached >= before) return reached;
  // it has fallen: by so little it may rise again at once
  const held = volumeLevels.findLast((level) => level <= before && percent >= level - hysteresis) ?? 0;
  return held > reached ? held : reached;
}

/** Whether the volume would not be filling up without so many bytes, which are a part of it that counts. */
export const fills = (bytes: number, { free, total }: Room): boolean =>
  bytes >= total * leastShare && percentOf({ free: free + bytes, total }) < fillingLevel;

/** What would be noted now. `used` is rounded to mebibytes. */
export function noteOf(room: Room, level: VolumeLevel, cause: VolumeCause | undefined, now: Date): VolumeNote {
  const used = Math.round((room.total - room.free) / 2 ** 20) * 2 ** 20;
  const at = `${now.toISOString().slice(0, 19)}Z`;
  return { level, size: room.total, used, at, ...(cause !== undefined && { cause }) };
}

/** Whether the note differs from the one that was written in what counts, or that one is old. */
export function isNews(before: VolumeNote | undefined, now: VolumeNote): boolean {
  if (before === undefined) return true;
  const isOld = Date.parse(now.at) - Date.parse(before.at) >= repeatMs;
  if (now.level >= fillingLevel && isOld) return true;
  const isResized = Math.abs(now.size - before.size) >= before.size * leastResize;
  return before.level !== now.level || isResized || textOf(before.cause) !== textOf(now.cause);
}

const textOf = (cause: VolumeCause | undefined): string => `${cause?.kind ?? ""} ${cause?.name ?? ""}`;
