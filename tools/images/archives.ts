// Keeps the cache of built images from growing with every edit.
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

/** How many builds of one image stay, packed or unpacked: enough for a few clones of the project on different branches. */
export const keptBuilds = 4;

const RECORD = /^(.+)-[0-9a-f]{12}\.json$/;

/** Notes that a build is in use; `record` is its file with the extension json. */
export async function markUsed(record: string): Promise<void> {
  const now = new Date();
  await utimes(record, now, now);
}

/** Removes all builds of the image `name` in `directory` but those used last. */
export async function removeUnused(directory: string, name: string): Promise<void> {
  const records = (await readdir(directory)).filter((file) => RECORD.exec(file)?.[1] === name);
  const used = await Promise.all(
    records.map(async (file) => ({ path: join(directory, file), time: (await stat(join(directory, file))).mtimeMs })),
  );
  for (const { path } of used.sort((a, b) => b.time - a.time).slice(keptBuilds)) {
    // the record first: without it the archive counts as absent
    await rm(path, { force: true });
    await rm(path.replace(/json$/, "tar"), { force: true });
  }
}
