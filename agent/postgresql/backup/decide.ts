// Decides from whom a backup is taken, of which kind it is, and which ones go. Pure: it reads what was seen and touches nothing.
import { surplusOf, type Retention } from "../../backups";
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

/** A full one where there is none yet, and after `fullEvery` differential ones less one. */
export function kindOf(backups: readonly Backup[], fullEvery: number): "full" | "diff" {
  const last = backups.findLastIndex(({ isFull }) => isFull);
  return last >= 0 && backups.length - last < fullEvery ? "diff" : "full";
}

/** What goes, and how much WAL stays. */
export interface Expiry {
  /** Labels of backups, in the order in which they go: with a full one go those that need it. */
  readonly labels: readonly string[];
  /** How many full backups are left. */
  readonly fulls: number;
  /** From how many of the newest of these on all WAL is kept. Of older ones, which a person keeps, only what they need themselves. */
  readonly fullsWithWal: number;
  /** From which backup on all WAL is kept. */
  readonly oldest: Backup | undefined;
}

/** See `surplusOf`; one that another one needs stays as long as that. */
export function expiryOf(backups: readonly Backup[], retention: Retention): Expiry {
  const surplus = new Set(surplusOf(labelsOf(backups), retention));
  const needed = new Set(backups.filter(({ label }) => !surplus.has(label)).flatMap(({ needs }) => needs));
  const doomed = backups.filter(({ label }) => surplus.has(label) && !needed.has(label));
  const left = backups.filter((backup) => !doomed.includes(backup));
  const fulls = left.filter(({ isFull }) => isFull);
  const kept = retention.kept ?? new Set();
  const oldest = left.find(({ label }) => label === retention.newest || !kept.has(label));
  const withWal = fulls.filter(({ label }) => oldest === undefined || label >= (fullOf(oldest, fulls)?.label ?? label));
  return {
    labels: labelsOf(doomed.filter(({ isFull, needs }) => isFull || !needs.some((label) => isIn(doomed, label)))),
    fulls: fulls.length,
    fullsWithWal: Math.max(1, withWal.length),
    oldest,
  };
}

/** The full backup that this one is based on, or is. */
const fullOf = ({ label, needs }: Backup, fulls: readonly Backup[]): Backup | undefined =>
  fulls.find((full) => full.label === label || needs.includes(full.label));

const isIn = (backups: readonly Backup[], label: string): boolean => backups.some((backup) => backup.label === label);
const labelsOf = (backups: readonly Backup[]): readonly string[] => backups.map(({ label }) => label);
