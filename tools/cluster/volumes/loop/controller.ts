// Executes what claims and volumes ask for, one task after another.
import { join } from "node:path";
import { z } from "zod";
import type { Log } from "../../../host/command";
import { ApiError, type KubernetesApi } from "../../api";
import { discard, type Format, grow, type LoopVolume, mountVolume, provide } from "./loop-device";
import { capacityOf, Claim, formatIn, isOwn, STORAGE_CLASS, type Task, tasksFor, Volume, volumeFor } from "./objects";

/** What the controller works on. */
export interface ControllerArgs {
  api: KubernetesApi;
  /** Name of the node that has the volumes. */
  node: string;
  /** Directory for the files that hold volumes. */
  files: string;
  /** Directory below which volumes are mounted, as the kubelet sees it. */
  mounts: string;
  log: Log;
}

const CLAIMS = "/api/v1/persistentvolumeclaims";
const VOLUMES = "/api/v1/persistentvolumes";
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";

function loopVolume({ files, mounts }: ControllerArgs, name: string): LoopVolume {
  return { file: join(files, `${name}.img`), mountPoint: join(mounts, name) };
}

/** Mounts the volumes that exist: after a restart of the machine none are. */
export async function mountExisting(at: ControllerArgs): Promise<void> {
  for (const volume of (await list(at.api, VOLUMES, Volume)).filter(isOwn)) {
    await mountVolume(loopVolume(at, volume.metadata.name));
  }
}

/** Looks at all claims and volumes once and does what must be done. Answers whether everything succeeded. */
export async function reconcileAll(at: ControllerArgs): Promise<boolean> {
  const [claims, volumes] = await Promise.all([list(at.api, CLAIMS, Claim), list(at.api, VOLUMES, Volume)]);
  let succeeded = true;
  for (const task of tasksFor(claims, volumes)) {
    try {
      await carryOut(task, at);
      at.log(`${task.kind} ${task.volume}: done`);
    } catch (error) {
      succeeded = false;
      at.log(`${task.kind} ${task.volume}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return succeeded;
}

async function list<T extends z.ZodType>(api: KubernetesApi, path: string, item: T): Promise<z.infer<T>[]> {
  return z.object({ items: z.array(item) }).parse(await api.request("GET", path)).items;
}

async function carryOut(task: Task, at: ControllerArgs): Promise<void> {
  const volume = loopVolume(at, task.volume);
  switch (task.kind) {
    case "provision":
      await provide(volume, task.bytes, await formatOf(task.claim, at.api));
      await unlessStatus(409, at.api.request("POST", VOLUMES, volumeFor(task, volume.mountPoint, at.node)));
      return;
    case "expand":
      await grow(volume, task.bytes);
      await stateCapacity(task, at.api);
      return;
    case "remove":
      await discard(volume);
      await unlessStatus(404, at.api.request("DELETE", `${VOLUMES}/${task.volume}`));
      return;
  }
}

async function formatOf({ spec }: Claim, api: KubernetesApi): Promise<Format> {
  const { storageClassName: name = STORAGE_CLASS.metadata.name } = spec;
  const isDefault = name === STORAGE_CLASS.metadata.name;
  return formatIn(isDefault ? STORAGE_CLASS : await api.request("GET", `${CLASSES}/${name}`));
}

/** Says that a volume has grown, first on it, then on its claim, as Kubernetes' own resizer does. */
async function stateCapacity(task: Extract<Task, { kind: "expand" }>, api: KubernetesApi): Promise<void> {
  const { claim, volume, bytes } = task;
  const capacity = { storage: capacityOf(claim, bytes) };
  await api.request("PATCH", `${VOLUMES}/${volume}`, { spec: { capacity } });
  const { namespace, name } = claim.metadata;
  // the only conditions of a claim are about resizing, and that is over
  const status = { capacity, conditions: null, allocatedResources: null, allocatedResourceStatuses: null };
  await api.request("PATCH", `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}/status`, { status });
}

async function unlessStatus(status: number, request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== status) throw error;
  });
}
