// The newest backup of a backup volume, for a drill.
//
// No lock is held meanwhile: a backup that begins would give up. What retention removes in between is not damaged, it is gone, and then a newer
// one is there.
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { completeBackups, volumeLock } from "../backup-volume";
import { exists } from "../disk";
import { withLock } from "../lock";
import { copyFiles, lookAt, type Copying } from "../restore/copy";
import { problemOf, type Found } from "../restore/decide";
import { ProgramFailed } from "../restore/output";
import { roomOn } from "../volume/room";
import { copyFindingOf, crowdingOf, DrillEnd, endOf, findingOf, type Looked } from "./decide";
import type { Drill } from "./run";

/** Where backups are. */
export interface Shelf {
  /** The backup volume. */
  readonly backups: string;
  /** Name of the Database. */
  readonly database: string;
}

/** A backup that was chosen. */
export interface Chosen {
  readonly label: string;
  /** Its directory. */
  readonly from: string;
}

/** What of a drill this needs. */
export type Choosing = Pick<Drill, "progress" | "data">;

/** How often a backup may go while it is read. */
const mostAttempts = 3;

const removed = (count: number): string => `${count} backups were removed while they were copied: try it again`;

/** Has `read` read the newest backup; again, where it goes meanwhile, the next one. Throws a DrillEnd where it cannot be done. */
export async function withNewest<T>(
  { backups, database }: Shelf,
  { progress, data }: Choosing,
  read: (chosen: Chosen) => Promise<T>,
): Promise<T> {
  await waitForBackup(backups);
  for (let attempt = 1; ; attempt++) {
    const label = (await completeBackups(backups, database)).at(-1);
    if (label === undefined)
      throw new DrillEnd("NoBackup", `the backup volume has no complete backup of ${database} yet`);
    progress.label = label;
    const from = join(backups, label);
    await rm(data, { recursive: true, force: true });
    try {
      return await read({ label, from });
    } catch (error) {
      const isThere = await exists(from);
      if (!isThere && attempt < mostAttempts) continue;
      throw isThere ? await endOfReading(error, data) : new DrillEnd("NoBackup", removed(attempt));
    }
  }
}

async function endOfReading(error: unknown, data: string): Promise<DrillEnd> {
  const finding = error instanceof ProgramFailed ? copyFindingOf(error) : "Interrupted";
  return endOf(error, finding, (await roomOn(dirname(data))).free);
}

/** One that runs is the newer one once it has ended, and does not have to share the volume. */
async function waitForBackup(backups: string): Promise<void> {
  const lock = volumeLock(backups);
  // the volume is mounted to be read: the file cannot be made here
  if (await exists(lock)) await withLock(lock, { isShared: true }, () => Promise.resolve());
}

/** How large the volume of the drill was asked to be, in bytes; undefined where that is not known. */
const askedBytes = (): number | undefined => Number(process.env["VERIFY_VOLUME_BYTES"] ?? "") || undefined;

/** Throws a DrillEnd where what takes up so many bytes would leave too little of a file system that others use as well. */
export async function leaveRoom(data: string, bytes: number, asked = askedBytes()): Promise<void> {
  const crowding = crowdingOf({ ...(await roomOn(dirname(data))), bytes, asked });
  if (crowding !== undefined) throw new DrillEnd("NoRoom", crowding);
}

/** Throws a DrillEnd where what was found cannot be restored here. */
export function requireFit(found: Found, misfit: Looked["misfit"]): void {
  const problem = problemOf(found);
  if (problem !== undefined) throw new DrillEnd(findingOf({ ...found, misfit }), problem);
}

/** Copies the files of one, where that is possible here. */
export async function copyChosen(copying: Copying, misfit: Looked["misfit"]): Promise<void> {
  const found = await lookAt(copying);
  requireFit(found, misfit);
  await leaveRoom(copying.to, found.bytes);
  await copyFiles(copying, found.bytes);
}
