// What changes between backups, kept on their volume as it is written: a pod that runs all the time.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { archiveResources } from "./defaults";
import type { Engine } from "./engines/engine";
import { onNodeOf } from "./job";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { metadataOf } from "./metadata";
import { archiveName, archiveSelector, backupClaimName, jobAccountName, keptBackupsMap, labelsOf } from "./naming";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf } from "./placement";
import { backupDirectory, filesOf, underInit, type Pod } from "./pod";
import type { Settings } from "./settings";
import { authorityMounts, authorityVolumes } from "./tls";

/** Where the pod has the labels of backups that retention must not remove, as they are now. */
const keptDirectory = "/etc/database-backup";

/** The pod; undefined where the engine has no program for it. */
export function archivePodOf(settings: Settings, engine: Engine): Pod | undefined {
  const program = engine.archiveProgram?.(settings);
  if (program === undefined) return undefined;
  const { name, image } = settings;
  const { key, name: mapOf } = keptBackupsMap;
  const container = {
    ...{
      name: "archive",
      image,
      resources: program.resources ?? archiveResources,
      command: underInit(program.command),
    },
    env: { ...program.env, KEPT_FILE: `${keptDirectory}/${key}` },
    mounts: { backup: backupDirectory, kept: keptDirectory, tmp: "/tmp", ...authorityMounts(settings) },
  };
  return {
    serviceAccountName: jobAccountName(name),
    containers: [container],
    volumes: [
      { name: "backup", persistentVolumeClaim: { claimName: backupClaimName(name) } },
      { name: "kept", configMap: { name: mapOf(name), ...filesOf(key) } },
      { name: "tmp", emptyDir: {} },
      ...authorityVolumes(settings),
    ],
    affinity: onNodeOf(name).affinity,
  };
}

/** The Deployment: never two pods at once, as each would end the other's stream. */
export function archiveOf(
  settings: Settings,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.apps.v1.DeploymentArgs {
  const { name, engine } = settings;
  const labels = { ...labelsOf(name, engine, "archive"), ...onNodeOf(name).labels };
  return {
    metadata: metadataOf(settings, archiveName(name), { role: "archive" }),
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      revisionHistoryLimit: 1,
      selector: { matchLabels: archiveSelector(name) },
      template: { metadata: podMetadataOf(settings, { labels }), spec },
    },
  };
}

/** What the part is created from. */
export interface ArchiveArgs extends PartArgs {
  readonly pod: Pod;
}

/** The Deployment `<name>-archive`. */
export class Archive extends pulumi.ComponentResource {
  constructor(name: string, args: ArchiveArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Archive", name, {}, opts);
    const { settings, pod } = args;
    new k8s.apps.v1.Deployment(archiveName(name), archiveOf(settings, podSpecOf(placedPod(settings, pod))), {
      parent: this,
      dependsOn: [...(args.after ?? [])],
    });
    this.registerOutputs({});
  }
}
