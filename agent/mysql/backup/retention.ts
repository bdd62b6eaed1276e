// Which backups exist, and which of them to remove.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups } from "../../backup-volume";
import { surplusOf, type Retention } from "../../backups";
import { filesIn, groupOf } from "./manifest";

/** A complete backup. */
export interface Backup {
  readonly name: string;
  /** Of all its files. */
  readonly bytes: number;
  /** Its group; missing where that is unknown. */
  readonly group: string | undefined;
}

/** Complete backups of a database, oldest first. */
export async function backupsIn(directory: string, database: string): Promise<Backup[]> {
  const names = await completeBackups(directory, database);
  return Promise.all(names.map((name) => backupIn(directory, name)));
}

async function backupIn(directory: string, name: string): Promise<Backup> {
  const backup = join(directory, name);
  const files = await filesIn(backup);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(backup, file))).size));
  return { name, bytes: sizes.reduce((sum, size) => sum + size, 0), group: await groupOf(backup) };
}

/** Which of `backups` to remove: the oldest of the group of the newest, never that one itself, nor one that is kept. */
export function surplus(backups: readonly Backup[], wanted: Retention): string[] {
  const group = backups.find(({ name }) => name === wanted.newest)?.group;
  if (group === undefined) return [];
  return surplusOf(
    backups.filter((backup) => backup.group === group).map(({ name }) => name),
    wanted,
  );
}

/** A line for people on each backup. */
export function listOf(backups: readonly Backup[], group: string): string[] {
  return backups.map((backup) => {
    const size = `${(backup.bytes / 1024 ** 2).toFixed(1)} MiB`;
    if (backup.group === group) return `  ${backup.name}  ${size}`;
    const why = backup.group === undefined ? "of an unknown group" : `of another group, ${backup.group}`;
    return `  ${backup.name}  ${size}  (${why}: kept until you remove it)`;
  });
}
