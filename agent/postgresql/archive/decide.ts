// From when on the WAL on a backup volume leads to its end, and which of it goes: pure.
import type { ArchiveNote } from "../../../contract/archive-note";
import { continuityOf, nameOf, segmentBytes, segmentOf, segmentsIn, walEndIn } from "../backup/continuity";
import type { Base } from "./bases";
import { isLivingAt, livingIn, type Wal } from "./lineage";

/** What the WAL is good for. */
export interface Standing {
  /** The oldest backup from which all is there up to the end; undefined where there is none. */
  readonly from: Base | undefined;
  /** The last segment that is missing behind the newest backup; undefined where none is. */
  readonly hole: string | undefined;
}

/** `bases`: from old to new. */
export function standingOf(bases: readonly Base[], wal: Wal): Standing {
  const living = livingOf(bases, wal);
  const [newest, last] = [living.at(-1), bases.at(-1)];
  // it has what was written by a primary whose successor did not know of it, so that no WAL leads on from it
  const lost = last === newest || last === undefined ? undefined : nameOf(last.end);
  const listed = livingIn(wal);
  const end = walEndIn(listed);
  if (end === undefined || newest === undefined) return { from: undefined, hole: lost };
  // none is missing that has not been written yet
  if (newest.end.position > end.position) return { from: undefined, hole: lost };
  const behind = { firstSegment: nameOf({ timeline: end.timeline, position: end.position + 1 }) };
  const { from, missing } = continuityOf<Base | typeof behind>(listed, [...living, behind]);
  if (from !== undefined && "label" in from) return { from, hole: lost };
  return { from: undefined, hole: missing };
}

/** Those that are history of the newest timeline. */
const livingOf = (bases: readonly Base[], wal: Wal): readonly Base[] => bases.filter(({ end }) => isLivingAt(end, wal));

/** What decides what goes. */
export interface Volume {
  /** From old to new. */
  readonly bases: readonly Base[];
  /** Labels that are kept beyond retention; undefined where they are not known. */
  readonly kept: ReadonlySet<string> | undefined;
  /** How many of the newest there would be if none were kept beyond it. */
  readonly retention: number;
  /** Bytes of them, by their labels, as far as they have been told. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** The backups that hold WAL: one that is kept for years would hold all that was written since, so it holds as long as it would have been there otherwise. */
function holding({ bases, kept, retention }: Volume, wal: Wal): readonly Base[] {
  const first = bases.length - retention;
  const counted = bases.filter(({ label }, index) => index >= first || kept?.has(label) !== true);
  const found = livingOf(counted, wal);
  return found.length > 0 ? found : livingOf(bases, wal).slice(-1);
}

/** Segments that no backup needs: all that is before the first of the oldest that holds WAL. */
export function unneeded(wal: Wal, volume: Volume): readonly string[] {
  const [oldest] = holding(volume, wal);
  return oldest === undefined ? [] : before(oldest, wal);
}

const before = ({ first }: Base, { whole, partial }: Wal): string[] =>
  [...whole, ...partial].filter((name) => (segmentOf(name)?.position ?? Infinity) < first.position).sort(byPlace);

const byPlace = (one: string, other: string): number =>
  (segmentOf(one)?.position ?? 0) - (segmentOf(other)?.position ?? 0);

/** What decides whether there is room. */
export interface Room extends Volume {
  readonly free: number;
  /** Whether a backup is being taken: it has made its room itself. */
  readonly isBackingUp: boolean;
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

function wantedIn(room: Room): { readonly backup: number; readonly beside: number } {
  const beside = Math.max(leastFree, looksAhead * room.arrived * segmentBytes);
  const bytes = room.isBackingUp ? undefined : sizeOfNext(room);
  return { backup: bytes === undefined ? 0 : Math.ceil(bytes * growth) + ownWalBytes, beside };
}

/** Undefined until all that count have been told. */
function sizeOfNext({ bases, sizes, ...volume }: Room): number | undefined {
  const newest = bases.at(-1);
  if (newest === undefined) return 0;
  const isTold = mayGo({ ...volume, bases, sizes }).every(({ label }) => sizes.has(label));
  return isTold ? sizes.get(newest.label) : undefined;
}

/** Backups that may give way to the next one. */
const mayGo = ({ bases, kept }: Volume): readonly Base[] =>
  bases.slice(0, -1).filter(({ label }) => kept !== undefined && !kept.has(label));

const bytesOf = (room: Room): number => mayGo(room).reduce((sum, { label }) => sum + (room.sizes.get(label) ?? 0), 0);

/** Bytes that are missing though all older backups gave way; negative where there is more. */
export function missingBytes(room: Room): number {
  const { backup, beside } = wantedIn(room);
  return Math.max(backup + beside - room.free - bytesOf(room), beside - room.free);
}

/**
 * Segments that give way where there is no room, the oldest first; never those that lead on from the newest backup. They go before a backup would, and
 * not where it would have to go all the same.
 */
export function givingWay(wal: Wal, room: Room): readonly string[] {
  const newest = livingOf(room.bases, wal).at(-1);
  if (newest === undefined) return [];
  const may = before(newest, wal);
  const { backup, beside } = wantedIn(room);
  const missing = backup + beside - room.free;
  let lost = 0;
  for (const { label } of mayGo(room))
    if (missing - may.length * segmentBytes > lost) lost += room.sizes.get(label) ?? 0;
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
