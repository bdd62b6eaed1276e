// From when on the WAL on a backup volume leads to its end, and which of it goes: pure.
import type { ArchiveNote } from "../../../contract/archive-note";
import { continuityOf, nameOf, segmentBytes, segmentOf, segmentsIn, walEndIn } from "../backup/continuity";
import type { Base } from "./bases";
import { livingIn, type Wal } from "./lineage";

/** What the WAL is good for. */
export interface Standing {
  /** The oldest backup from which all is there up to the end; undefined where there is none. */
  readonly from: Base | undefined;
  /** The last segment that is missing behind the newest backup; undefined where none is. */
  readonly hole: string | undefined;
}

/** `bases`: from old to new. */
export function standingOf(bases: readonly Base[], wal: Wal): Standing {
  const listed = livingIn(wal);
  const end = walEndIn(listed);
  const newest = bases.at(-1);
  if (end === undefined || newest === undefined) return { from: undefined, hole: undefined };
  // none is missing that has not been written yet
  if (newest.end.position > end.position) return { from: undefined, hole: undefined };
  const behind = { firstSegment: nameOf({ timeline: end.timeline, position: end.position + 1 }) };
  const { from, missing } = continuityOf<Base | typeof behind>(listed, [...bases, behind]);
  if (from !== undefined && "label" in from) return { from, hole: undefined };
  return { from: undefined, hole: missing };
}

/** What decides what goes. */
export interface Volume {
  /** From old to new. */
  readonly bases: readonly Base[];
  /** Labels that are kept beyond retention; undefined where they are not known. */
  readonly kept: ReadonlySet<string> | undefined;
  /** How many of the newest there would be if none were kept beyond it. */
  readonly retention: number;
}

/** The backups that hold WAL: one that is kept for years would hold all that was written since, so it holds as long as it would have been there otherwise. */
function holding({ bases, kept, retention }: Volume): readonly Base[] {
  const first = bases.length - retention;
  const found = bases.filter(({ label }, index) => index >= first || kept?.has(label) !== true);
  return found.length > 0 ? found : bases.slice(-1);
}

/** Segments that no backup needs: all that is before the first of the oldest that holds WAL. */
export function unneeded(wal: Wal, volume: Volume): readonly string[] {
  const [oldest] = holding(volume);
  return oldest === undefined ? [] : before(oldest, wal);
}

const before = ({ first }: Base, { whole, partial }: Wal): string[] =>
  [...whole, ...partial].filter((name) => (segmentOf(name)?.position ?? Infinity) < first.position).sort(byPlace);

const byPlace = (one: string, other: string): number =>
  (segmentOf(one)?.position ?? 0) - (segmentOf(other)?.position ?? 0);

/** What decides whether there is room. */
export interface Room extends Volume {
  /** With what a backup that is being taken has taken up already. */
  readonly free: number;
  /** Segments that have come since the last look. */
  readonly arrived: number;
}

/** How much more than the newest backup the next one takes up at most, as its program counts (postgresql-backup). */
const growth = 1.1;
const ownWalBytes = 2 * segmentBytes;
/** What is always left free: what is being received, and what follows it. */
const leastFree = 4 * segmentBytes;
/** For how many times as long as between two looks there is room for what is written. */
const looksAhead = 3;

function wantedIn({ bases, arrived }: Room): { readonly backup: number; readonly beside: number } {
  const bytes = bases.at(-1)?.bytes ?? 0;
  return {
    backup: Math.ceil(bytes * growth) + ownWalBytes,
    beside: Math.max(leastFree, looksAhead * arrived * segmentBytes),
  };
}

/** Backups that may give way to the next one. */
const mayGo = ({ bases, kept }: Volume): readonly Base[] =>
  bases.slice(0, -1).filter(({ label }) => kept !== undefined && !kept.has(label));

const bytesOf = (all: readonly { readonly bytes: number }[]): number => all.reduce((sum, { bytes }) => sum + bytes, 0);

/** Bytes that are missing though all older backups gave way; negative where there is more. */
export function missingBytes(room: Room): number {
  const { backup, beside } = wantedIn(room);
  return Math.max(backup + beside - room.free - bytesOf(mayGo(room)), beside - room.free);
}

/**
 * Segments that give way where there is no room, the oldest first; never those that lead on from the newest backup. They go before a backup would, and
 * not where it would have to go all the same.
 */
export function givingWay(wal: Wal, room: Room): readonly string[] {
  const newest = room.bases.at(-1);
  if (newest === undefined) return [];
  const may = before(newest, wal);
  const { backup, beside } = wantedIn(room);
  const missing = backup + beside - room.free;
  let lost = 0;
  for (const { bytes } of mayGo(room)) if (missing - may.length * segmentBytes > lost) lost += bytes;
  const wanted = Math.max(missing - lost, beside - room.free);
  return may.slice(0, Math.max(0, Math.ceil(wanted / segmentBytes)));
}

/** How many segments there are. */
export const countOf = ({ whole, partial }: Wal): number => segmentsIn([...whole, ...partial].join("\n")).length;

/** How long something may fail before that is told, in milliseconds: a member that is restarted is back by then. */
const patienceMs = 30_000;

/** What is known. */
export interface Known {
  readonly from: Base | undefined;
  readonly gap: ArchiveNote["gap"] | undefined;
  /** What fails, and for how long, in milliseconds. Undefined: nothing does. */
  readonly trouble: { readonly why: string; readonly ms: number } | undefined;
}

/** The note. */
export function noteOf({ from, gap, trouble }: Known): ArchiveNote {
  const known = { ...(gap && { gap }), ...(from && { recoverableFrom: from.completedAt }) };
  return trouble !== undefined && trouble.ms >= patienceMs
    ? { state: "Waiting", message: trouble.why, ...known }
    : { state: "Arriving", ...known };
}
