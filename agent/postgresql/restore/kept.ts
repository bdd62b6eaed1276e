// How WAL that was kept beside a backup on its volume is replayed.
import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeBackups } from "../../backup-volume";
import { exists } from "../../disk";
import { withLock } from "../../lock";
import { clusterOf, walOf as walOfBackup } from "../archive/bases";
import { isLivingAt, livingIn, type End, type Wal } from "../archive/lineage";
import { positionOf } from "../archive/lsn";
import { clusterDirectory, incomingIn, partialEnd, walLock } from "../archive/names";
import { walOf } from "../archive/store";
import { nameOf, segmentBytes, segmentOf, segmentsIn, type Segment } from "../backup/continuity";
import type { Log } from "../log";
import type { Until } from "./choice";
import { places } from "./recovery";
import { recoveryFrom, type Recovery, type Replayed } from "./replaying";

/** What is there for the server, and the file that gets the names of what was not. */
const files = { there: "/tmp/wal-there", missing: "/tmp/missing-wal" };

/** What is replayed, behind which backup. */
export interface Behind extends Replayed {
  readonly backups: string;
  readonly label: string;
  readonly until: Until;
}

/** Undefined where there is none behind it, and no moment was asked for. Throws where a moment was. */
export async function recoveryOnVolume(
  { backups, label, until, isBounded }: Behind,
  log: Log,
): Promise<Recovery | undefined> {
  const directory = clusterDirectory(backups, (await clusterOf(join(backups, label))) ?? "");
  const end = (await walOfBackup(join(backups, label)))?.end;
  const wal = await walOf(directory);
  const isBehind = ({ position }: { position: number }): boolean => end !== undefined && position >= end.position;
  if (end === undefined || !isLivingAt(end, wal) || !segmentsIn(namesOf(wal)).some(isBehind)) {
    if (until.kind !== "moment") return undefined;
    throw new Error(
      `${places.volume.name} has no WAL behind ${label}: create the Database again without pointInTime, or with a moment of another backup`,
    );
  }
  await rm(files.missing, { force: true });
  await writeFile(
    files.there,
    `${(await servedOf({ directory, backup: join(backups, label), end }, wal)).join("\n")}\n`,
  );
  const source = {
    command: `wal-fetch ${directory} ${files.there} ${files.missing} "%f" "%p"`,
    environment: {},
    missing: files.missing,
    first: nameOf(end),
    place: places.volume,
    archived: async () => namesOf(await walOf(directory)),
    // what is not complete ends anywhere
    complete: async () => namesOf(await walOf(directory), true),
    // all before that is in the backup
    isNeeded: (segment: string) => isBehind(segmentOf(segment) ?? end),
  };
  return recoveryFrom({ until, ...(isBounded && { isBounded }) }, source, log);
}

/** The WAL of one cluster, and a backup of it. */
interface Places {
  readonly directory: string;
  readonly backup: string;
  readonly end: End;
}

/**
 * What the server may have: what is history, from the segment on that the backup ends in. Where a segment is not there it would take that of a former
 * timeline, whatever its writer made of it, and it takes what is there rather than the whole one that the backup has.
 */
export async function servedOf({ directory, backup, end }: Places, wal: Wal): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of namesOf(wal).split("\n")) {
    const segment = segmentOf(name);
    if (segment !== undefined && segment.position < end.position) continue;
    if (segment?.position === end.position && !(await hasAllOf(end, { directory, backup }, segment))) continue;
    found.push(name);
  }
  return found;
}

/** Whether the segment has what the backup's own has of it up to its end. */
async function hasAllOf(end: End, places: Omit<Places, "end">, segment: Segment): Promise<boolean> {
  const bytes = Number(positionOf(end.lsn) % BigInt(segmentBytes));
  const own = await beginningOf(join(places.backup, "pg_wal", nameOf(end)), bytes);
  // it ends with the segment before
  if (bytes === 0 || own === undefined) return true;
  const name = nameOf(segment);
  for (const place of [places.directory, incomingIn(places.directory)])
    for (const file of [name, `${name}${partialEnd}`]) {
      const kept = await beginningOf(join(place, file), bytes);
      if (kept !== undefined) return kept.equals(own);
    }
  return false;
}

/** Undefined where there is no such file. */
async function beginningOf(file: string, bytes: number): Promise<Buffer | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * A backup from which WAL leads to the end: this one, or the newest before it. One that was copied from a former primary may have what its successor did
 * not know of.
 */
export async function livingLabel(backups: string, label: string, log: Log): Promise<string> {
  const cluster = await clusterOf(join(backups, label));
  const wal = await walOf(clusterDirectory(backups, cluster ?? ""));
  const labels = await completeBackups(backups, label.replace(/-\d{8}T\d{6}Z$/, ""));
  for (const one of labels.filter((each) => each <= label).reverse()) {
    const isOwn = one === label || (await clusterOf(join(backups, one))) === cluster;
    const end = (await walOfBackup(join(backups, one)))?.end;
    if (!isOwn || (end !== undefined && !isLivingAt(end, wal))) continue;
    if (one !== label) log(`${label} has what is history no more since another member became primary: ${one} is taken`);
    return one;
  }
  throw new Error(
    `${label} has what is history no more since another member became primary, and there is no backup before it: create the Database again with restore.backup, which takes no WAL in`,
  );
}

/** A name per line. */
const namesOf = (wal: Wal, ofWhole = false): string =>
  [
    livingIn(wal, ofWhole),
    ...[...wal.histories.keys()].map((timeline) => `${nameOf({ timeline, position: 0 }).slice(0, 8)}.history`),
  ].join("\n");

/** Does the work while no WAL is removed. */
export const readingWal = async (backups: string, work: () => Promise<void>): Promise<void> =>
  (await exists(walLock(backups))) ? withLock(walLock(backups), { isShared: true }, work) : work();
