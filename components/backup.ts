// Backups, one at once and then by schedule, onto a volume of their own, which outlives the stack, or to object storage.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { keptText, keptVariable } from "../contract/backup-report";
import { queriesFile } from "../contract/verification-report";
import type { Engine } from "./engines/engine";
import { isArchived } from "./archiving";
import { besideJobsOf, jobPodOf, onNodeOf, replacedJob, scheduledAt } from "./job";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { lastingMetadataOf, metadataOf } from "./metadata";
import {
  backupClaimName,
  backupCronJobName,
  finalBackupAnnotation,
  finalBackupJobName,
  firstBackupJobName,
  keptBackupsMap,
  labelsOf,
} from "./naming";
import {
  objectStorageOf,
  repositoryKey,
  repositoryOf,
  storageMounts,
  storageNote,
  storageVolumes,
} from "./object-storage";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf } from "./placement";
import { backupDirectory, fromConfigMap, type Pod, type Volume } from "./pod";
import type { Settings } from "./settings";
import { drillsOf } from "./verification";
import { claimSpecOf } from "./workload";

/**
 * How long the Job of a backup may take, all attempts together, in seconds: 6 hours. A copy that hangs would never end,
 * and under `concurrencyPolicy: Forbid` it would keep every later backup from being taken.
 */
export const backupDeadlineSeconds = 6 * 60 * 60;

/** The claim of the backups. */
export function backupClaimOf(settings: Settings): k8s.core.v1.PersistentVolumeClaimArgs {
  return {
    metadata: lastingMetadataOf(settings, backupClaimName(settings.name), { role: "backup" }),
    spec: claimSpecOf(settings.backup.size, settings.backup.storageClass),
  };
}

/**
 * Says which backups retention must not remove, what object storage they go to, and what is asked of one that was restored. It outlives the stack like the volume that they are on. Their program reads it when it begins:
 * what is in it is no part of a Job, so that none is repeated where it changes.
 */
export function keptBackupsOf(settings: Settings): k8s.core.v1.ConfigMapArgs {
  const { key, storageKey, name } = keptBackupsMap;
  const storage = objectStorageOf(settings);
  const queries = drillsOf(settings) === undefined ? [] : (settings.backup.verify?.queries ?? []);
  return {
    metadata: lastingMetadataOf(settings, name(settings.name), { role: "backup" }),
    data: {
      [key]: keptText(settings.backup.kept),
      ...(storage !== undefined && {
        [repositoryKey]: repositoryOf(settings, storage),
        [storageKey]: storageNote(settings, storage),
      }),
      ...(queries.length > 0 && { [queriesFile]: JSON.stringify(queries) }),
    },
  };
}

/** The pod of a backup Job. One that failed stays, with its log, for as long as its Job: each attempt has a pod of its own. */
export function backupPodOf(settings: Settings, engine: Engine): Pod {
  const storage = objectStorageOf(settings);
  const claim = { name: "backup", persistentVolumeClaim: { claimName: backupClaimName(settings.name) } };
  const volumes: Volume[] = [
    ...(storage === undefined ? [claim] : storageVolumes(settings, storage)),
    { name: "tmp", emptyDir: {} },
  ];
  const { command, env, resources } = engine.backupProgram(settings);
  const kept = fromConfigMap(keptBackupsMap.name(settings.name), keptBackupsMap.key);
  const mounts = { ...(storage === undefined ? { backup: backupDirectory } : storageMounts(storage)), tmp: "/tmp" };
  const container = { name: "backup", command, env: { ...env, [keptVariable]: kept }, mounts };
  const made = jobPodOf(settings, container, {
    volumes,
    restartPolicy: "Never",
    ...(resources !== undefined && { resources }),
  });
  return isArchived(settings) ? { ...made, affinity: onNodeOf(settings.name).affinity } : made;
}

/** Labels of the pods of backup Jobs. */
const podLabelsOf = (settings: Settings): Record<string, string> => ({
  ...labelsOf(settings.name, settings.engine, "backup"),
  ...(isArchived(settings) && onNodeOf(settings.name).labels),
});

/** The pod of a backup that a drill may run beside. Where changes are kept on the volume both are on its node anyway. */
export function besideDrills(settings: Settings, pod: Pod): Pod {
  const isApart = drillsOf(settings) === undefined || objectStorageOf(settings) !== undefined || isArchived(settings);
  return isApart ? pod : { ...pod, affinity: besideJobsOf(settings, "verification") };
}

/** The CronJob; two backups never run at once, and one that was missed by less than an hour is still run. */
export function backupCronJobOf(
  settings: Settings,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.CronJobArgs {
  const { name, engine, backup } = settings;
  const labels = labelsOf(name, engine, "backup");
  return {
    metadata: metadataOf(settings, backupCronJobName(name), { role: "backup" }),
    spec: {
      ...scheduledAt(settings, backup.schedule),
      startingDeadlineSeconds: 3600,
      successfulJobsHistoryLimit: 3,
      // one and its attempts, and one before
      failedJobsHistoryLimit: 5,
      jobTemplate: {
        metadata: { labels },
        spec: {
          backoffLimit: 3,
          activeDeadlineSeconds: backupDeadlineSeconds,
          template: { metadata: podMetadataOf(settings, { labels: podLabelsOf(settings) }), spec },
        },
      },
    },
  };
}

/**
 * The Job of the first backup, so that a database is not without one until the night. It runs again when its image or
 * its settings change. It also makes the volume real: a claim that waits for its first consumer could not grow.
 */
export function firstBackupJobOf(
  settings: Settings,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.JobArgs {
  const { name } = settings;
  return {
    metadata: metadataOf(settings, firstBackupJobName(name), { role: "backup" }),
    spec: {
      backoffLimit: 10,
      activeDeadlineSeconds: backupDeadlineSeconds,
      template: { metadata: podMetadataOf(settings, { labels: podLabelsOf(settings) }), spec },
    },
  };
}

const template = "spec.template";

/**
 * Paths of that Job that do not make it run again: a backup that is taken for them alone would have retention remove an older one. Where it
 * is created again for another reason it follows them, too.
 */
export function unheededPaths(settings: Settings): string[] {
  if (settings.retriesFirstBackup) return [];
  // what binds it to the pod that has the volume counts
  const affinity = isArchived(settings) ? "affinity.nodeAffinity" : "affinity";
  const placement = ["nodeSelector", "tolerations", affinity, "priorityClassName", "imagePullSecrets"];
  return [
    ...["labels", "annotations"].map((field) => `${template}.metadata.${field}`),
    ...placement.map((field) => `${template}.spec.${field}`),
  ];
}

/** What asks for a last backup: of the Database, or else of the version that a major upgrade leaves. */
export const lastBackupOf = ({ finalBackup, upgrade }: Pick<Settings, "finalBackup" | "upgrade">): string | undefined =>
  finalBackup ?? upgrade?.backup;

/**
 * The Job of the last backup. It runs again when another one is asked for. Its attempts are as many as those of the
 * first: a backup that is still in progress on the volume makes it wait.
 */
export function finalBackupJobOf(
  settings: Settings,
  wish: string,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.JobArgs {
  const { name } = settings;
  const metadata = podMetadataOf(settings, {
    labels: podLabelsOf(settings),
    annotations: { [finalBackupAnnotation]: wish },
  });
  return {
    metadata: metadataOf(settings, finalBackupJobName(name), { role: "backup" }),
    spec: { backoffLimit: 10, activeDeadlineSeconds: backupDeadlineSeconds, template: { metadata, spec } },
  };
}

/** The claim, where there is one, the ConfigMap and the CronJob `<name>-backup`, the Job `<name>-backup-first` and, where asked for, that of the last one. */
export class Backup extends pulumi.ComponentResource {
  /** What Jobs that read or write backups need. */
  readonly place: pulumi.Resource;

  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Backup", name, {}, opts);
    const { settings, engine } = args;
    const lasting = { parent: this, retainOnDelete: true };
    const map = new k8s.core.v1.ConfigMap(keptBackupsMap.name(name), keptBackupsOf(settings), lasting);
    const place =
      objectStorageOf(settings) === undefined
        ? new k8s.core.v1.PersistentVolumeClaim(backupClaimName(name), backupClaimOf(settings), lasting)
        : map;
    this.place = place;
    const pod = backupPodOf(settings, engine);
    const spec = podSpecOf(placedPod(settings, pod));
    // not the first one: it would be taken again, and no drill comes before it
    const later = podSpecOf(placedPod(settings, besideDrills(settings, pod)));
    new k8s.batch.v1.CronJob(backupCronJobName(name), backupCronJobOf(settings, later), {
      parent: this,
      dependsOn: [place],
    });
    new k8s.batch.v1.Job(firstBackupJobName(name), firstBackupJobOf(settings, spec), {
      parent: this,
      dependsOn: [place, ...(args.after ?? [])],
      ...replacedJob,
      ignoreChanges: unheededPaths(settings),
    });
    const wish = lastBackupOf(settings);
    if (wish !== undefined) {
      new k8s.batch.v1.Job(finalBackupJobName(name), finalBackupJobOf(settings, wish, later), {
        parent: this,
        dependsOn: [place, ...(args.after ?? [])],
        ...replacedJob,
      });
    }
    this.registerOutputs({});
  }
}
