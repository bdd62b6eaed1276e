// The backup volume: complete backups are directories named <database>-<time>, all others begin with a dot.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
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

/** The name of a backup of `database` that begins now. */
export const backupName = (database: string, now: Date): string =>
  `${database}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;

/** Complete backups of the database, oldest first: their names sort by time. */
export async function completeBackups(directory: string, database: string): Promise<string[]> {
  const pattern = new RegExp(`^${database}-\\d{8}T\\d{6}Z$`);
  return (await readdir(directory)).filter((name) => pattern.test(name)).sort();
}

/** Removes the leftovers of aborted runs. */
export async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(".partial-") && !name.startsWith(".removed-")) continue;
    log("removing the leftovers of an aborted run", { name });
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Makes the backup `name` of what `fill` puts into its directory. It gets its name only when it is complete and on disk. */
export async function complete(
  directory: string,
  name: string,
  about: About,
  fill: (partial: string) => Promise<void>,
): Promise<void> {
  const partial = join(directory, `.partial-${name}`);
  await mkdir(partial);
  try {
    await fill(partial);
    await writeFile(join(partial, aboutName), JSON.stringify(about));
    for (const file of [archiveName, aboutName]) await syncToDisk(join(partial, file));
    await rename(partial, join(directory, name));
    await syncToDisk(directory);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the oldest backups of this set beyond the last `retention`. Those of another set, made over a kept volume, stay. */
export async function prune(directory: string, database: string, about: About, retention: number): Promise<void> {
  const all = await completeBackups(directory, database);
  const own: string[] = [];
  for (const name of all) if ((await aboutOf(directory, name))?.set === about.set) own.push(name);
  for (const name of own.slice(0, Math.max(0, own.length - retention))) {
    log("removing an old backup", { name });
    // without its first removed file it is no longer a backup
    await rename(join(directory, name), join(directory, `.removed-${name}`));
    await rm(join(directory, `.removed-${name}`), { recursive: true, force: true });
  }
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

/** Does the work while no other backup runs on the volume. Throws where one does. */
export async function withVolume(directory: string, work: () => Promise<void>): Promise<void> {
  // the lock is that of a program which waits for its input to end, and so ends with this one in any case
  const child = spawn("flock", ["--nonblock", join(directory, ".lock"), "cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const held = once(child.stdout, "data").then(() => true);
  const refused = once(child, "close").then(() => false);
  child.stdin.on("error", () => undefined);
  child.stdin.write("held\n");
  if (!(await Promise.race([held, refused]))) {
    throw new Error("another backup is running on this volume: wait for it to end");
  }
  try {
    await work();
  } finally {
    child.stdin.end();
    await refused;
  }
}
