// Decides from whom a backup is taken, and of which kind it is. Pure: it reads what was seen and touches nothing.
import type { Backup } from "./catalogue";

/** Four segments of WAL: more than a replica that keeps up is behind, and little beside what a busy day writes. */
const lagBytes = 64 * 1024 ** 2;

/** What a member says of itself. */
export interface Member {
  readonly name: string;
  readonly isReplica: boolean;
  /** In bytes, up to what it replayed or, on the primary, wrote. */
  readonly position: number;
  /** The system identifier of its cluster. */
  readonly cluster: string;
  /** Such as `17.12`. */
  readonly version: string;
}

/** Whom to copy from. */
export interface Source {
  readonly primary: Member;
  /** The replica that is read; undefined: the primary itself is. */
  readonly replica: Member | undefined;
}

/** Undefined where none leads, or more than one says so. Replicas must have been asked before the primary: it makes them look older, never newer. */
export function sourceAmong(members: readonly Member[]): Source | undefined {
  const [primary, other] = members.filter(({ isReplica }) => !isReplica);
  if (primary === undefined || other !== undefined) return undefined;
  const lagOf = ({ position }: Member): number => primary.position - position;
  const [replica] = members
    .filter(({ isReplica, cluster }) => isReplica && cluster === primary.cluster)
    // one that has what the primary has not follows another history
    .filter((member) => lagOf(member) >= 0 && lagOf(member) <= lagBytes)
    .toSorted((one, another) => lagOf(one) - lagOf(another) || (one.name < another.name ? -1 : 1));
  return { primary, replica };
}

/** How often a full one is taken: each of `fullEvery`, and of as many as `retention` leaves. */
export interface Rhythm {
  readonly fullEvery: number;
  readonly retention: number;
}

/**
 * A full one where there is none yet, or the last one is damaged, and after so many differential ones. Of those that retention has removed
 * nothing is known here.
 */
export function kindOf(backups: readonly Backup[], { fullEvery, retention }: Rhythm): "full" | "diff" {
  const last = backups.findLastIndex(({ isFull }) => isFull);
  return last >= 0 && backups[last]?.isDamaged === false && backups.length - last < Math.min(fullEvery, retention + 1)
    ? "diff"
    : "full";
}
