// Looks through the WAL on the volume: removes what has to go, and tells what there is.
import { readdir, rm, writeFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ArchiveNote } from "../../../contract/archive-note";
import { secondOf } from "../../backups";
import { readNote, writeNote } from "../../json-file";
import { LockRefused, withLock } from "../../lock";
import { log } from "../../log";
import { output } from "../../restore/output";
import { roomOn } from "../../volume/room";
import { basesOf, clustersOf, type Base } from "./bases";
import { countOf, givingWay, missingBytes, standingOf, unneeded, type Volume } from "./decide";
import { clusterDirectory, earliestIn, walIn, walLock } from "./names";
import { removeSegments, walOf } from "./store";

/** Where, and what counts. */
export interface TidyingArgs extends Omit<Volume, "bases"> {
  readonly backups: string;
  readonly database: string;
  readonly cluster: string;
  /** How many segments there were at the last look; undefined at the first. */
  readonly before: number | undefined;
  /** Whether all that the primary had has come: until then what seems to be missing may be on its way. */
  readonly isSettled: boolean;
}

/** What there is afterwards. */
export interface Tidied {
  readonly from: Base | undefined;
  readonly gap: ArchiveNote["gap"] | undefined;
  readonly bases: readonly Base[];
  readonly count: number;
  /** Bytes that are missing for the next backup; negative where there is more. */
  readonly missing: number;
}

/** See the header. */
export async function tidy(
  args: TidyingArgs,
  room: (directory: string) => Promise<{ free: number }> = roomOn,
): Promise<Tidied> {
  const { backups, database, cluster, before } = args;
  const directory = clusterDirectory(backups, cluster);
  const bases = await basesOf(backups, database, cluster);
  const found = await walOf(directory);
  const arrived = before === undefined ? 0 : Math.max(0, countOf(found) - before);
  const volume = { ...args, bases, arrived, free: await freeOn(backups, room) };
  const doomed = [...new Set([...unneeded(found, volume), ...givingWay(found, volume)])];
  await removing(backups, async () => {
    await removeSegments(directory, doomed);
    if (doomed.length > 0) log("WAL removed", { from: doomed[0] ?? "", to: doomed.at(-1) ?? "" });
    await forgetOthers(args);
  });
  const wal = await walOf(directory);
  const { from, hole } = standingOf(bases, wal);
  const gap = await gapOf(directory, hole, args.isSettled);
  await noteEarliest(directory, gap === undefined ? from?.completedAt : undefined);
  return {
    ...{ from, gap, bases, count: countOf(wal) },
    missing: missingBytes({ ...volume, free: await freeOn(backups, room) }),
  };
}

/** Removes while no restore reads. */
async function removing(backups: string, work: () => Promise<void>): Promise<void> {
  try {
    await withLock(walLock(backups), { refusal: "a restore reads the WAL" }, work);
  } catch (error) {
    if (!(error instanceof LockRefused)) throw error;
  }
}

/** With what is being written of a backup: that has its room already. */
async function freeOn(backups: string, room: (directory: string) => Promise<{ free: number }>): Promise<number> {
  const { free } = await room(backups);
  let sum = free;
  for (const name of await readdir(backups))
    if (name.startsWith(".partial-"))
      sum += Number(
        (await output("du", ["--summarize", "--block-size=1", join(backups, name)]).catch(() => "0")).split("\t")[0],
      );
  return sum;
}

const holeNote = "hole.json";
const Hole = z.object({ segment: z.string(), at: z.string() });

/** Since when it is known: the backup that closes it is named after that. */
async function gapOf(directory: string, segment: string | undefined, isSettled: boolean): Promise<ArchiveNote["gap"]> {
  const file = join(directory, holeNote);
  if (segment === undefined) {
    await rm(file, { force: true });
    return undefined;
  }
  const known = await readNote(file, Hole);
  if (known?.segment === segment) return known;
  if (!isSettled) return undefined;
  const found = { segment, at: secondOf(new Date()) };
  await writeNote(directory, holeNote, found);
  return found;
}

async function noteEarliest(directory: string, time: string | undefined): Promise<void> {
  const file = earliestIn(directory);
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (time === known) return;
  if (time === undefined) await rm(file, { force: true });
  else await writeFile(file, time);
}

/** WAL of a cluster that the volume's Database was before goes with its last backup: until then a second try needs it. */
async function forgetOthers({ backups, database, cluster }: TidyingArgs): Promise<void> {
  const backedUp = await clustersOf(backups, database);
  if (backedUp === undefined) return;
  for (const other of await readdir(walIn(backups))) {
    if (other === cluster || other.startsWith(".") || backedUp.has(other)) continue;
    log("the WAL of a former cluster is removed", { cluster: other });
    await rm(clusterDirectory(backups, other), { recursive: true, force: true });
  }
}
