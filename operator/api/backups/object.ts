// DatabaseBackup: a backup that was taken, was tried, or is asked for. What a person writes, and how the whole is read.
import { z } from "zod";
import { maxNameLength, namePattern } from "../../../contract/limits";
import { backupResource, storedVersion } from "../../../contract/resources";
import { patterned } from "../fields";
import { DatabaseMetadata } from "../object";
import { onUpdate } from "../rules";
import type { BackupStatus } from "./status";
import { backupStatusIn } from "./stored-status";

/** `apiVersion` of a DatabaseBackup. */
export const backupApiVersion = `${backupResource.group}/${storedVersion}`;

const Fields = z.object({
  database: patterned(
    namePattern,
    maxNameLength,
    "must be the name of a Database of this namespace: a lower-case letter, then a-z, 0-9 and -, for example my-postgres",
  ).meta({ description: "Name of the Database, in the same namespace. It cannot be changed." }),
  keep: z.boolean().default(false).meta({
    description:
      "Whether it is kept beyond the retention of its Database, which then does not count it. It can be changed at any time; of one that was kept, retention takes the data with the next backup.",
  }),
});

/** What is asked for; everything but `keep` stays as it was created. */
export const BackupSpec = onUpdate(Fields, [
  {
    rule: "self.database == oldSelf.database",
    message: "cannot be changed: create another DatabaseBackup",
    fieldPath: ".database",
  },
]).meta({ description: "Which Database is backed up, and for how long that is kept. Applying it takes a backup." });
export type BackupSpec = z.infer<typeof BackupSpec>;

/** One as the API server returned it. */
export interface DatabaseBackup {
  readonly metadata: DatabaseMetadata;
  readonly spec: BackupSpec;
  /** As it was written last. */
  readonly status: BackupStatus;
}

const Whole = z.object({ metadata: DatabaseMetadata, spec: Fields, status: z.unknown() });

/** Undefined for one that breaks a rule of the API: the API server lets none through. */
export function parseBackup(object: unknown): DatabaseBackup | undefined {
  const parsed = Whole.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec, status } = parsed.data;
  return { metadata, spec, status: backupStatusIn(status) };
}
