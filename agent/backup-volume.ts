// The backup volume: complete backups are directories named <database>-<time>, all others begin with a dot.
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { exists, syncToDisk } from "./disk";
import { withLock } from "./lock";
import { log } from "./log";

/** The name of a backup of `database` that begins now. */
export const backupName = (database: string, now: Date): string =>
  `${database}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;

/** Names of the complete backups of the database, oldest first: they sort by time. */
export async function completeBackups(directory: string, database: string): Promise<string[]> {
  const pattern = new RegExp(`^${database}-\\d{8}T\\d{6}Z$`);
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() && pattern.test(entry.name) ? [entry.name] : [])).sort();
}

/** Removes the leftovers of aborted runs. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(".partial-") && !name.startsWith(".removed-")) continue;
    log("removing the leftovers of an aborted run", { name });
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Makes the backup `name` of what `fill` puts into its directory, and returns what that does. It gets its name only when it is complete and on disk. */
export async function complete<T>(directory: string, name: string, fill: (partial: string) => Promise<T>): Promise<T> {
  const partial = join(directory, `.partial-${name}`);
  await mkdir(partial);
  try {
    const made = await fill(partial);
    await syncToDisk(partial);
    await rename(partial, join(directory, name));
    await syncToDisk(directory);
    return made;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Removes a backup. Without its name, which goes first, it is no longer one, however much of it is left. */
export async function removeBackup(directory: string, name: string): Promise<void> {
  const doomed = join(directory, `.removed-${name}`);
  await rename(join(directory, name), doomed);
  await rm(doomed, { recursive: true, force: true });
}

/** Held, in a file of the volume, by a program that changes what is on it. */
export const volumeLock = (directory: string): string => join(directory, ".lock");

/** Does the work while no program changes what is on the volume: on a copy of one there may be no lock, and then there is no such program. */
export const readingVolume = async (directory: string, work: () => Promise<void>): Promise<void> =>
  (await exists(volumeLock(directory))) ? withLock(volumeLock(directory), { isShared: true }, work) : work();

/** Does the work while no other backup runs on the volume. Throws where one does. */
export const withVolume = (directory: string, work: () => Promise<void>): Promise<void> =>
  withLock(
    volumeLock(directory),
    { refusal: "another backup, or a restore of one, is running on this volume: wait for it to end" },
    work,
  );
