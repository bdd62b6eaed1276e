// Which backup can be restored here: what holds for every engine.

/** Names of backups: <database>-<time>. */
const labelPattern = /^([a-z][a-z0-9-]*)-(\d{8}T\d{6}Z)$/;

/** What is known before anything is copied. */
export interface Found {
  readonly label: string;
  /** Names of what is on the backup volume. */
  readonly labels: readonly string[];
  /** Why the server of this image cannot have its files; undefined where it can. */
  readonly unfit: string | undefined;
  /** Bytes that the files take up, and that the data volume has free. */
  readonly bytes: number;
  readonly free: number;
  /** Bytes that the server writes beside these files when it first starts. */
  readonly margin: number;
}

/** Of PostgreSQL: two segments of a log, and what else it writes when it first starts. */
export const usualMargin = 64 * 1024 ** 2;

/** Why it cannot be restored, and what to do; undefined where it can. */
export function problemOf({ label, labels, unfit, bytes, free, margin }: Found): string | undefined {
  if (!labelPattern.test(label)) return `"${label}" is no label of a backup`;
  if (!labels.includes(label))
    return `the backup volume has no ${label}: retention may have removed it; choose another`;
  if (unfit !== undefined) return unfit;
  if (bytes + margin > free)
    return `${label} takes up ${mebibytes(bytes)}, the server ${mebibytes(margin)} beside it, and the data volume has ${mebibytes(free)} free: write a larger storage`;
  return undefined;
}

/** The newest backup of those on a volume, or why that is none. `names`: of what is on it. */
export function newestOf(names: readonly string[]): { readonly label: string } | { readonly problem: string } {
  const found = names.flatMap((label) => {
    const [, database, time] = labelPattern.exec(label) ?? [];
    return database === undefined || time === undefined ? [] : [{ label, database, time }];
  });
  const newest = new Map<string, string>();
  for (const { label, database } of found.sort((one, other) => one.time.localeCompare(other.time)))
    newest.set(database, label);
  const [label, ...others] = newest.values();
  if (label === undefined) return { problem: "the volume has no backup: name the claim of one that has" };
  return others.length === 0
    ? { label }
    : {
        problem: `the volume has backups of several Databases, of which the newest are ${[label, ...others].join(", ")}: write one as spec.restore.volume.label`,
      };
}

/** A size for people. */
export const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
