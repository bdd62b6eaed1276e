// Which backup in object storage a restore is of: pure.
import { mebibytes } from "../../restore/decide";
import type { Named } from "./layout";

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
export interface Choice extends Named {
  /** The other ones of its group, the newest first. */
  readonly others: readonly string[];
}

/** How many other ones are named. */
const mostNamed = 5;

/** What to do where another one is to be chosen, for people. */
export const choosing = (others: readonly string[]): string =>
  others.length === 0
    ? "there is no other one"
    : `choose another one, by restore.s3.label or its DatabaseBackup: ${others.slice(0, mostNamed).join(", ")}`;

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
  const others = labels.filter((one) => one !== chosen).toReversed();
  if (chosen === undefined)
    throw new Error(
      `there is no backup ${label ?? ""} in ${location} any more: retention may have removed it; ${choosing(others)}`,
    );
  return { group, label: chosen, others };
}

/** The newest of all groups; undefined where there is none. Labels of one Database sort by time. */
export function newestAmong(groups: readonly GroupBackups[]): Named | undefined {
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
