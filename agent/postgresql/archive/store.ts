// The WAL on the backup volume: complete segments, ends of streams and histories of timelines, in a directory per cluster, and within that what is being
// received. What is received stays there until it is complete and something follows it, as its program has it open.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncToDisk } from "../../disk";
import { nameOf, segmentBytes, type Segment } from "../backup/continuity";
import type { Wal } from "./lineage";
import { incomingIn, isHistory, isSegment, partialEnd } from "./names";

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

/** What is there. `directory`: the cluster's. */
export async function walOf(directory: string): Promise<Wal> {
  const names = [...new Set([...(await namesIn(directory)), ...(await namesIn(incomingIn(directory)))])].sort();
  const whole = names.filter(isSegment);
  const partial = names.flatMap((name) => partialOf(name) ?? []).filter((name) => !whole.includes(name));
  const histories = new Map<number, string>();
  for (const name of names.filter(isHistory)) histories.set(Number.parseInt(name, 16), await textIn(directory, name));
  return { whole, partial, histories };
}

const partialOf = (name: string): string | undefined =>
  name.endsWith(partialEnd) && isSegment(name.slice(0, -partialEnd.length))
    ? name.slice(0, -partialEnd.length)
    : undefined;

const textIn = (directory: string, name: string): Promise<string> =>
  readFile(join(directory, name), "utf8").catch(() => readFile(join(incomingIn(directory), name), "utf8"));

/** Takes out of what is being received what is complete. `isOver`: whether its program has ended. */
export async function settle(directory: string, isOver: boolean): Promise<void> {
  const incoming = incomingIn(directory);
  const names = await namesIn(incoming);
  const open = names.flatMap((name) => partialOf(name) ?? []);
  const isFollowed = (name: string): boolean => open.some((one) => one > name);
  const done = names.filter((name) => isOver || (isSegment(name) && isFollowed(name)));
  for (const name of done) {
    // nothing came
    if ((await stat(join(incoming, name))).size === 0) {
      await rm(join(incoming, name));
      continue;
    }
    await rename(join(incoming, name), join(directory, name));
    if (isSegment(name)) await rm(join(directory, `${name}${partialEnd}`), { force: true });
  }
  if (done.length > 0) await syncToDisk(directory);
}

/** Makes the program begin with this segment: it continues the one that is not complete, and of an empty one it gets all. */
export async function beginAt(directory: string, segment: Segment): Promise<void> {
  const incoming = incomingIn(directory);
  await mkdir(incoming, { recursive: true });
  await settle(directory, true);
  const name = `${nameOf(segment)}${partialEnd}`;
  const size = await stat(join(directory, name)).then(
    (found) => found.size,
    () => undefined,
  );
  // of another size it would be refused
  if (size === segmentBytes) await rename(join(directory, name), join(incoming, name));
  else await writeFile(join(incoming, name), "");
}

/**
 * Keeps the histories that the primary has: without one of them no server finds its way from timeline to timeline. Where one differs, another member had
 * begun a timeline of that number, and what is kept of it is not the primary's.
 */
export async function keepHistories(directory: string, histories: ReadonlyMap<number, string>): Promise<void> {
  for (const [timeline, text] of histories) {
    const name = `${timeline.toString(16).toUpperCase().padStart(8, "0")}.history`;
    const known = await textIn(directory, name).catch(() => undefined);
    if (known === text) continue;
    if (known !== undefined) {
      const { whole, partial } = await walOf(directory);
      await removeSegments(
        directory,
        [...whole, ...partial].filter((segment) => segment.startsWith(name.slice(0, 8))),
      );
    }
    const partial = join(directory, `.${name}`);
    await writeFile(partial, text);
    await syncToDisk(partial);
    await rename(partial, join(directory, name));
  }
  await syncToDisk(directory);
}

/** Removes segments, complete or not. */
export async function removeSegments(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const file of [name, `${name}${partialEnd}`]) await rm(join(directory, file), { force: true });
}
