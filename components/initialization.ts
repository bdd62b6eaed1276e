// The Job that creates the application's role and database. It is idempotent: it runs again when its image changes.
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Engine } from "./engines/engine";
import { jobPodOf, replacedJob } from "./job";
import { podSpecOf } from "./kubernetesx/pod-spec";
import { metadataOf } from "./metadata";
import { initJobName, labelsOf } from "./naming";
import type { PartArgs } from "./part";
import { placedPod, podMetadataOf } from "./placement";
import type { Pod, Volume } from "./pod";
import type { Settings } from "./settings";

/** The pod of the init Job. It is the same for all attempts, which may be many: a database may be without a primary for hours. */
export function initPodOf(settings: Settings, engine: Engine): Pod {
  const volumes: Volume[] = [{ name: "tmp", emptyDir: {} }];
  const container = { name: "init", ...engine.initProgram(settings), mounts: { tmp: "/tmp" } };
  return jobPodOf(settings, container, { volumes, restartPolicy: "OnFailure" });
}

/** The init Job; the container itself waits for a primary, so its few retries are for real errors. */
export function initJobOf(
  settings: Settings,
  spec: pulumi.Input<k8s.types.input.core.v1.PodSpec>,
): k8s.batch.v1.JobArgs {
  const { name, engine } = settings;
  return {
    metadata: metadataOf(settings, initJobName(name), { role: "initialization" }),
    spec: {
      backoffLimit: 100,
      template: { metadata: podMetadataOf(settings, { labels: labelsOf(name, engine, "initialization") }), spec },
    },
  };
}

/** The Job `<name>-init`. */
export class Initialization extends pulumi.ComponentResource {
  constructor(name: string, args: PartArgs, opts?: pulumi.ComponentResourceOptions) {
    super("databases:index:Initialization", name, {}, opts);
    const { settings, engine } = args;
    const job = initJobOf(settings, podSpecOf(placedPod(settings, initPodOf(settings, engine))));
    new k8s.batch.v1.Job(initJobName(name), job, {
      parent: this,
      dependsOn: [...(args.after ?? [])],
      ...replacedJob,
    });
    this.registerOutputs({});
  }
}
