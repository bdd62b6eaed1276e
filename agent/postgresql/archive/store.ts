// The WAL on the backup volume: complete segments, ends of streams and histories of timelines, in a directory per cluster, and within that what is being
// received. What is received stays there until it is complete and something follows it, as its program has it open.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, syncToDisk } from "../../disk";
import { withLock } from "../../lock";
import { nameOf, segmentBytes, segmentOf, type Segment } from "../backup/continuity";
import { ancestorsIn, type Wal } from "./lineage";
import { incomingIn, isHistory, isSegment, partialEnd } from "./names";

const namesIn = (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

/** What is there. `directory`: the cluster's. What is moved meanwhile is seen at least once. */
export async function walOf(directory: string): Promise<Wal> {
  const incoming = incomingIn(directory);
  const found = [await fullIn(incoming, await namesIn(incoming)), await fullIn(directory, await namesIn(directory))];
  const names = [...new Set(found.flat())].sort();
  const whole = names.filter(isSegment);
  const partial = names.flatMap((name) => partialOf(name) ?? []).filter((name) => !whole.includes(name));
  const histories = new Map<number, string>();
  for (const name of names.filter(isHistory)) histories.set(Number.parseInt(name, 16), await textIn(directory, name));
  return { whole, partial, histories };
}

/** Files whose size was found to be right, which stays so: a volume may have many thousands. */
const full = new Set<string>();

/** Without segments that have not their size: one is made before it has anything, and a server dies of it. */
async function fullIn(directory: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) if (isHistory(name) || (await isFull(directory, name))) found.push(name);
  return found;
}

async function isFull(directory: string, name: string): Promise<boolean> {
  if (!isSegment(name) && partialOf(name) === undefined) return false;
  const file = join(directory, name);
  if (full.has(file)) return true;
  const size = await sizeOf(file);
  if (size === segmentBytes && isSegment(name)) full.add(file);
  return size === segmentBytes;
}

const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  );

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
  // the program has left the end of a timeline when it has begun with the next one
  const isLeft = (name: string): boolean =>
    partialOf(name) !== undefined && open.some((one) => one.slice(0, 8) > name.slice(0, 8));
  const done = names.filter((name) => isOver || (isSegment(name) && isFollowed(name)) || isLeft(name));
  for (const name of done) {
    // nothing came, or its program ended while it made the file
    if (!isHistory(name) && (await sizeOf(join(incoming, name))) !== segmentBytes) {
      await rm(join(incoming, name));
      continue;
    }
    await rename(join(incoming, name), join(directory, name));
    if (isSegment(name)) await rm(join(directory, `${name}${partialEnd}`), { force: true });
  }
  if (done.length > 0) await syncToDisk(directory);
}

/** Has what was received so far on disk. */
export async function syncIncoming(directory: string): Promise<void> {
  const incoming = incomingIn(directory);
  for (const name of await namesIn(incoming))
    await syncToDisk(join(incoming, name)).catch((error: unknown) => {
      // it was complete just now, and its program has it on disk then
      if (!isMissing(error)) throw error;
    });
}

/**
 * Makes the program begin with this segment: it continues the one that is not complete, and of an empty one it gets all. What is there of its timeline
 * from there on is received again, and must not be taken for what comes. `lock`: held by what reads.
 */
export async function beginAt(directory: string, segment: Segment, lock: string): Promise<void> {
  const incoming = incomingIn(directory);
  await mkdir(incoming, { recursive: true });
  await settle(directory, true);
  const isStale = (name: string): boolean => {
    const found = segmentOf(name);
    return found?.timeline === segment.timeline && found.position >= segment.position;
  };
  await removeUnread(directory, (await namesIn(directory)).filter(isStale), lock);
  const name = `${nameOf(segment)}${partialEnd}`;
  // of another size it would be refused
  if ((await sizeOf(join(directory, name))) === segmentBytes) await rename(join(directory, name), join(incoming, name));
  else await writeFile(join(incoming, name), "");
}

const historyOf = (timeline: number): string => `${timeline.toString(16).toUpperCase().padStart(8, "0")}.history`;

/**
 * Keeps the histories that the primary has: without one of them no server finds its way from timeline to timeline. A member that was copied has not those
 * before it, which are the beginning of its own. Where one differs, another member had begun a timeline of that number, and what is kept of it is not the
 * primary's.
 */
export async function keepHistories(
  directory: string,
  histories: ReadonlyMap<number, string>,
  lock: string,
): Promise<void> {
  const newest = histories.get(Math.max(...histories.keys())) ?? "";
  for (const [timeline, text] of new Map([...ancestorsIn(newest), ...histories])) {
    const name = historyOf(timeline);
    const known = await textIn(directory, name).catch(() => undefined);
    if (known === text || (known !== undefined && !histories.has(timeline))) continue;
    if (known !== undefined) {
      const { whole, partial } = await walOf(directory);
      const foreign = [...whole, ...partial].filter((segment) => segment.startsWith(name.slice(0, 8)));
      await removeUnread(directory, foreign, lock);
    }
    const partial = join(directory, `.${name}`);
    await writeFile(partial, text);
    await syncToDisk(partial);
    await rename(partial, join(directory, name));
  }
  await syncToDisk(directory);
}

/** Throws where a restore reads. */
async function removeUnread(directory: string, names: readonly string[], lock: string): Promise<void> {
  if (names.length === 0) return;
  const refusal = "what is on the volume is not the primary's, and stays while a restore reads it";
  await withLock(lock, { refusal }, () => removeSegments(directory, names));
}

/** Removes segments, complete or not. */
export async function removeSegments(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const file of [name, `${name}${partialEnd}`]) {
      full.delete(join(directory, file));
      await rm(join(directory, file), { force: true });
    }
}
