// What is noted of all logs of a group together.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { gtidText, type GtidSet } from "../gtid";
import { readNote, writeNote } from "../../json-file";
import { groupDirectory, ofGroup } from "./store";

const Arrived = z.object({ at: z.number(), executed: z.string() });
const HoleNote = z.object({ base: z.string(), at: z.string() });

/** Until when all that was committed is there. */
export interface Arrival {
  /** In microseconds. */
  readonly at: number;
  /** What was committed until then, at least: without it the time says nothing. */
  readonly executed: GtidSet;
}

/** Notes it. */
export const noteArrived = (backups: string, group: string, { at, executed }: Arrival): Promise<void> =>
  writeNote(groupDirectory(backups, group), "arrived.json", { at, executed: gtidText(executed) });

/** The same; undefined where that was never so. */
export async function arrivedIn(backups: string, group: string): Promise<Arrival | undefined> {
  const found = await readNote(join(groupDirectory(backups, group), "arrived.json"), Arrived);
  return found && { at: found.at, executed: ofGroup(found.executed, group) };
}

/** When the hole behind a backup was found. */
export type FoundHole = z.infer<typeof HoleNote>;

const holeFile = "hole.json";

/**
 * Since when there is a hole behind the newest backup: since it was first seen behind that one, whatever became of the program since then. A backup
 * that has it not either is another reason to take one.
 */
export function holeSince(before: FoundHole | undefined, base: string, now: Date): FoundHole {
  return before?.base === base ? before : { base, at: now.toISOString() };
}

/** A look for a hole. */
interface Seen {
  /** The newest backup; undefined where there is none behind it. */
  readonly base: string | undefined;
  /** Whether one that was not there before is one. */
  readonly isCertain: boolean;
}

/** Notes it. Returns since when; undefined where there is none, or that is not certain. */
export async function noteHole(backups: string, group: string, { base, isCertain }: Seen): Promise<string | undefined> {
  const directory = groupDirectory(backups, group);
  if (base === undefined) {
    await rm(join(directory, holeFile), { force: true });
    return undefined;
  }
  const before = await readNote(join(directory, holeFile), HoleNote);
  const found = holeSince(before, base, new Date());
  if (found === before) return before.at;
  if (!isCertain) return undefined;
  await writeNote(directory, holeFile, found);
  return found.at;
}
