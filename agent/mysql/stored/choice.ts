// Which backup in object storage a restore is of: pure.
import { mebibytes } from "../../restore/decide";

/** What is asked for. */
export interface Wish {
  /** Where, for people. */
  readonly location: string;
  /** The group. Undefined: the only one that is there. */
  readonly cluster: string | undefined;
  /** Undefined: the newest. */
  readonly label: string | undefined;
}

/** The complete backups of a group, oldest first. */
export interface GroupBackups {
  readonly group: string;
  readonly labels: readonly string[];
}

/** A backup, as it is to be restored. */
export interface Choice {
  readonly group: string;
  readonly label: string;
}

/** Throws, saying what to do, where there is none. */
export function choiceAmong(groups: readonly GroupBackups[], { location, cluster, label }: Wish): Choice {
  const fitting = groups.filter(
    ({ group, labels }) => labels.length > 0 && (cluster === undefined || group === cluster),
  );
  const [found, other] = fitting;
  const what = cluster === undefined ? "" : ` of cluster ${cluster}`;
  if (found === undefined) throw new Error(`there is no backup${what} in ${location}: correct the place`);
  if (other !== undefined) {
    const all = fitting.map(({ group, labels }) => `${group} (the newest is ${labels.at(-1) ?? ""})`);
    throw new Error(
      `there are backups of several clusters in ${location}: write which one as restore.s3.cluster: ${all.join(", ")}`,
    );
  }
  const { group, labels } = found;
  const chosen = label === undefined ? labels.at(-1) : labels.find((one) => one === label);
  if (chosen === undefined)
    throw new Error(`there is no backup ${label ?? ""} in ${location} any more: retention may have removed it`);
  return { group, label: chosen };
}

/** The newest of all groups; undefined where there is none. Labels of one Database sort by time. */
export function newestAmong(groups: readonly GroupBackups[]): Choice | undefined {
  const all = groups.flatMap(({ group, labels }) => labels.map((label) => ({ group, label })));
  return all.sort((one, other) => (one.label < other.label ? -1 : 1)).at(-1);
}

/** Why it has no room; undefined where it has. All in bytes. */
export function roomProblem(
  label: string,
  { bytes, margin, free }: { readonly bytes: number; readonly margin: number; readonly free: number },
): string | undefined {
  return bytes + margin <= free
    ? undefined
    : `${label} takes up ${mebibytes(bytes)}, the server ${mebibytes(margin)} beside it, and the data volume has ${mebibytes(free)} free: write a larger storage`;
}
