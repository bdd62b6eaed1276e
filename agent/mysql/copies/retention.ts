// Which backups exist, and which of them to remove.
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups } from "../../backup-volume";
import { secondAfter, surplusOf, type Retention } from "../../backups";
import { groupOf, summaryOf } from "./manifest";

/** A complete backup. */
export interface Backup {
  readonly name: string;
  /** Of all its files. */
  readonly bytes: number;
  /** Its group; missing where that is unknown. */
  readonly group: string | undefined;
  /** When it was complete, as reports have it; missing where an earlier image took it. */
  readonly completedAt?: string;
}

/** Complete backups of a database, oldest first: looked at one by one, as there may be any number of files in all of them. */
export async function backupsIn(directory: string, database: string): Promise<Backup[]> {
  const found: Backup[] = [];
  for (const name of await completeBackups(directory, database)) found.push(await backupIn(directory, name));
  return found;
}

async function backupIn(directory: string, name: string): Promise<Backup> {
  const backup = join(directory, name);
  const summary = await summaryOf(backup);
  if (summary !== undefined) {
    const { bytes, group, copiedAt } = summary;
    return { name, bytes, group, ...(copiedAt !== undefined && { completedAt: secondAfter(copiedAt) }) };
  }
  return { name, bytes: await sizeOf(backup), group: await groupOf(backup) };
}

/** Of all files in a directory, in bytes. */
export async function sizeOf(directory: string): Promise<number> {
  let sum = 0;
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) sum += await sizeOf(path);
    else if (entry.isFile()) sum += (await stat(path)).size;
  }
  return sum;
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
