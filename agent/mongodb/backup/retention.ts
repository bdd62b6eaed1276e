// What a backup is of, and which of them are too many.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { complete, completeBackups, removeBackup } from "../../backup-volume";
import { surplusOf, type Retention } from "../../backups";
import { syncToDisk } from "../../disk";
import { log } from "../../log";

/** What a backup says of itself, beside its archive. */
const About = z.object({
  /** Tells replica sets apart; missing where the server has none. */
  set: z.string().optional(),
});
export type About = z.infer<typeof About>;

/** Names of what a backup's directory holds. */
export const archiveName = "dump.archive.gz";
const aboutName = "about.json";

/** Makes the backup `name` of the archive that `dump` writes to that path, and returns what that does. */
export const completeOf = <T>(
  directory: string,
  name: string,
  about: About,
  dump: (archive: string) => Promise<T>,
): Promise<T> =>
  complete(directory, name, async (partial) => {
    const [archive, note] = [join(partial, archiveName), join(partial, aboutName)];
    const dumped = await dump(archive);
    await writeFile(note, JSON.stringify(about));
    for (const file of [archive, note]) await syncToDisk(file);
    return dumped;
  });

/**
 * Removes the oldest backups of this set beyond those that are wanted, and returns what is left of the set. Those of another set, made over a
 * kept volume, stay.
 */
export async function prune(directory: string, database: string, about: About, wanted: Retention): Promise<string[]> {
  const all = await completeBackups(directory, database);
  const own: string[] = [];
  for (const name of all) if ((await aboutOf(directory, name))?.set === about.set) own.push(name);
  const surplus = surplusOf(own, wanted);
  for (const name of surplus) {
    log("removing an old backup", { name });
    await removeBackup(directory, name);
  }
  return own.filter((name) => !surplus.includes(name));
}

/** Undefined where it cannot be read: such a backup has no known owner, and is not removed. */
async function aboutOf(directory: string, name: string): Promise<About | undefined> {
  const text = await readFile(join(directory, name, aboutName), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return About.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
