// What of the WAL that is kept is history of the newest timeline: a former primary may have written more than its successor knew. Pure.
import { nameOf, segmentAt, segmentOf, segmentsIn, type Segment } from "../backup/continuity";

/** Where a timeline ended, as a history file says. */
export interface Fork {
  readonly timeline: number;
  /** The segment that the next one began in. */
  readonly position: number;
}

/** Of what a history file says, from the oldest timeline on. */
export const forksIn = (history: string): readonly Fork[] =>
  [...history.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gm)].map(([, timeline = "", lsn = ""]) => ({
    timeline: Number(timeline),
    position: segmentAt(lsn),
  }));

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

/**
 * The segments of the newest timeline and of those that it comes from, up to where the next one began: a name per line. `ofWhole`: without the one that is
 * not complete.
 */
export function livingIn({ whole, partial, histories }: Wal, ofWhole = false): string {
  const end = endOf({ whole, partial });
  const all = [...segmentsIn(whole.join("\n")), ...(end === undefined ? [] : [end])];
  const newest = Math.max(0, ...all.map(({ timeline }) => timeline));
  const forks = new Map(forksIn(histories.get(newest) ?? "").map(({ timeline, position }) => [timeline, position]));
  const isLiving = ({ timeline, position }: Segment): boolean =>
    timeline === newest || position < (forks.get(timeline) ?? (histories.has(newest) ? -1 : Infinity));
  return all
    .filter((segment) => isLiving(segment) && !(ofWhole && segment === end))
    .map((segment) => nameOf(segment))
    .join("\n");
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
