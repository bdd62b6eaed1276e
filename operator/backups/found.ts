// A DatabaseBackup whose record was lost: what the operator found where the backup lies, on the object itself, as no Job tells of it.
import type { z } from "zod";
import { foundBackupAnnotation } from "../../components/naming";
import { parseJson } from "../objects/json";
import type { DatabaseBackup } from "../api/backups/object";
import { BackupStatus } from "../api/backups/status";

/** What is known of it. */
export const FoundBackup = BackupStatus.pick({
  ...{ label: true, base: true, startedAt: true, completedAt: true, size: true },
  ...{ engine: true, cluster: true, location: true, recoverableFrom: true },
}).required({ label: true });
export type FoundBackup = Readonly<z.infer<typeof FoundBackup>>;

/** Undefined for one that was not found. */
export function foundIn({ metadata }: Pick<DatabaseBackup, "metadata">): FoundBackup | undefined {
  const text = metadata.annotations[foundBackupAnnotation];
  return text === undefined ? undefined : FoundBackup.safeParse(parseJson(text)).data;
}

/** The annotation's text. */
export const foundText = (found: FoundBackup): string => JSON.stringify(found);
