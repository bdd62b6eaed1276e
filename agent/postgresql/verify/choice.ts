// Which backup in object storage a drill restores: pure.
import { mebibytes, usualMargin } from "../../restore/decide";
import { DrillEnd, findingOf } from "../../verify/decide";
import { isWholeIn, type Backup, type ClusterBackups } from "../backup/catalogue";
import { unfitFor } from "../restore/decide";
import { misfitOf } from "./decide";

/** A backup of a cluster. */
export interface Stored {
  readonly cluster: string;
  readonly backup: Backup;
}

/** The one that is restored. */
export interface Chosen extends Stored {
  /** Whether other clusters have backups in this place, too. */
  readonly isOneOfSeveral: boolean;
}

/** What there is to restore it with, and where it lies, for people. */
export interface Circumstances {
  readonly location: string;
  readonly serverMajor: string;
  /** Bytes that the volume has for it. */
  readonly free: number;
}

/**
 * The newest of all clusters that have backups in this place: where volumes were lost, that of the present one follows at once. One that was found
 * damaged when it was taken is left out, as a restore leaves it out. Throws a DrillEnd where none can be restored here.
 */
export function newestStored(clusters: readonly ClusterBackups[], at: Circumstances): Chosen {
  const whole = clusters.flatMap(({ cluster, backups, majors }) =>
    backups.filter(isWholeIn(backups)).map((backup) => ({ cluster, backup, major: majors.get(backup.label) })),
  );
  const [newest] = whole.toSorted((one, other) => other.backup.stoppedAt - one.backup.stoppedAt);
  if (newest === undefined) throw noneIn(clusters, at.location);
  const { cluster, backup, major } = newest;
  const isOneOfSeveral = whole.some((other) => other.cluster !== cluster);
  const unfit = unfitFor(backup.label, major, at.serverMajor) ?? crampedFor(backup, at.free);
  if (unfit === undefined) return { cluster, backup, isOneOfSeveral };
  const misfit = misfitOf(major, at.serverMajor);
  throw new DrillEnd(findingOf({ label: backup.label, labels: [backup.label], misfit }), unfit);
}

const crampedFor = ({ label, size }: Backup, free: number): string | undefined =>
  size + usualMargin <= free
    ? undefined
    : `${label} takes up ${mebibytes(size)}, and the volume of the drill has ${mebibytes(free)} free: write a larger storage`;

function noneIn(clusters: readonly ClusterBackups[], location: string): DrillEnd {
  if (clusters.some(({ backups }) => backups.length > 0))
    return new DrillEnd("BackupDamaged", `all backups in ${location} were found damaged, or need one that was`);
  const isUnreadable = clusters.some((one) => one.isUnreadable);
  const why = isUnreadable
    ? `the backups in ${location} do not fit the passphrase of spec.backup.encryption`
    : `there is no backup in ${location} yet`;
  return new DrillEnd("NoBackup", why);
}
