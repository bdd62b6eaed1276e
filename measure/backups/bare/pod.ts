// A pod with the backup volume and another data volume, in which a script is run once.
import { z } from "zod";
import { backupClaimName, backupCronJobName } from "../../../components/naming";
import { eventually } from "../../../test/harness/eventually";
import { volumePod } from "../../../test/harness/volume-pod";
import { patienceFor, source, type Scene } from "../run/scene";
import { stepsIn, type Steps } from "./steps";

const name = "by-hand";

const Container = z.object({
  name: z.string(),
  env: z.array(z.looseObject({ name: z.string() })),
  resources: z.unknown(),
});
const Template = z.object({ template: z.object({ spec: z.object({ containers: z.array(Container) }) }) });
const CronJob = z.object({ spec: z.object({ jobTemplate: z.object({ spec: Template }) }) });
const StatefulSet = z.object({ spec: Template });

const Pod = z.object({ status: z.object({ phase: z.string() }) });

export interface ByHand {
  readonly script: string;
  /** What the pod may use: as the Job of a backup, or as a member and with it the Job of a restore. */
  readonly as: "backup" | "member";
  /** Of a backup. Default: none. */
  readonly label?: string;
}

/** Runs it with the environment of the Jobs of backups and `LABEL`, and removes both pod and volume. The volumes are at /backup and /data. */
export async function runInPod(scene: Scene, { script, as, label = "" }: ByHand): Promise<Steps> {
  const { kubectl, namespace, built } = scene;
  const job = await backupContainer(scene);
  const env = [...job.env, { name: "LABEL", value: label }];
  const { resources } = as === "backup" ? job : await memberContainer(scene);
  await kubectl.apply(claimOf(scene));
  const claims = { backup: backupClaimName(source), data: name };
  const command = ["bash", "-c", script];
  await kubectl.apply(volumePod({ namespace, name, image: built.image, command, env, resources, claims }));
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

type Container = z.infer<typeof Container>;

async function backupContainer({ kubectl, namespace }: Scene): Promise<Container> {
  const { spec } = CronJob.parse(await kubectl.find("cronjob", backupCronJobName(source), namespace));
  const [container] = spec.jobTemplate.spec.template.spec.containers;
  if (container === undefined) throw new Error("the CronJob of the backups has no container");
  return container;
}

async function memberContainer({ kubectl, namespace, scenario }: Scene): Promise<Container> {
  const { spec } = StatefulSet.parse(await kubectl.find("statefulset", source, namespace));
  const container = spec.template.spec.containers.find(({ name: own }) => own === scenario.engine);
  if (container === undefined) throw new Error(`the members have no container ${scenario.engine}`);
  return container;
}

const claimOf = ({ namespace, gib }: Scene): unknown => ({
  ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${3 * gib + 2}Gi` } } },
});
