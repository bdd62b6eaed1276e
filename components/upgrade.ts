// The Job of a major upgrade (ADR 48): it rehearses it with a backup, carries it out with the files of the first member, or takes it back.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { refusedExitCode } from "../contract/upgrade-report";
import type { UpgradeJob } from "./args";
import { containerResourcesOf, jobResources } from "./defaults";
import type { Engine } from "./engines/engine";
import { isArchived } from "./archiving";
import { besideJobsOf, disruptionsIgnored, jobPodOf, onNodeOf, replacedJob } from "./job";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { metadataOf } from "./metadata";
import { bytesOf } from "./quantities";
import { backupClaimName, dataClaimName, dataVolumeName, labelsOf, upgradeAnnotation, upgradeJobName } from "./naming";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf } from "./placement";
import { backupDirectory, type Pod, type Volume } from "./pod";
import type { Settings } from "./settings";
import { claimSpecOf } from "./workload";

/**
 * Its pod, which needs no password: no other program reaches the servers in it. A rehearsal has a volume that goes with it, and what a drill may
 * use, as it runs beside all members; the others have the volume of the first member, and its room. Undefined where the engine has no program for it.
 */
export function upgradePodOf(settings: Settings, engine: Engine, job: UpgradeJob): Pod | undefined {
  const program = engine.upgradeProgram?.(settings, job);
  if (program === undefined) return undefined;
  const { mounts, volumes: own, ...run } = program;
  const image = { ...settings, image: job.image };
  if (job.act !== "rehearse") {
    const claim = { claimName: dataClaimName(settings.name, 0) };
    const volumes: Volume[] = [{ name: dataVolumeName, persistentVolumeClaim: claim }, ...own];
    const resources = containerResourcesOf(settings);
    return jobPodOf(image, { name: containerName, ...run, mounts }, { volumes, restartPolicy: "Never", resources });
  }
  const claim = { spec: claimSpecOf(settings.storage, settings.storageClass) };
  const volumes: Volume[] = [
    { name: dataVolumeName, ephemeral: { volumeClaimTemplate: claim } },
    { name: "backup", persistentVolumeClaim: { claimName: backupClaimName(settings.name), readOnly: true } },
    ...own,
  ];
  const bytes = bytesOf(settings.storage);
  const container = {
    ...{ name: containerName, ...run },
    env: { ...run.env, ...(bytes !== undefined && { UPGRADE_VOLUME_BYTES: String(bytes) }) },
    mounts: { ...mounts, backup: backupDirectory },
  };
  // what is too much for it would be too much for the conversion as well, and nothing else
  const { limits = jobResources.limits } = containerResourcesOf(settings);
  const resources = { requests: jobResources.requests, limits };
  const pod = jobPodOf(image, container, { volumes, restartPolicy: "Never", resources });
  return {
    ...pod,
    affinity: isArchived(settings) ? onNodeOf(settings.name).affinity : besideJobsOf(settings, "backup"),
  };
}

const containerName = "upgrade";

/** What is refused stays so: each attempt would lengthen the time for which no member serves. */
const refusalsFinal = { action: "FailJob", onExitCodes: { containerName, operator: "In", values: [refusedExitCode] } };

/**
 * The Job. It has no deadline, as a copy may take long. An attempt that was killed is made up for by the next one, whose pod comes once the former
 * has ended.
 */
export function upgradeJobOf(
  settings: Settings,
  { request, act }: Pick<UpgradeJob, "request" | "act">,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.JobArgs {
  const { name, engine } = settings;
  const hasBackups = act === "rehearse" && isArchived(settings);
  const metadata = podMetadataOf(settings, {
    labels: { ...labelsOf(name, engine, "upgrade"), ...(hasBackups && onNodeOf(name).labels) },
    annotations: { [upgradeAnnotation]: request },
  });
  return {
    metadata: metadataOf(settings, upgradeJobName(name), { role: "upgrade" }),
    spec: {
      backoffLimit: 2,
      podFailurePolicy: { rules: [...disruptionsIgnored.rules, refusalsFinal] },
      template: { metadata, spec },
    },
  };
}

/** What the part is created from. */
export interface UpgradeArgs extends PartArgs {
  readonly job: UpgradeJob;
  readonly pod: Pod;
}

/** The Job `<name>-upgrade`. */
export class Upgrade extends pulumi.ComponentResource {
  constructor(name: string, args: UpgradeArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Upgrade", name, {}, opts);
    const { settings, job, pod } = args;
    new k8s.batch.v1.Job(upgradeJobName(name), upgradeJobOf(settings, job, podSpecOf(placedPod(settings, pod))), {
      parent: this,
      dependsOn: [...(args.after ?? [])],
      ...replacedJob,
    });
    this.registerOutputs({});
  }
}
