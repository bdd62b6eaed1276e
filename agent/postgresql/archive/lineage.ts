// What of the WAL that is kept is history of the newest timeline: a former primary may have written more than its successor knew. Pure.
import { nameOf, segmentAt, segmentOf, segmentsIn, type Segment } from "../backup/continuity";
import { isUpTo } from "./lsn";

/** Where a timeline ended, as a history file says. */
export interface Fork {
  readonly timeline: number;
  readonly lsn: string;
  /** The segment that the next one began in. */
  readonly position: number;
}

/** Of what a history file says, from the oldest timeline on. */
export const forksIn = (history: string): readonly Fork[] =>
  [...history.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gm)].map(([, timeline = "", lsn = ""]) => ({
    ...{ timeline: Number(timeline), lsn },
    position: segmentAt(lsn),
  }));

/** The histories of timelines that another's comes from, by their numbers: each is its beginning. */
export function ancestorsIn(history: string): ReadonlyMap<number, string> {
  const lines = history.split("\n").filter((line) => /^\s*\d+\s/.test(line));
  const timelines = lines.map((line) => Number.parseInt(line, 10));
  const found = timelines.map((timeline, index) => [timeline, index] as const).filter(([, index]) => index > 0);
  return new Map(found.map(([timeline, index]) => [timeline, `${lines.slice(0, index).join("\n\n")}\n`]));
}

/** What there is of a cluster's WAL. */
export interface Wal {
  /** Names of complete segments. */
  readonly whole: readonly string[];
  /** Names of segments that are not, without what ends them. */
  readonly partial: readonly string[];
  /** Histories of timelines, by their numbers. */
  readonly histories: ReadonlyMap<number, string>;
}

const newestOf = (segments: readonly Segment[]): Segment | undefined =>
  segments.toSorted((one, other) => one.timeline - other.timeline || one.position - other.position).at(-1);

/** The segment that is not complete and all others lead to; one within says nothing of what came behind it. */
export function endOf({ whole, partial }: Pick<Wal, "whole" | "partial">): Segment | undefined {
  const last = newestOf(segmentsIn(whole.join("\n")));
  const end = newestOf(segmentsIn(partial.join("\n")));
  if (end === undefined || last === undefined) return end;
  const isLater = end.timeline === last.timeline ? end.position > last.position : end.timeline > last.timeline;
  return isLater ? end : undefined;
}

/** A timeline is known from its history on, also where none of its segments has come. */
const newestTimelineOf = ({ whole, partial, histories }: Wal): number =>
  Math.max(0, ...histories.keys(), ...segmentsIn([...whole, ...partial].join("\n")).map(({ timeline }) => timeline));

/**
 * The segments of the newest timeline and of those that it comes from, up to where the next one began: a name per line. `ofWhole`: without the one that is
 * not complete.
 */
export function livingIn(wal: Wal, ofWhole = false): string {
  const { whole, histories } = wal;
  const end = endOf(wal);
  const all = [...segmentsIn(whole.join("\n")), ...(end === undefined ? [] : [end])];
  const newest = newestTimelineOf(wal);
  const forks = new Map(forksIn(histories.get(newest) ?? "").map(({ timeline, position }) => [timeline, position]));
  const isLiving = ({ timeline, position }: Segment): boolean =>
    timeline === newest || position < (forks.get(timeline) ?? (histories.has(newest) ? -1 : Infinity));
  return all
    .filter((segment) => isLiving(segment) && !(ofWhole && segment === end))
    .map((segment) => nameOf(segment))
    .join("\n");
}

/** Where a backup ends. */
export interface End extends Segment {
  readonly lsn: string;
}

/** Whether what a backup has is history of the newest timeline: one that was copied from a former primary may have more. */
export function isLivingAt({ timeline, lsn }: End, wal: Wal): boolean {
  const newest = newestTimelineOf(wal);
  const history = wal.histories.get(newest);
  // what is newer than all that came has not come yet
  return timeline >= newest || history === undefined || isLivingOn({ timeline, lsn }, newest, forksIn(history));
}

/** The same, of a timeline that comes from some others. */
export function isLivingOn({ timeline, lsn }: Omit<End, "position">, of: number, forks: readonly Fork[]): boolean {
  const fork = forks.find((one) => one.timeline === timeline);
  return timeline === of || (fork !== undefined && isUpTo(fork.lsn, lsn));
}

/** The place behind all that is kept of each timeline, from the newest on. */
export function endsOf({ whole, partial }: Pick<Wal, "whole" | "partial">): readonly Segment[] {
  const ends = new Map<number, number>();
  for (const { timeline, position } of segmentsIn(whole.join("\n")))
    ends.set(timeline, Math.max(ends.get(timeline) ?? 0, position + 1));
  for (const { timeline, position } of partial.flatMap((name) => segmentOf(name) ?? []))
    if (!ends.has(timeline)) ends.set(timeline, position);
  return [...ends]
    .map(([timeline, position]) => ({ timeline, position }))
    .toSorted((one, other) => other.timeline - one.timeline);
}
