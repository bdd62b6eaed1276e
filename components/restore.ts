// The Job that fills the first member's volume, from a backup or a server elsewhere: members use a volume that they find.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { factsOf } from "../contract/engines";
import type { DatabaseArgs } from "./args";
import { containerResourcesOf } from "./defaults";
import type { Engine, RestoreProgram } from "./engines/engine";
import { disruptionsIgnored, jobPodOf, onNodeOf, replacedJob, type VolumePod } from "./job";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { metadataOf } from "./metadata";
import {
  dataClaimName,
  dataVolumeName,
  importJobName,
  labelsOf,
  restoreAnnotation,
  restoreJobName,
  type ChildRole,
} from "./naming";
import { keyMounts, keyVolumes } from "./object-storage";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf } from "./placement";
import { backupDirectory, type Pod, type Volume } from "./pod";
import type { Settings } from "./settings";
import { authorityMounts, authorityVolumes } from "./source-server";

/** Where the data are, and which. */
export type RestoreSource = NonNullable<DatabaseArgs["restore"]>;

/** What the Job is for. */
const roleOf = (source: RestoreSource): Extract<ChildRole, "restore" | "import"> =>
  "server" in source ? "import" : "restore";

const jobNames = { restore: restoreJobName, import: importJobName } as const;

/** Its name. */
export const fillingJobName = (name: string, source: RestoreSource): string => jobNames[roleOf(source)](name);

/**
 * The pod of the Job. It has the first member's volume and what a member may use, for a server runs in it. Undefined where the engine
 * cannot read from there. Each attempt has a pod of its own, so that the log of one that failed stays.
 */
export function restorePodOf(settings: Settings, engine: Engine, source: RestoreSource): Pod | undefined {
  const program = engine.restoreProgram(settings, source);
  if (program === undefined) return undefined;
  const { mounts, volumes: own, ...run } = program;
  const from = originOf(source);
  const volumes: Volume[] = [
    { name: dataVolumeName, persistentVolumeClaim: { claimName: dataClaimName(settings.name, 0) } },
    ...from.volumes,
    ...own,
  ];
  const container = { name: roleOf(source), ...run, mounts: { ...mounts, ...from.mounts } };
  const resources = containerResourcesOf(settings);
  const pod = jobPodOf(settings, container, { volumes, restartPolicy: "Never", resources });
  const beside = besideVolumeOf(settings, source);
  return beside === undefined ? pod : { ...pod, affinity: beside.affinity };
}

/** Where the backup volume may be another pod's all the time: that of the Database whose changes are kept there. */
const besideVolumeOf = ({ engine }: Settings, source: RestoreSource): VolumePod | undefined =>
  "claim" in source && source.takenBy !== undefined && factsOf(engine).keepsChanges.includes("on the backup volume")
    ? onNodeOf(source.takenBy)
    : undefined;

/** What the pod has of where the data are. */
function originOf(source: RestoreSource): Pick<RestoreProgram, "volumes" | "mounts"> {
  if ("stored" in source) {
    const { storage } = source.stored;
    return { volumes: keyVolumes(storage), mounts: keyMounts(storage) };
  }
  if ("server" in source) return { volumes: authorityVolumes(source.server), mounts: authorityMounts(source.server) };
  const claim = { claimName: source.claim, readOnly: true } as const;
  return { volumes: [{ name: "backup", persistentVolumeClaim: claim }], mounts: { backup: backupDirectory } };
}

/**
 * The Job. It has no deadline, as a copy may take long; what fails once mostly fails again. A pod that a drain, or a node's end, takes away
 * is no attempt.
 */
export function restoreJobOf(
  settings: Settings,
  source: RestoreSource,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.JobArgs {
  const { name, engine } = settings;
  const role = roleOf(source);
  const labels = { ...labelsOf(name, engine, role), ...besideVolumeOf(settings, source)?.labels };
  const metadata = podMetadataOf(settings, { labels, annotations: { [restoreAnnotation]: source.request } });
  return {
    metadata: metadataOf(settings, fillingJobName(name, source), { role }),
    spec: { backoffLimit: 2, podFailurePolicy: disruptionsIgnored, template: { metadata, spec } },
  };
}

/** What the part is created from. */
export interface RestoreArgs extends PartArgs {
  readonly source: RestoreSource;
  readonly pod: Pod;
}

/** The Job `<name>-restore`, or `<name>-import`. */
export class Restore extends pulumi.ComponentResource {
  constructor(name: string, args: RestoreArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Restore", name, {}, opts);
    const { settings, source, pod } = args;
    new k8s.batch.v1.Job(
      fillingJobName(name, source),
      restoreJobOf(settings, source, podSpecOf(placedPod(settings, pod))),
      {
        parent: this,
        dependsOn: [...(args.after ?? [])],
        ...replacedJob,
      },
    );
    this.registerOutputs({});
  }
}
