// The complete backups of a cluster on the volume, which WAL leads on from.
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups } from "../../backup-volume";
import { secondAfter } from "../../backups";
import { nameOf, segmentAt, type Segment } from "../backup/continuity";
import type { End } from "./lineage";

/** A backup. */
export interface Base {
  readonly label: string;
  /** When its copy was whole; RFC 3339, never before it. */
  readonly completedAt: string;
  /** Where its WAL begins. */
  readonly first: Segment;
  /** Where its own WAL ends: from there on WAL leads on. */
  readonly end: End;
  /** The name of that, which decides continuity. */
  readonly firstSegment: string;
}

/** How much of its manifest is read: what names its WAL is at the end. */
const tailBytes = 4_096;

/** What does not change of one, by its directory. */
const known = new Map<string, { readonly cluster: string; readonly base: Base }>();

/** From old to new. One that does not say enough is none: no WAL leads on from it. */
export async function basesOf(backups: string, database: string, cluster: string): Promise<Base[]> {
  const all = await Promise.all((await completeBackups(backups, database)).map((label) => read(backups, label)));
  return all.flatMap((found) => (found?.cluster === cluster ? [found.base] : []));
}

/** The clusters of which there are backups. Undefined where that of one cannot be told. */
export async function clustersOf(backups: string, database: string): Promise<ReadonlySet<string> | undefined> {
  const labels = await completeBackups(backups, database);
  const clusters = await Promise.all(labels.map((label) => clusterOf(join(backups, label))));
  return clusters.includes(undefined) ? undefined : new Set(clusters.filter((cluster) => cluster !== undefined));
}

async function read(backups: string, label: string): Promise<{ cluster: string; base: Base } | undefined> {
  const directory = join(backups, label);
  const before = known.get(directory);
  if (before !== undefined) return before;
  const [cluster, wal] = [await clusterOf(directory), await walOf(directory)];
  if (cluster === undefined || wal === undefined) return undefined;
  const found = { cluster, base: { label, ...wal, firstSegment: nameOf(wal.end) } };
  known.set(directory, found);
  return found;
}

/** The system identifier is what pg_control begins with; undefined where it cannot be read. */
export const clusterOf = (directory: string): Promise<string | undefined> =>
  readFile(join(directory, "global", "pg_control")).then(
    (control) => control.readBigUInt64LE().toString(),
    () => undefined,
  );

/** Undefined where it does not say. What its manifest, which is written when the copy is whole, says of its WAL. */
export async function walOf(directory: string): Promise<Pick<Base, "first" | "end" | "completedAt"> | undefined> {
  const manifest = join(directory, "backup_manifest");
  const found = await stat(manifest).catch(() => undefined);
  if (found === undefined) return undefined;
  const ranges = rangesIn(await endOf(manifest, found.size));
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    first: { timeline: first.timeline, position: segmentAt(first.start) },
    end: { timeline: last.timeline, position: segmentAt(last.end), lsn: last.end },
    completedAt: secondAfter(found.mtime.toISOString()),
  };
}

async function endOf(file: string, size: number): Promise<string> {
  const handle = await open(file);
  try {
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** By timeline, from the oldest on. */
export const rangesIn = (manifest: string): { timeline: number; start: string; end: string }[] =>
  [
    ...manifest.matchAll(
      /\{\s*"Timeline":\s*(\d+),\s*"Start-LSN":\s*"([0-9A-F]+\/[0-9A-F]+)",\s*"End-LSN":\s*"([0-9A-F]+\/[0-9A-F]+)"/g,
    ),
  ]
    .map(([, timeline = "", start = "", end = ""]) => ({ timeline: Number(timeline), start, end }))
    .sort((one, other) => one.timeline - other.timeline);
