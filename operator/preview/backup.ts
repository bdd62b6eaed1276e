// A DatabaseBackup in a preview: what would happen in words, by what the operator itself decides by. No Pulumi is asked: none runs.
import { backupClaimName, backupCronJobName } from "../../components/naming";
import { locationOf } from "../../components/object-storage";
import { parseBackup, type DatabaseBackup } from "../api/backups/object";
import { waitForCronJob, waitOf, type Wait } from "../backups/wait";
import type { BackupRun } from "../domain/backups";
import type { Key } from "../domain/key";
import { ObservedDatabase } from "../domain/observed-database";
import type { Cluster } from "./cluster";
import { harmless } from "../consequences/consequence";
import { differencesIn } from "../consequences/fields";
import type { BackupPlan, Previewed } from "./plan";

/** What the cluster has that a backup depends on. */
export interface BackupSurroundings {
  /** Undefined where there is none of the name. */
  readonly database: ObservedDatabase | undefined;
  readonly runs: readonly BackupRun[];
  readonly hasCronJob: boolean;
  /** The DatabaseBackups of the Database. */
  readonly others: readonly DatabaseBackup[];
}

/** What would follow from `object` being applied, or with `remove` from its deletion. */
export async function previewBackup(object: unknown, cluster: Cluster, remove: boolean): Promise<Previewed> {
  const backup = parseBackup(object);
  if (backup === undefined) return { kind: "skipped", message: "this DatabaseBackup cannot be read, skipped" };
  const { namespace } = backup.metadata;
  const key: Key = `${namespace}/${backup.spec.database}`;
  const others = (await cluster.backups(key)) ?? [];
  const before = others.find(({ metadata }) => metadata.name === backup.metadata.name);
  if (remove) return deletionOf(backup);
  if (before !== undefined) return changeOf(before, backup);
  const [database, runs, hasCronJob] = await Promise.all([
    cluster.database(key),
    cluster.backupRuns(key),
    cluster.hasBackupCronJob(key),
  ]);
  const observed = database === undefined ? undefined : new ObservedDatabase(database);
  return creationOf(backup, { database: observed, runs, hasCronJob, others });
}

const planOf = (
  { metadata }: DatabaseBackup,
  {
    consequences,
    ...plan
  }: Pick<BackupPlan, "intent"> & Partial<Pick<BackupPlan, "asked">> & { readonly consequences: readonly string[] },
): BackupPlan => ({
  ...{ kind: "backup", backup: `${metadata.namespace}/${metadata.name}`, asked: [], ...plan },
  consequences: consequences.map(harmless),
});

/** Of a new one. */
export function creationOf(backup: DatabaseBackup, surroundings: BackupSurroundings): BackupPlan {
  const { database } = backup.spec;
  const wait = waitFor(backup, surroundings);
  const kept = backup.spec.keep ? ["it is kept beyond the retention of its Database, which does not count it"] : [];
  if (wait !== undefined)
    return planOf(backup, { intent: "create", consequences: [`it waits: ${wait.message}`, ...kept] });
  const size = sizeOf(surroundings.others);
  const consequences = [
    `a Job is created at once from CronJob ${backupCronJobName(database)}; no member restarts`,
    `the backup lies ${placeOf(surroundings.database, backup)}${size}`,
    ...kept,
  ];
  return planOf(backup, { intent: "create", consequences });
}

const waitFor = (backup: DatabaseBackup, surroundings: BackupSurroundings): Wait | undefined =>
  waitOf(backup, surroundings) ?? (surroundings.hasCronJob ? undefined : waitForCronJob(backup));

function placeOf(database: ObservedDatabase | undefined, { metadata, spec }: DatabaseBackup): string {
  const parsed = database?.parsed;
  const s3 = parsed?.ok === true ? parsed.database.spec.backup.destination?.s3 : undefined;
  if (s3 === undefined) return `on volume ${backupClaimName(spec.database)}`;
  return `in ${locationOf({ bucket: s3.bucket, prefix: s3.prefix }, { namespace: metadata.namespace, name: spec.database })}`;
}

/** About as large as the last one. */
function sizeOf(others: readonly DatabaseBackup[]): string {
  const known = others
    .map(({ status }) => status)
    .filter(({ phase, sizeText }) => phase === "Succeeded" && sizeText !== undefined)
    .sort((one, other) => ((one.completedAt ?? "") < (other.completedAt ?? "") ? 1 : -1));
  const text = known[0]?.sizeText;
  return text === undefined ? "; no earlier one says how large" : ` and is about as large as the last one: ${text}`;
}

/** Of one that is there. */
export function changeOf(before: DatabaseBackup, after: DatabaseBackup): BackupPlan {
  const asked = differencesIn("spec", before.spec, after.spec);
  if (asked.length === 0) return planOf(after, { intent: "change", consequences: [] });
  const consequences = after.spec.keep
    ? ["retention does not remove it from now on, and does not count it"]
    : ["retention counts it again: where it is older than those that are kept, the next backup removes it"];
  return planOf(after, { intent: "change", asked, consequences });
}

/** No data goes with the object. */
export function deletionOf({ metadata, spec, status }: DatabaseBackup): BackupPlan {
  const backup: DatabaseBackup = { metadata, spec, status };
  switch (status.phase) {
    case "Succeeded": {
      const where = `${status.label ?? "the backup"} stays${status.location === undefined ? "" : ` on ${status.location}`}`;
      const kept = spec.keep ? ["it is no longer kept: retention removes it in its turn"] : [];
      return planOf(backup, { intent: "delete", consequences: [`no data is deleted: ${where}`, ...kept] });
    }
    case "Running":
      return planOf(backup, {
        intent: "delete",
        consequences: ["its Job goes on: to end it, delete the Job as well"],
      });
    case "Pending":
    case undefined:
      return planOf(backup, { intent: "delete", consequences: ["no backup is taken"] });
    case "Failed":
      return planOf(backup, { intent: "delete", consequences: ["it failed: there is no backup of it"] });
  }
}
