// What the programs of backup Jobs have in common: which backups retention removes, and what they say of the one that was taken.
import { writeFile } from "node:fs/promises";
import { keptVariable, mostPresent, type BackupReport, type PresentBackup } from "../contract/backup-report";
import { log } from "./log";

const terminationLog = "/dev/termination-log";

/** The labels of backups that retention must not remove; undefined where they are not known, and then it must remove none. */
export function keptLabels(): ReadonlySet<string> | undefined {
  const text = process.env[keptVariable];
  if (text === undefined) {
    log("no backup is removed: which ones must be kept is not known", { why: `${keptVariable} is not set` });
    return undefined;
  }
  return new Set(text.split(" ").filter((label) => label !== ""));
}

/** What counts. */
export interface Retention {
  readonly newest: string;
  /** How many there may be, those that are kept beyond it apart. */
  readonly retention: number;
  readonly kept: ReadonlySet<string> | undefined;
}

/** Which of `own`, the backups of one cluster from the oldest on, to remove: never `newest`. */
export function surplusOf(own: readonly string[], { newest, retention, kept }: Retention): string[] {
  if (kept === undefined) return [];
  const older = own.filter((label) => label !== newest && !kept.has(label));
  return older.slice(0, Math.max(0, older.length - Math.max(retention - 1, 0)));
}

/** The oldest of what retention has left of `own`. */
export const oldestOf = (own: readonly string[], { newest, kept }: Retention): string | undefined =>
  own.find((label) => label === newest || kept?.has(label) !== true);

/** The termination message, which may have 4096 bytes; it fits for any number of backups. `own`: those of the cluster, the oldest first. */
export const reportText = (report: BackupReport, own: readonly PresentBackup[]): string =>
  JSON.stringify({ ...report, present: own.slice(-mostPresent) });

/** Leaves it for the operator, and for kubectl describe. */
export const tell = (report: BackupReport, own: readonly PresentBackup[]): Promise<void> =>
  sayLast(reportText(report, own));

/** Leaves the last word of a Job's program. Outside a pod there is nobody to tell. */
export const sayLast = (text: string): Promise<void> =>
  writeFile(terminationLog, text, { flag: "r+" }).catch(() => undefined);

/** The number that a server's own version begins with; undefined where there is none. */
export const versionIn = (text: string): string | undefined => /^\d+(\.\d+)*/.exec(text)?.[0];

/** A time as reports have it, to the second. */
export const secondOf = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");

/** The same, never before it. */
export const secondAfter = (time: string): string => secondOf(new Date(Math.ceil(Date.parse(time) / 1000) * 1000));
