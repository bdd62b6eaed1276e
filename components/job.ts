// What Jobs have in common, and how they change. They are the only children that are ever replaced.
import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Resources } from "./args";
import { backupVolumeLabel, jobAccountName, labelKeys, type ChildRole } from "./naming";
import { jobResources } from "./defaults";
import type { Container, Pod, Volume } from "./pod";
import type { Settings } from "./settings";

/** A Job's template is immutable and its name is fixed: the old one goes before the new one comes. */
export const replacedJob: Pick<pulumi.CustomResourceOptions, "replaceOnChanges" | "deleteBeforeReplace"> = {
  replaceOnChanges: ["spec"],
  deleteBeforeReplace: true,
};

/** For Jobs whose pods are not restarted: one that was evicted says nothing of the program. */
export const disruptionsIgnored = {
  rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
};

/** What differs from Job to Job beside its program. */
interface JobPodOptions {
  readonly volumes: readonly Volume[];
  readonly restartPolicy: "Never" | "OnFailure";
  /** Default: those of programs that only connect to the database. */
  readonly resources?: Resources;
}

/**
 * The pod of a Job. It talks to the database only, so it gets no token for the Kubernetes API. What its program says last is in the pod's
 * termination message: by itself, or else the end of its log, unless `container` says otherwise.
 */
export function jobPodOf(
  { name, image }: Settings,
  container: Omit<Container, "image" | "resources">,
  { volumes, restartPolicy, resources = jobResources }: JobPodOptions,
): Pod {
  const common = { image, resources, terminationMessagePolicy: "FallbackToLogsOnError" } as const;
  return {
    serviceAccountName: jobAccountName(name),
    containers: [{ ...common, ...container }],
    volumes,
    restartPolicy,
  };
}

/**
 * When a CronJob of this Database begins: never two at once, and none once the last backup is asked for, or while a major upgrade keeps members
 * away.
 */
export const scheduledAt = ({ finalBackup, upgrade }: Settings, schedule: string): CronJobTimes => ({
  schedule,
  ...((finalBackup !== undefined || (upgrade !== undefined && upgrade.members !== "all")) && { suspend: true }),
  timeZone: "Etc/UTC",
  concurrencyPolicy: "Forbid",
});

type CronJobTimes = Pick<
  k8s.types.input.batch.v1.CronJobSpec,
  "schedule" | "suspend" | "timeZone" | "concurrencyPolicy"
>;

/** For all pods that have a Database's backup volume, where one has it all the time: on the node of that one, or wherever the first of them goes. */
export function onNodeOf(volumeOf: string): VolumePod {
  const labels = { [backupVolumeLabel]: volumeOf };
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } };
  return { labels, affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

/** What such a pod has. */
export interface VolumePod {
  readonly labels: Readonly<Record<string, string>>;
  readonly affinity: k8s.types.input.core.v1.Affinity;
}

/** Rather on the node of this Database's Job pods of that role: a volume that one node has at a time would keep either waiting for the other. */
export function besideJobsOf({ name }: Settings, role: ChildRole): k8s.types.input.core.v1.Affinity {
  const matchLabels = { [labelKeys.database]: name, [labelKeys.component]: role };
  const podAffinityTerm = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels } };
  return { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] } };
}
