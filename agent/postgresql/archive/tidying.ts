// Looks through the WAL on the volume: removes what has to go, and tells what there is.
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ArchiveNote } from "../../../contract/archive-note";
import { secondOf } from "../../backups";
import { readNote, writeNote } from "../../json-file";
import { LockRefused, withLock } from "../../lock";
import { log, textOf } from "../../log";
import { roomOn } from "../../volume/room";
import { basesOf, clustersOf, type Base } from "./bases";
import { countOf, givingWay, missingBytes, standingOf, unneeded, type Volume } from "./decide";
import { clusterDirectory, earliestIn, walIn, walLock } from "./names";
import type { Sizes } from "./sizes";
import { removeSegments, walOf } from "./store";

/** Where, and what counts. */
export interface TidyingArgs extends Omit<Volume, "bases" | "sizes"> {
  readonly backups: string;
  readonly database: string;
  readonly cluster: string;
  readonly sizes: Pick<Sizes, "of">;
  /** What there was at the last look; undefined at the first. */
  readonly before: Pick<Tidied, "count" | "gap"> | undefined;
  /** Whether all that the primary had has come: until then what seems to be missing may be on its way. */
  readonly isSettled: boolean;
}

/** What there is afterwards. */
export interface Tidied {
  readonly from: Base | undefined;
  readonly gap: ArchiveNote["gap"] | undefined;
  readonly count: number;
  /** Bytes that are missing for the next backup; negative where there is more. */
  readonly missing: number;
  /** Why something of it could not be noted on the volume; undefined where all was. */
  readonly problem: string | undefined;
}

type Room = (directory: string) => Promise<{ free: number }>;

/** See the header. */
export async function tidy(args: TidyingArgs, room: Room = roomOn): Promise<Tidied> {
  const { backups, database, cluster, before } = args;
  const directory = clusterDirectory(backups, cluster);
  const bases = await basesOf(backups, database, cluster);
  const found = await walOf(directory);
  const arrived = before === undefined ? 0 : Math.max(0, countOf(found) - before.count);
  const sizes = await args.sizes.of(
    directory,
    backups,
    bases.map(({ label }) => label),
  );
  const isBackingUp = (await readdir(backups)).some((name) => name.startsWith(".partial-"));
  const volume = { ...args, bases, sizes, arrived, isBackingUp, free: (await room(backups)).free };
  const doomed = [...new Set([...unneeded(found, volume), ...givingWay(found, volume)])];
  await whileNoneReads(backups, async () => {
    await removeSegments(directory, doomed);
    if (doomed.length > 0) log("WAL removed", { from: doomed[0] ?? "", to: doomed.at(-1) ?? "" });
    await forgetOthers(args);
  });
  const wal = await walOf(directory);
  const missing = missingBytes({ ...volume, free: (await room(backups)).free });
  const { from, hole } = standingOf(bases, wal);
  // a full volume takes no notes, and that it is full counts all the more
  const notes = [
    await gapOf(directory, hole, args),
    args.isSettled ? { problem: await problemOf(noteEarliest(directory, from?.completedAt ?? "")) } : {},
  ] as const;
  const problem = notes[0].problem ?? notes[1].problem;
  return { from, gap: notes[0].gap, count: countOf(wal), missing, problem };
}

/** Removes while no restore reads. */
export async function whileNoneReads(backups: string, work: () => Promise<void>): Promise<void> {
  try {
    await withLock(walLock(backups), { refusal: "a restore reads the WAL" }, work);
  } catch (error) {
    if (!(error instanceof LockRefused)) throw error;
  }
}

const problemOf = (work: Promise<void>): Promise<string | undefined> => work.then(() => undefined, textOf);

const holeNote = "hole.json";
const Hole = z.object({ segment: z.string(), at: z.string() });

interface Noted {
  readonly gap?: ArchiveNote["gap"];
  readonly problem?: string | undefined;
}

/** Since when it is known: the backup that closes it is named after that. */
async function gapOf(
  directory: string,
  segment: string | undefined,
  { before, isSettled }: Pick<TidyingArgs, "before" | "isSettled">,
): Promise<Noted> {
  const file = join(directory, holeNote);
  if (segment === undefined) return { problem: await problemOf(rm(file, { force: true })) };
  // a note that is damaged is written again
  const noted = await readNote(file, Hole).catch(() => undefined);
  if (noted?.segment === segment) return { gap: noted };
  const known = before?.gap?.segment === segment ? before.gap : undefined;
  if (known === undefined && !isSettled) return {};
  const gap = known ?? { segment, at: secondOf(new Date()) };
  return { gap, problem: await problemOf(writeNote(directory, holeNote, gap)) };
}

/** Each time, as the program of backup Jobs takes one that is old for nothing: the stream may have been away since. */
async function noteEarliest(directory: string, time: string): Promise<void> {
  const file = earliestIn(directory);
  await writeFile(`${file}.draft`, time);
  await rename(`${file}.draft`, file);
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
