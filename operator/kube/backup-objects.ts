// The records of backups, read and removed where a Database goes.
import { z } from "zod";
import {
  backupJobAnnotation,
  finalBackupAnnotation,
  finalBackupJobName,
  keptBackupsMap,
} from "../../components/naming";
import { parseBackup, type DatabaseBackup } from "../api/backups/object";
import { placeOf, type Place } from "../domain/key";
import type { BackupObjects } from "../domain/ports";
import { NotedStorage } from "../domain/restore";
import { parseJson } from "../objects/json";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";
import { createSecretKeys } from "./secret-keys";

const Listed = z.object({ items: z.array(z.unknown()).nullish() });
const Answer = z.object({
  metadata: z.object({ uid: z.string() }),
  spec: z.object({
    template: z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }) }),
  }),
});

const Noted = z.object({ data: z.record(z.string(), z.string()).default({}) });

export function createBackupObjects(client: KubeClient): BackupObjects {
  return {
    async isTold(key, wish) {
      const { namespace, name } = placeOf(key);
      const [job, backups] = await Promise.all([
        client.find(item(resources.jobs, namespace, finalBackupJobName(name))),
        backupsOf(client, { namespace, name }),
      ]);
      if (backups === undefined) return true;
      const { metadata, spec } = Answer.parse(job);
      if (spec.template.metadata.annotations[finalBackupAnnotation] !== wish) return false;
      return backups.some(
        ({ metadata: { annotations }, status }) =>
          annotations[backupJobAnnotation] === metadata.uid && status.phase === "Succeeded",
      );
    },
    async all(namespace) {
      return (await backupsIn(client, namespace)) ?? [];
    },
    async hasClaim(namespace, name) {
      return (await client.find(item(resources.persistentVolumeClaims, namespace, name))) !== undefined;
    },
    async storage(key) {
      const { namespace, name } = placeOf(key);
      const found = await client.find(item(resources.configMaps, namespace, keptBackupsMap.name(name)));
      const { data } = Noted.parse(found ?? {});
      const noted = data[keptBackupsMap.storageKey];
      return noted === undefined ? undefined : NotedStorage.safeParse(parseJson(noted)).data;
    },
    secretKeys: createSecretKeys(client),
    async endDrill(key, job) {
      await client.delete(item(resources.jobs, placeOf(key).namespace, job));
    },
    async remove(key) {
      const backups = (await backupsOf(client, placeOf(key))) ?? [];
      await Promise.all(
        backups
          // what waits for a Database of the name is not about this one
          .filter(({ status }) => status.phase !== undefined && status.phase !== "Pending")
          .map(({ metadata: { namespace, name, uid } }) =>
            client.delete(item(resources.databaseBackups, namespace, name), { uid }),
          ),
      );
    },
  };
}

/** The DatabaseBackups of a Database, or of the name of one. Undefined where the cluster does not know the kind, or the operator's rights are older than it. */
export async function backupsOf(client: KubeClient, { namespace, name }: Place): Promise<DatabaseBackup[] | undefined> {
  // by hand: not every API server that is supported can select by a field of a custom resource
  return (await backupsIn(client, namespace))?.filter(({ spec }) => spec.database === name);
}

async function backupsIn(client: KubeClient, namespace: string): Promise<DatabaseBackup[] | undefined> {
  try {
    const { items } = Listed.parse(await client.get(collection(resources.databaseBackups, namespace)));
    return (items ?? []).flatMap((object) => parseBackup(object) ?? []);
  } catch (error) {
    if (isApiError(error, 404) || isApiError(error, 403)) return undefined;
    throw error;
  }
}
