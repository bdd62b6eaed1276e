// Writes of DatabaseBackups, and of the Jobs that they ask for.
import { z } from "zod";
import {
  backupAnnotation,
  backupCronJobName,
  backupJobAnnotation,
  foundBackupAnnotation,
  labelKeys,
  managedSelector,
} from "../../components/naming";
import { backupResource } from "../../contract/resources";
import { foundText } from "../backups/found";
import { backupApiVersion } from "../api/backups/object";
import { backupStatusIn } from "../api/backups/stored-status";
import type { LostBackup } from "../backups/lost";
import type { BackupWrites, Begun, JobWish } from "../backups/ports";
import { backupComponent, otherRecordNameOf, recordNameOf, type BackupRun } from "../domain/backups";
import type { Place } from "../domain/key";
import { ApiError, isApiError, type KubeClient } from "./client";
import { GuardedWrites, meansGone } from "./guarded-writes";
import { JobAttempts } from "./job-attempts";
import { jobOf, manualAnnotation } from "./observe";
import { collection, item, resources, selectorText } from "./paths";

const Texts = z.record(z.string(), z.string()).default({});
const CronJob = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), labels: Texts, deletionTimestamp: z.string().optional() }),
  spec: z.object({
    suspend: z.boolean().optional(),
    jobTemplate: z.object({
      metadata: z.object({ labels: Texts, annotations: Texts }).prefault({}),
      spec: z.looseObject({}),
    }),
  }),
});
type CronJob = z.infer<typeof CronJob>;

const Listed = z.object({ items: z.array(z.unknown()).nullish() });
const Told = z.object({ metadata: z.object({ annotations: Texts }) });
const WithStatus = z.object({ status: z.unknown() });

export function createBackupWrites(client: KubeClient): BackupWrites {
  const guarded = new GuardedWrites(client, resources.databaseBackups);
  return {
    record: (run) => record(client, run),
    recordFound: (lost) => recordFound(client, lost),
    begin: (wish) => begin(client, wish),
    findRun: async ({ namespace, name }) => runIn(await client.find(item(resources.jobs, namespace, name))),
    async remove({ metadata }) {
      const { namespace, name, uid } = metadata;
      await client.delete(item(resources.databaseBackups, namespace, name), { uid });
      guarded.forget(metadata);
    },
    async writeStatus({ metadata, status: before }, statusAfter) {
      let status = statusAfter(before);
      const written = await guarded.write(metadata, (current, found) => {
        if (found !== undefined) status = statusAfter(backupStatusIn(WithStatus.safeParse(found).data?.status));
        return client.apply(`${item(resources.databaseBackups, metadata.namespace, metadata.name)}/status`, {
          ...headOf({ namespace: current.namespace, name: current.name }),
          metadata: {
            name: current.name,
            namespace: current.namespace,
            uid: current.uid,
            resourceVersion: current.resourceVersion,
          },
          status,
        });
      });
      if (written === undefined) guarded.forget(metadata);
      return written && { version: written.resourceVersion, status };
    },
  };
}

const headOf = (metadata: Place): { apiVersion: string; kind: string; metadata: Place } => ({
  apiVersion: backupApiVersion,
  kind: backupResource.kind,
  metadata,
});

const runIn = (object: unknown): BackupRun | undefined => {
  const job = object === undefined ? undefined : jobOf(object);
  // nothing is known of its pods
  return job && new JobAttempts().backup(job);
};

/** Where another object has the name of the first, it records another Job, or a person made it. */
async function record(client: KubeClient, run: BackupRun): Promise<boolean> {
  const { namespace, uid } = run;
  for (const name of [recordNameOf(run), otherRecordNameOf(run)]) {
    const outcome = await createRecord(client, { ...run, name }, { [backupJobAnnotation]: uid });
    if (outcome !== "taken") return outcome === "made";
    const found = Told.safeParse(await client.find(item(resources.databaseBackups, namespace, name))).data;
    if (found?.metadata.annotations[backupJobAnnotation] === uid) return true;
  }
  throw new Error(`no name is left for the DatabaseBackup of Job ${run.name}`);
}

/** An object that has its name already records it, or is a person's: it stays. */
async function recordFound(client: KubeClient, lost: LostBackup): Promise<boolean> {
  return (await createRecord(client, lost, { [foundBackupAnnotation]: foundText(lost.found) })) !== "gone";
}

/** Makes a DatabaseBackup. Taken: there is one of that name. Gone: there is nowhere to make it. */
async function createRecord(
  client: KubeClient,
  { namespace, name, database }: Place & { readonly database: string },
  annotations: Readonly<Record<string, string>>,
): Promise<"made" | "taken" | "gone"> {
  const body = { ...headOf({ namespace, name }), metadata: { namespace, name, annotations }, spec: { database } };
  try {
    await client.create(collection(resources.databaseBackups, namespace), body);
    return "made";
  } catch (error) {
    if (meansGone(error)) return "gone";
    if (isApiError(error, 409)) return "taken";
    throw error;
  }
}

async function begin(client: KubeClient, wish: JobWish): Promise<Begun> {
  const { namespace, database } = wish;
  const cronJob = await cronJobOf(client, { namespace, name: database });
  if (cronJob === undefined) return { kind: "no CronJob" };
  if (wish.unlessSuspended === true && cronJob.spec.suspend === true) return { kind: "suspended" };
  try {
    const created = runIn(await client.create(collection(resources.jobs, namespace), jobFrom(cronJob, wish)));
    return created === undefined ? unlabelled : { kind: "begun", run: created };
  } catch (error) {
    if (isApiError(error, 409)) return existing(client, wish);
    if (error instanceof ApiError && [400, 403, 404, 422].includes(error.status))
      return { kind: "refused", message: error.message };
    throw error;
  }
}

/** The CronJob of a Database's backups; undefined where there is none to make a Job from. */
export async function cronJobOf(client: KubeClient, { namespace, name }: Place): Promise<CronJob | undefined> {
  const found = await client.find(item(resources.cronJobs, namespace, backupCronJobName(name)));
  const cronJob = found === undefined ? undefined : CronJob.parse(found);
  return cronJob !== undefined && isLive(cronJob, name) ? cronJob : undefined;
}

/** The Jobs that take backups of a Database, or took some, without what their pods said. */
export async function backupRunsOf(client: KubeClient, { namespace, name }: Place): Promise<BackupRun[]> {
  const labels = { ...managedSelector(name), [labelKeys.component]: backupComponent };
  const query = { labelSelector: selectorText(labels) };
  const { items } = Listed.parse(await client.get(collection(resources.jobs, namespace), { query }));
  return (items ?? []).flatMap((job) => runIn(job) ?? []);
}

/** What carries the name and not the labels may be anything. */
const isLive = ({ metadata }: CronJob, database: string): boolean =>
  metadata.deletionTimestamp === undefined &&
  Object.entries(managedSelector(database)).every(([label, value]) => metadata.labels[label] === value);

const unlabelled: Begun = { kind: "refused", message: "its CronJob gives its Jobs none of the operator's labels" };

/** What `kubectl create job --from=cronjob/…` makes. */
function jobFrom({ metadata, spec }: CronJob, { namespace, job, requestedBy }: JobWish): unknown {
  const { labels, annotations } = spec.jobTemplate.metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: job,
      namespace,
      labels,
      annotations: {
        ...annotations,
        [manualAnnotation]: "manual",
        ...(requestedBy !== undefined && { [backupAnnotation]: requestedBy }),
      },
      // without a block on the owner's deletion, for which rights on its finalizers would be needed
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name: metadata.name, uid: metadata.uid, controller: true },
      ],
    },
    spec: spec.jobTemplate.spec,
  };
}

/** The Job that an earlier attempt made, whose answer was lost. */
async function existing(client: KubeClient, { namespace, job, requestedBy }: JobWish): Promise<Begun> {
  const run = runIn(await client.find(item(resources.jobs, namespace, job)));
  return run !== undefined && run.requestedBy === requestedBy
    ? { kind: "begun", run }
    : { kind: "refused", message: `Job ${job} exists and is another one: delete it` };
}
