// Which backups in object storage go, and how much WAL stays with the others: pure.
import { surplusOf, type Retention } from "../../backups";
import { isWholeIn, type Backup } from "./catalogue";

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

/**
 * See `surplusOf`; one that another one needs stays as long as that. What is damaged does not count, so that what is whole does not go for it, and
 * stays with its WAL until there are as many as retention wants that are whole and newer: most of it may still be of use.
 */
export function expiryOf(backups: readonly Backup[], retention: Retention): Expiry {
  const isWhole = isWholeIn(backups);
  const whole = backups.filter(isWhole);
  const surplus = new Set(surplusOf(labelsOf(whole), retention));
  const oldestWhole = whole.length < retention.retention ? undefined : whole.find(({ label }) => !surplus.has(label));
  for (const { label } of backups.filter((backup) => !isWhole(backup)))
    if (isOutlived(label, oldestWhole, retention)) surplus.add(label);
  const needed = new Set(backups.filter(({ label }) => !surplus.has(label)).flatMap(({ needs }) => needs));
  const doomed = backups.filter(({ label }) => surplus.has(label) && !needed.has(label));
  const left = backups.filter((backup) => !doomed.includes(backup));
  const fulls = left.filter(({ isFull }) => isFull);
  const kept = retention.kept ?? new Set();
  // what is left for one that a person keeps counts as little as that one
  const first = left.find(({ label }) => label === retention.newest || (!kept.has(label) && !surplus.has(label)));
  const oldest = first && (fullOf(first, fulls) ?? first);
  const withWal = fulls.filter(({ label }) => oldest === undefined || label >= oldest.label);
  return {
    labels: labelsOf(doomed.filter(({ isFull, needs }) => isFull || !needs.some((label) => isIn(doomed, label)))),
    fulls: fulls.length,
    fullsWithWal: Math.max(1, withWal.length),
    oldest,
  };
}

const isOutlived = (label: string, oldest: Backup | undefined, { kept }: Retention): boolean =>
  kept !== undefined && !kept.has(label) && oldest !== undefined && label < oldest.label;

/** The full backup that this one is based on, or is. */
const fullOf = ({ label, needs }: Backup, fulls: readonly Backup[]): Backup | undefined =>
  fulls.find((full) => full.label === label || needs.includes(full.label));

const isIn = (backups: readonly Backup[], label: string): boolean => backups.some((backup) => backup.label === label);
const labelsOf = (backups: readonly Backup[]): readonly string[] => backups.map(({ label }) => label);
