// Backups as pgBackRest lists them.
import type { Backup } from "../../agent/postgresql/backup/catalogue";

/** `F1`, and those that need it: `F1_D2`. */
export const backupOf = (label: string, some: Partial<Backup> = {}): Backup => {
  const [full = ""] = label.split("_");
  const isFull = full === label;
  const needs = isFull ? [] : [full];
  return {
    label,
    isFull,
    needs,
    stoppedAt: 0,
    size: 1,
    storedSize: 1,
    isDamaged: false,
    firstSegment: undefined,
    ...some,
  };
};

export const backupsOf = (...labels: readonly string[]): Backup[] => labels.map((label) => backupOf(label));
