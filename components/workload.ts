// The members of a Database: a StatefulSet and, as resources of their own, the claims of their data.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Engine } from "./engines/engine";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { lastingMetadataOf, metadataOf } from "./metadata";
import { startParameters } from "./member";
import {
  accessName,
  dataClaimName,
  dataVolumeName,
  headlessServiceName,
  labelsOf,
  memberSelector,
  statefulSetName,
  upgradeAnnotation,
} from "./naming";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf, spreadOf } from "./placement";
import { annotationVolume, underInit, type Pod } from "./pod";
import { membersOf, type Settings } from "./settings";

/** Paths of a StatefulSet that cannot change in place; a change of them must never replace it. */
export const frozenPaths = [
  "spec.volumeClaimTemplates",
  "spec.serviceName",
  "spec.selector",
  "spec.podManagementPolicy",
  "spec.revisionHistoryLimit",
];

/** The claim of one member's data. Its size is the only thing that changes, in place. */
export function dataClaimOf(settings: Settings, ordinal: number): k8s.core.v1.PersistentVolumeClaimArgs {
  return {
    metadata: lastingMetadataOf(settings, dataClaimName(settings.name, ordinal)),
    spec: claimSpecOf(settings.storage, settings.storageClass),
  };
}

/** The spec of a claim that one pod at a time writes to; without a class the cluster's default class counts. */
export function claimSpecOf(size: string, storageClass?: string): k8s.types.input.core.v1.PersistentVolumeClaimSpec {
  return {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: size } },
    ...(storageClass !== undefined && { storageClassName: storageClass }),
  };
}

/** The pod of a member; each of its containers runs under an init process. */
export function memberPodOf(settings: Settings, engine: Engine): Pod {
  const { containers, volumes, ...pod } = engine.memberPod(settings);
  const { volume, annotation, file } = startParameters;
  return {
    ...pod,
    containers: containers.map((container) => ({ ...container, command: underInit(container.command) })),
    volumes: [...volumes, annotationVolume(volume, annotation, file)],
    serviceAccountName: accessName(settings.name),
    automountServiceAccountToken: true,
    affinity: spreadOf(settings),
  };
}

/** The StatefulSet; its pods' spec is handed in, because building it is the component's business. */
export function statefulSetOf(
  settings: Settings,
  engine: Engine,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.apps.v1.StatefulSetArgs {
  const { name } = settings;
  const { note } = settings.upgrade ?? {};
  return {
    metadata: metadataOf(settings, statefulSetName(name), {
      labels: { "app.kubernetes.io/version": settings.version },
      ...(note !== undefined && { annotations: { [upgradeAnnotation]: note } }),
    }),
    spec: {
      // members would begin with an empty volume
      replicas: membersOf(settings),
      serviceName: headlessServiceName(name),
      podManagementPolicy: "Parallel",
      revisionHistoryLimit: 10,
      updateStrategy: { type: settings.updateStrategy },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      selector: { matchLabels: memberSelector(name) },
      template: isTemplate(settings.memberTemplate) ? settings.memberTemplate : templateOf(settings, engine, spec),
      volumeClaimTemplates: [
        {
          // a claim that the StatefulSet creates itself, in place of one that was deleted, is known as ours by its labels
          metadata: { name: dataVolumeName, labels: labelsOf(name, settings.engine) },
          spec: claimSpecOf(settings.claimTemplateStorage, settings.storageClass),
        },
      ],
    },
  };
}

/** The template of the members' pods, as this release declares it. */
export const memberTemplateOf = (settings: Settings, engine: Engine): pulumi.Output<PodTemplate> =>
  memberSpecOf(settings, engine).apply((spec) => templateOf(settings, engine, spec));

const memberSpecOf = (settings: Settings, engine: Engine): ReturnType<typeof podSpecOf> =>
  podSpecOf(placedPod(settings, memberPodOf(settings, engine)));

type PodTemplate = k8s.types.input.core.v1.PodTemplateSpec;

const templateOf = (settings: Settings, engine: Engine, spec: PodTemplate["spec"]): PodTemplate => ({
  metadata: podMetadataOf(settings, {
    labels: labelsOf(settings.name, settings.engine),
    annotations: { [startParameters.annotation]: JSON.stringify(engine.startParameters(settings)) },
  }),
  ...(spec !== undefined && { spec }),
});

/** Of what an earlier run declared. */
const isTemplate = (value: unknown): value is PodTemplate =>
  typeof value === "object" && value !== null && "metadata" in value && "spec" in value;

/** The members: StatefulSet `<name>` and claims `data-<name>-<i>`, which outlive the stack. */
export class Workload extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Workload", name, {}, opts);
    const { settings, engine } = args;
    const claims = Array.from({ length: settings.replicas }, (_, ordinal) => {
      const claim = dataClaimOf(settings, ordinal);
      return new k8s.core.v1.PersistentVolumeClaim(dataClaimName(name, ordinal), claim, {
        parent: this,
        retainOnDelete: true,
      });
    });
    const spec = memberSpecOf(settings, engine);
    new k8s.apps.v1.StatefulSet(statefulSetName(name), statefulSetOf(settings, engine, spec), {
      parent: this,
      // The StatefulSet uses claims that exist, so theirs is the size that counts: see claimTemplateStorage.
      dependsOn: [...claims, ...(args.after ?? [])],
      ignoreChanges: frozenPaths,
    });
    this.registerOutputs({});
  }
}
