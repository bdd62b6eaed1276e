// Where to begin to receive WAL: pure.
import { segmentAt, type Segment } from "../backup/continuity";
import { endsOf, isLivingOn, type End, type Fork, type Wal } from "./lineage";

/** What the primary says. */
export interface Primary {
  readonly timeline: number;
  /** Up to where its WAL is on disk. */
  readonly lsn: string;
  /** The timelines that its own comes from, from the oldest on. */
  readonly forks: readonly Fork[];
  /** From where on its slot holds WAL. */
  readonly slot: string;
}

/** What there is on the volume. */
export interface Kept extends Pick<Wal, "whole" | "partial"> {
  /** Where the newest backup ends. */
  readonly base: End | undefined;
}

/** Places to begin at, the best first: a later one only where the primary has not the WAL of those before any more. */
export function startsOf(kept: Kept, primary: Primary): readonly Segment[] {
  const behind = behindKept(kept, primary);
  const base = kept.base && isLivingOn(kept.base, primary.timeline, primary.forks) ? kept.base.position : undefined;
  const slot = segmentAt(primary.slot);
  const later = [base, slot]
    .filter((position) => position !== undefined)
    .filter((position) => behind === undefined || position > behind.position);
  const found = later.map((position) => ({ timeline: ownerOf(position, primary), position }));
  return [...(behind === undefined ? [] : [behind]), ...found];
}

/** Behind what is kept, on the newest timeline that the primary's comes from: what a former primary wrote beyond that is history no more. */
function behindKept(kept: Kept, primary: Primary): Segment | undefined {
  const end = endsOf(kept).find(({ timeline }) => inLineage(timeline, primary));
  if (end === undefined) return undefined;
  const fork = primary.forks.find(({ timeline }) => timeline === end.timeline);
  const last = fork?.position ?? segmentAt(primary.lsn);
  const position = Math.min(end.position, last);
  return { timeline: ownerOf(position, primary), position };
}

const inLineage = (timeline: number, primary: Primary): boolean =>
  timeline === primary.timeline || primary.forks.some((fork) => fork.timeline === timeline);

/** The timeline whose file of that place has all of it: a new one begins with a copy of what its segment had. */
const ownerOf = (position: number, { timeline, forks }: Primary): number =>
  forks.find((fork) => position < fork.position)?.timeline ?? timeline;
