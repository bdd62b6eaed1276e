// How WAL that was kept beside a backup on its volume is replayed.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../disk";
import { withLock } from "../../lock";
import { clusterOf, walOf as walOfBackup } from "../archive/bases";
import { livingIn, type Wal } from "../archive/lineage";
import { clusterDirectory, walLock } from "../archive/names";
import { walOf } from "../archive/store";
import { nameOf, segmentOf, segmentsIn } from "../backup/continuity";
import type { Log } from "../log";
import type { Until } from "./choice";
import { places } from "./recovery";
import { recoveryFrom, type Recovery, type Replayed } from "./replaying";

/** The file that gets the names of what was not there. */
const missing = "/tmp/missing-wal";

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
  const isBehind = ({ position }: { position: number }): boolean => end !== undefined && position >= end.position;
  if (end === undefined || !segmentsIn(namesOf(await walOf(directory))).some(isBehind)) {
    if (until.kind !== "moment") return undefined;
    throw new Error(
      `${places.volume.name} has no WAL behind ${label}: create the Database again without pointInTime, or with a moment of another backup`,
    );
  }
  await rm(missing, { force: true });
  const source = {
    command: `wal-fetch ${directory} ${missing} "%f" "%p"`,
    environment: {},
    missing,
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

/** A name per line. */
const namesOf = (wal: Wal, ofWhole = false): string =>
  [
    livingIn(wal, ofWhole),
    ...[...wal.histories.keys()].map((timeline) => `${nameOf({ timeline, position: 0 }).slice(0, 8)}.history`),
  ].join("\n");

/** Does the work while no WAL is removed. */
export const readingWal = async (backups: string, work: () => Promise<void>): Promise<void> =>
  (await exists(walLock(backups))) ? withLock(walLock(backups), { isShared: true }, work) : work();
