// The status of a DatabaseBackup as it was written last, by whichever version of the operator.
import { z } from "zod";
import { BackupStatus } from "./status";

const Part = z.record(z.string(), z.unknown());

/** Of a status that a newer operator wrote, each part that cannot be read is left out by itself. */
export function backupStatusIn(status: unknown): BackupStatus {
  const stored = Part.safeParse(status).data ?? {};
  const parsed = BackupStatus.safeParse(stored);
  if (parsed.success) return parsed.data;
  const unreadable = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const readable = Object.entries(stored).filter(([field]) => !unreadable.has(field));
  return BackupStatus.safeParse(Object.fromEntries(readable)).data ?? {};
}
