// Which backup in object storage a restore begins with: pure.
import { mebibytes } from "../../restore/decide";
import { isWholeIn, type Backup, type ClusterBackups } from "../backup/catalogue";
import { unfitFor } from "./decide";

/** What is asked for. */
export interface Wish {
  /** Where, for people. */
  readonly location: string;
  /** Undefined: the only one that is there. */
  readonly cluster: string | undefined;
  /** Undefined: the newest, or the newest before the moment. */
  readonly label: string | undefined;
  readonly until: Until;
}

/** Up to where changes are taken in. */
export type Until =
  /** What was in the backup. */
  | { readonly kind: "backup" }
  /** All that is there. */
  | { readonly kind: "last" }
  /** In RFC 3339. */
  | { readonly kind: "moment"; readonly at: string };

/** As the environment has it. */
export const untilOf = (text: string): Until =>
  text === "backup" || text === "last" ? { kind: text } : { kind: "moment", at: text };

/** What is restored. */
export interface Choice {
  readonly cluster: string;
  readonly backup: Backup;
  /** From which WAL leads as far, where its files turn out damaged: the newest first. None where it is the backup itself that is asked for. */
  readonly older: readonly Backup[];
}

/** What there is to restore it with. */
export interface Circumstances {
  /** Major version of the server of this image. */
  readonly serverMajor: string;
  /** Bytes that the data volume has for it. */
  readonly free: number;
}

/** Two segments of WAL, and what the server writes beside them when it first starts. */
const marginBytes = 64 * 1024 ** 2;

/** Throws, saying what to do, where none can be restored. */
export function choiceAmong(clusters: readonly ClusterBackups[], wish: Wish, at: Circumstances): Choice {
  const { cluster, backups, majors } = clusterAmong(clusters, wish);
  const backup = backupAmong(backups, wish);
  const unfit = unfitFor(backup.label, majors.get(backup.label), at.serverMajor);
  if (unfit !== undefined) throw new Error(unfit);
  if (backup.size + marginBytes > at.free)
    throw new Error(
      `${backup.label} takes up ${mebibytes(backup.size)}, and the data volume has ${mebibytes(at.free)} free: write a larger storage`,
    );
  const older = backups.filter(isWholeIn(backups)).filter((other) => other.label < backup.label);
  return { cluster, backup, older: wish.until.kind === "backup" ? [] : older.toReversed() };
}

function clusterAmong(clusters: readonly ClusterBackups[], { cluster, location }: Wish): ClusterBackups {
  const fitting = clusters.filter((one) => cluster === undefined || one.cluster === cluster);
  const [found, other] = fitting;
  const what = cluster === undefined ? "" : ` of cluster ${cluster}`;
  if (found === undefined) throw new Error(`there is no backup${what} in ${location}: correct the place`);
  if (other === undefined && !found.isUnreadable) return found;
  const misfit = "do not fit the passphrase: restore.s3.encryption must be what spec.backup.encryption was";
  if (other === undefined) throw new Error(`the backups of cluster ${found.cluster} in ${location} ${misfit}`);
  const all = fitting
    .filter(({ isUnreadable }) => !isUnreadable)
    .map((one) => `${one.cluster} (the newest of ${timeOf(one.backups.at(-1))})`);
  const unreadable = fitting.filter(({ isUnreadable }) => isUnreadable).map((one) => one.cluster);
  const which = all.length === 0 ? "" : `: write which one as restore.s3.cluster: ${all.join(", ")}`;
  const rest = unreadable.length === 0 ? "" : `. Those of ${unreadable.join(", ")} ${misfit}`;
  throw new Error(`there are backups of several clusters in ${location}${which}${rest}`);
}

function backupAmong(backups: readonly Backup[], { label, until, location }: Wish): Backup {
  const whole = backups.filter(isWholeIn(backups));
  const fitting = whole.filter((backup) => until.kind !== "moment" || isBefore(backup, until.at));
  const found = label === undefined ? fitting.at(-1) : fitting.find((backup) => backup.label === label);
  if (found !== undefined) return found;
  const named = backups.find((backup) => backup.label === label);
  if (label !== undefined && named === undefined)
    throw new Error(`there is no backup ${label} in ${location} any more: retention may have removed it`);
  if (named !== undefined && !whole.includes(named))
    throw new Error(`${named.label} was found damaged, or needs one that was: choose another backup`);
  if (whole.length === 0)
    throw new Error(
      `all backups in ${location} were found damaged, or need one that was: look into the storage, and where it is whole again take the mark away (pgbackrest annotate)`,
    );
  const first = timeOf(named ?? whole[0]);
  throw new Error(
    `${until.kind === "moment" ? until.at : "it"} is before the first backup, which was complete at ${first}: ask for a later moment`,
  );
}

/** Whether WAL leads from the backup to the moment. A server that is sent back further does not notice that it is not where it should be. */
const isBefore = ({ stoppedAt }: Backup, at: string): boolean => (stoppedAt + 1) * 1_000 <= Date.parse(at);

const timeOf = (backup: Backup | undefined): string =>
  backup === undefined ? "an unknown time" : new Date(backup.stoppedAt * 1_000).toISOString().replace(".000", "");
