// The newest backup, copied onto the volume of the drill.
//
// No lock is held meanwhile: a backup that begins would give up. What retention removes in between is not damaged, it is gone, and then a newer
// one is there.
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { completeBackups, volumeLock } from "../../backup-volume";
import { exists } from "../../disk";
import { withLock } from "../../lock";
import { copyFiles, lookAt } from "../../restore/copy";
import { problemOf } from "../../restore/decide";
import { ProgramFailed } from "../../restore/output";
import { roomOn } from "../../volume/room";
import type { Log } from "../log";
import { unfitFor } from "../restore/decide";
import { majorOf, majorOfServer, verifyCopy } from "../restore/files";
import { copyFindingOf, crowdingOf, DrillEnd, endOf, findingOf, type Progress } from "./decide";

/** From where to where. */
export interface CopyArgs {
  /** Of the backup volume. */
  readonly backups: string;
  /** Name of the Database. */
  readonly database: string;
  /** The data directory that comes to be. */
  readonly to: string;
  /** How large its volume was asked to be, in bytes; undefined where that is not known. */
  readonly asked?: number | undefined;
  readonly progress: Progress;
  readonly log: Log;
}

/** How often a backup may go while it is copied. */
const mostAttempts = 3;

/** See the header. Returns how many milliseconds it took. Throws a DrillEnd where it cannot be done. */
export async function copyNewest(args: CopyArgs): Promise<number> {
  const { backups, database, to, progress } = args;
  await waitForBackup(backups);
  for (let attempt = 1; ; attempt++) {
    const label = (await completeBackups(backups, database)).at(-1);
    if (label === undefined)
      throw new DrillEnd("NoBackup", `the backup volume has no complete backup of ${database} yet`);
    progress.label = label;
    await rm(to, { recursive: true, force: true });
    const began = Date.now();
    try {
      await copy(join(backups, label), args);
      return Date.now() - began;
    } catch (error) {
      const isThere = await exists(join(backups, label));
      if (!isThere && attempt < mostAttempts) continue;
      throw isThere ? await endOfCopy(error, to) : new DrillEnd("NoBackup", removed(attempt));
    }
  }
}

const removed = (count: number): string => `${count} backups were removed while they were copied: try it again`;

async function endOfCopy(error: unknown, to: string): Promise<DrillEnd> {
  const finding = error instanceof ProgramFailed ? copyFindingOf(error) : "Interrupted";
  return endOf(error, finding, (await roomOn(dirname(to))).free);
}

/** One that runs is the newer one once it has ended, and does not have to share the volume. */
async function waitForBackup(backups: string): Promise<void> {
  const lock = volumeLock(backups);
  // the volume is mounted to be read: the file cannot be made here
  if (await exists(lock)) await withLock(lock, { isShared: true }, () => Promise.resolve());
}

async function copy(from: string, { to, asked, log }: CopyArgs): Promise<void> {
  const label = basename(from);
  const [major, serverMajor] = [await majorOf(from), await majorOfServer()];
  const copying = { label, from, to, backups: dirname(from), unfit: unfitFor(label, major, serverMajor), log };
  const found = await lookAt(copying);
  const problem = problemOf(found);
  if (problem !== undefined) throw new DrillEnd(findingOf({ ...found, major, serverMajor }), problem);
  const room = await roomOn(dirname(to));
  const crowding = crowdingOf({ ...room, bytes: found.bytes, asked });
  if (crowding !== undefined) throw new DrillEnd("NoRoom", crowding);
  await copyFiles(copying, found.bytes);
  await verifyCopy(to, log);
}
