// The newest backup as the files that a rehearsal converts: on a volume that goes with the pod.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups, volumeLock } from "../../backup-volume";
import { required } from "../../environment";
import { withLock } from "../../lock";
import { copyBackup, lookAt } from "../../restore/copy";
import { crowdingOf } from "../../verify/decide";
import { roomOn } from "../../volume/room";
import { majorOf, verifyCopy } from "../restore/files";
import type { Conversion } from "./conversion";
import { programOf } from "./reading";
import { Refusal } from "./refusal";

/** Copies it, in place of the files of member 0. Returns its label. */
export async function copyNewest({ places, from, database, log }: Conversion): Promise<string> {
  const { volume, former, work } = places;
  const backups = required("BACKUP_DIRECTORY");
  const asked = Number(process.env["UPGRADE_VOLUME_BYTES"] ?? "") || undefined;
  await mkdir(work);
  let label: string | undefined;
  await withLock(volumeLock(backups), { isShared: true }, async () => {
    label = await newestOf(backups, database, from);
    const path = join(backups, label);
    const copying = { label, from: path, to: former, backups, unfit: undefined, log };
    const { bytes } = await lookAt(copying);
    const crowding = crowdingOf({ ...(await roomOn(volume)), bytes, asked });
    if (crowding !== undefined) throw new Refusal(crowding);
    await copyBackup(copying);
    await verifyCopy(former, log, programOf(from, "pg_verifybackup"));
  });
  return label ?? "";
}

/** The newest one of a major version: there may be newer ones of the target, which was taken back. Throws where there is none. */
export async function newestOf(backups: string, database: string, major: string): Promise<string> {
  for (const label of (await completeBackups(backups, database)).reverse())
    if ((await majorOf(join(backups, label))) === major) return label;
  throw new Error(`the backup volume has no complete backup of ${database} with PostgreSQL ${major} yet`);
}
