// The newest backup as the files that a rehearsal converts: on a volume that goes with the pod.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups, volumeLock } from "../../backup-volume";
import { required } from "../../environment";
import { withLock } from "../../lock";
import { copyBackup } from "../../restore/copy";
import { majorOf, verifyCopy } from "../restore/files";
import { unfitFor } from "../restore/decide";
import type { Conversion } from "./convert";
import { programOf } from "./reading";

/** Copies it, in place of the files of member 0. Returns its label. */
export async function copyNewest({ places: { former, work }, from, log }: Conversion): Promise<string> {
  const backups = required("BACKUP_DIRECTORY");
  const database = required("DATABASE_NAME");
  await mkdir(work);
  let label: string | undefined;
  await withLock(volumeLock(backups), { isShared: true }, async () => {
    label = (await completeBackups(backups, database)).at(-1);
    if (label === undefined) throw new Error(`the backup volume has no complete backup of ${database} yet`);
    const path = join(backups, label);
    const unfit = unfitFor(label, await majorOf(path), from);
    await copyBackup({ label, from: path, to: former, backups, unfit, log });
    await verifyCopy(former, log, programOf(from, "pg_verifybackup"));
  });
  return label ?? "";
}
