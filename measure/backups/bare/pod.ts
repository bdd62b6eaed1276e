// A pod with the backup volume and another data volume, in which a script is run once.
import { z } from "zod";
import { backupClaimName, backupCronJobName } from "../../../components/naming";
import { eventually } from "../../../test/harness/eventually";
import { volumePod } from "../../../test/harness/volume-pod";
import { patienceFor, source, type Scene } from "../run/scene";
import { stepsIn, type Steps } from "./steps";

const name = "by-hand";

const CronJob = z.object({
  spec: z.object({
    jobTemplate: z.object({
      spec: z.object({
        template: z.object({
          spec: z.object({ containers: z.array(z.object({ env: z.array(z.looseObject({ name: z.string() })) })) }),
        }),
      }),
    }),
  }),
});

const Pod = z.object({ status: z.object({ phase: z.string() }) });

/** Runs it with the environment of the Jobs of backups and `LABEL`, and removes both pod and volume. The volumes are at /backup and /data. */
export async function runInPod(scene: Scene, script: string, label = ""): Promise<Steps> {
  const { kubectl, namespace, built } = scene;
  const env = [...(await jobEnvironment(scene)), { name: "LABEL", value: label }];
  await kubectl.apply(claimOf(scene));
  const claims = { backup: backupClaimName(source), data: name };
  await kubectl.apply(volumePod({ namespace, name, image: built.image, command: ["bash", "-c", script], env, claims }));
  try {
    const phase = await eventually(async () => {
      const { status } = Pod.parse(await kubectl.find("pod", name, namespace));
      if (status.phase !== "Succeeded" && status.phase !== "Failed") throw new Error(`it is ${status.phase}`);
      return status.phase;
    }, patienceFor(scene.gib));
    const printed = await kubectl("logs", name, "-n", namespace);
    if (phase === "Failed") throw new Error(`by hand it failed: ${printed}`);
    return stepsIn(printed);
  } finally {
    await kubectl("delete", "pod", name, "-n", namespace, "--grace-period=1");
    await kubectl("delete", "pvc", name, "-n", namespace);
  }
}

async function jobEnvironment({ kubectl, namespace }: Scene): Promise<readonly unknown[]> {
  const { spec } = CronJob.parse(await kubectl.find("cronjob", backupCronJobName(source), namespace));
  return spec.jobTemplate.spec.template.spec.containers.flatMap(({ env }) => env);
}

const claimOf = ({ namespace, gib }: Scene): unknown => ({
  ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${3 * gib + 2}Gi` } } },
});
