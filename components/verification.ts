// Restore drills by schedule: a pod restores the newest backup onto a volume that goes with it, and looks whether that is any good.
import { createHash } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { verifyDefaults } from "../contract/defaults";
import { queriesFile } from "../contract/verification-report";
import { isArchived } from "./archiving";
import type { Engine, RestoreProgram } from "./engines/engine";
import { besideJobsOf, jobPodOf, onNodeOf, scheduledAt } from "./job";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { metadataOf } from "./metadata";
import { backupClaimName, dataVolumeName, keptBackupsMap, labelsOf, verifyCronJobName } from "./naming";
import { keyMounts, keyVolumes, objectStorageOf } from "./object-storage";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf } from "./placement";
import { backupDirectory, filesOf, type Pod, type Volume } from "./pod";
import type { Identity, Settings } from "./settings";
import { bytesOf } from "./quantities";
import { claimSpecOf } from "./workload";

/** How a Database's drills are. */
export interface Drills {
  readonly schedule: string;
  readonly timeoutMinutes: number;
}

/** Undefined where it has none. */
export function drillsOf(settings: Settings): Drills | undefined {
  const { enabled, verify } = settings.backup;
  if (!enabled || verify?.enabled === false) return undefined;
  return {
    schedule: verify?.schedule ?? weeklyOf(settings),
    timeoutMinutes: verify?.timeoutMinutes ?? verifyDefaults.timeoutMinutes,
  };
}

/** Once a week, at a time that many Databases do not have in common. */
export function weeklyOf({ namespace, name }: Pick<Identity, "namespace" | "name">): string {
  const hash = createHash("sha256").update(`${namespace}/${name}`).digest();
  return `${hash.readUInt32BE(0) % 60} ${hash.readUInt32BE(4) % 24} * * ${hash.readUInt32BE(8) % 7}`;
}

/** Where the pod has the queries. */
const queriesDirectory = "/etc/database/verify";

/** A restore that hangs must not keep the next one away. The program ends by itself before its Job is ended, and says why. */
const graceSeconds = 300;

/** Where the cluster was away at its time, a drill still begins within a day: the next one is a week away. */
const latestSeconds = 24 * 60 * 60;

/** How long the Job of a drill, and its volume with it, stay after its end, in seconds: for those who read its log. */
const lingerSeconds = 60 * 60;

/**
 * The pod of a drill. It has no Secret by which it could do anything at a member that it reaches, and those of the object storage where backups are
 * there.
 */
export function drillPodOf(settings: Settings, engine: Engine, { timeoutMinutes }: Drills): Pod {
  const { mounts, volumes: own, env, resources, ...run } = engine.verifyProgram(settings);
  const claim = { spec: claimSpecOf(settings.storage, settings.storageClass) };
  const from = originOf(settings);
  const volumes: Volume[] = [
    { name: dataVolumeName, ephemeral: { volumeClaimTemplate: claim } },
    ...from.volumes,
    { name: "queries", configMap: { name: keptBackupsMap.name(settings.name), ...filesOf(queriesFile) } },
    ...own,
  ];
  const bytes = bytesOf(settings.storage);
  const container = {
    ...{ name: "verify", ...run },
    env: {
      ...env,
      VERIFY_SECONDS: String(timeoutMinutes * 60),
      ...(bytes !== undefined && { VERIFY_VOLUME_BYTES: String(bytes) }),
      QUERIES_DIRECTORY: queriesDirectory,
    },
    mounts: { ...mounts, ...from.mounts, queries: queriesDirectory },
    // the end of its log may show what is in the data
    terminationMessagePolicy: "File",
  } as const;
  const options = { volumes, restartPolicy: "Never", ...(resources !== undefined && { resources }) } as const;
  const pod = jobPodOf(settings, container, options);
  if (objectStorageOf(settings) !== undefined) return pod;
  return {
    ...pod,
    affinity: isArchived(settings) ? onNodeOf(settings.name).affinity : besideJobsOf(settings, "backup"),
  };
}

/** What the pod has of where the backups are. */
function originOf(settings: Settings): Pick<RestoreProgram, "volumes" | "mounts"> {
  const storage = objectStorageOf(settings);
  if (storage !== undefined) return { volumes: keyVolumes(storage), mounts: keyMounts(storage) };
  const claim = { claimName: backupClaimName(settings.name), readOnly: true } as const;
  return { volumes: [{ name: "backup", persistentVolumeClaim: claim }], mounts: { backup: backupDirectory } };
}

/** The CronJob. A drill whose pod dies is not repeated before the next time: where its node evicts it for want of room, it would be each time. */
export function drillCronJobOf(
  settings: Settings,
  { schedule, timeoutMinutes }: Drills,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.CronJobArgs {
  const { name, engine } = settings;
  const labels = labelsOf(name, engine, "verification");
  return {
    metadata: metadataOf(settings, verifyCronJobName(name), { role: "verification" }),
    spec: {
      ...scheduledAt(settings, schedule),
      startingDeadlineSeconds: latestSeconds,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels },
        spec: {
          backoffLimit: 0,
          activeDeadlineSeconds: timeoutMinutes * 60 + graceSeconds,
          ttlSecondsAfterFinished: lingerSeconds,
          template: {
            metadata: podMetadataOf(settings, {
              labels: { ...labels, ...(isArchived(settings) && onNodeOf(name).labels) },
            }),
            spec,
          },
        },
      },
    },
  };
}

/** What the part is created from. */
export interface VerificationArgs extends PartArgs {
  readonly drills: Drills;
  readonly pod: Pod;
}

/** The CronJob `<name>-verify`. */
export class Verification extends pulumi.ComponentResource {
  constructor(name: string, args: VerificationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Verification", name, {}, opts);
    const { settings, drills, pod } = args;
    new k8s.batch.v1.CronJob(
      verifyCronJobName(name),
      drillCronJobOf(settings, drills, podSpecOf(placedPod(settings, pod))),
      {
        parent: this,
        dependsOn: [...(args.after ?? [])],
      },
    );
    this.registerOutputs({});
  }
}
