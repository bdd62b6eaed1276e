// The objects of the API that the volume provisioner reads, and those it creates.
import { z } from "zod";
import { MINIMUM_BYTES, type Format } from "./loop-device";
import { bytesOf } from "./quantity";

/** Name under which this provisioner serves StorageClasses. */
export const PROVISIONER = "database-operator.example.com/loop";

const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
const Annotations = z.record(z.string(), z.string()).default({});
const Storage = z.object({ storage: z.string() });

/** A claim, as far as the provisioner cares. */
export const Claim = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    annotations: Annotations,
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({
    accessModes: z.array(z.string()),
    storageClassName: z.string().optional(),
    volumeName: z.string().optional(),
    resources: z.object({ requests: Storage }),
  }),
  status: z.object({ phase: z.string().optional(), capacity: Storage.optional() }).default({}),
});
export type Claim = z.infer<typeof Claim>;

/** A volume, as far as the provisioner cares. */
export const Volume = z.object({
  metadata: z.object({ name: z.string(), annotations: Annotations, deletionTimestamp: z.string().optional() }),
  spec: z.object({
    capacity: Storage,
    persistentVolumeReclaimPolicy: z.string().optional(),
    claimRef: z.object({ namespace: z.string(), name: z.string(), uid: z.string().optional() }).optional(),
  }),
  status: z.object({ phase: z.string().optional() }).default({}),
});
export type Volume = z.infer<typeof Volume>;

/** One thing for the provisioner to do. Sizes are in bytes. */
export type Task =
  | { kind: "provision"; claim: Claim; volume: string; bytes: number }
  | { kind: "expand"; claim: Claim; volume: string; bytes: number }
  | { kind: "remove"; volume: string };

/** What must be done, given all claims and volumes of the cluster. */
export function tasksFor(claims: readonly Claim[], volumes: readonly Volume[]): Task[] {
  const own = new Map(volumes.filter(isOwn).map((volume) => [volume.metadata.name, volume]));
  const wanted = claims.flatMap((claim) => taskFor(claim, own) ?? []);
  const released = [...own.values()].filter(isReleased).map(({ metadata }) => metadata.name);
  return [...wanted, ...released.map((volume) => ({ kind: "remove" as const, volume }))];
}

/** Answers whether this provisioner has created the volume. */
export function isOwn({ metadata }: Volume): boolean {
  return metadata.annotations[PROVISIONED_BY] === PROVISIONER;
}

function isReleased({ spec, status, metadata }: Volume): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status.phase === "Released" && spec.persistentVolumeReclaimPolicy === "Delete";
}

function taskFor(claim: Claim, own: ReadonlyMap<string, Volume>): Task | undefined {
  const { metadata, spec, status } = claim;
  const bytes = Math.max(bytesOf(spec.resources.requests.storage), MINIMUM_BYTES);
  if (spec.volumeName === undefined) {
    // the controller manager annotates a claim when no volume there is fits it
    const asked = metadata.annotations["volume.kubernetes.io/storage-provisioner"] === PROVISIONER;
    const volume = `pvc-${metadata.uid}`;
    if (!asked || metadata.deletionTimestamp !== undefined || own.has(volume)) return undefined;
    return { kind: "provision", claim, volume, bytes };
  }
  const volume = own.get(spec.volumeName);
  if (!volume || status.phase !== "Bound" || !status.capacity) return undefined;
  const done = bytesOf(volume.spec.capacity.storage) >= bytes && bytesOf(status.capacity.storage) >= bytes;
  return done ? undefined : { kind: "expand", claim, volume: spec.volumeName, bytes };
}

/** The volume for a claim, at `path` on `node`: of kind `local`, because for those the kubelet applies a pod's fsGroup. */
export function volumeFor(task: Extract<Task, { kind: "provision" }>, path: string, node: string): object {
  const { claim, volume, bytes } = task;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volume, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      accessModes: claim.spec.accessModes,
      capacity: { storage: capacityOf(claim, bytes) },
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        name: claim.metadata.name,
        namespace: claim.metadata.namespace,
        uid: claim.metadata.uid,
      },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] },
          ],
        },
      },
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: claim.spec.storageClassName,
      volumeMode: "Filesystem",
    },
  };
}

/** The capacity to state for a volume of so many bytes: in the claim's own words where they say the same. */
export function capacityOf(claim: Claim, bytes: number): string {
  const { storage } = claim.spec.resources.requests;
  return bytesOf(storage) === bytes ? storage : String(bytes);
}

/**
 * The default StorageClass of clusters with loop-mounted volumes. A volume is created once the scheduler has chosen a node, as those of
 * most clouds: the scheduler then asks again and again whether it is there. Of claims that are bound at once it must be notified, and a pod
 * whose claim was bound in the wrong moment stays unschedulable for up to five minutes (kubernetes/kubernetes#87145).
 */
export const STORAGE_CLASS = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: PROVISIONER,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
} as const;

/** A class beside it, for those who create it: the files of its volumes share no blocks. */
export const PLAIN_STORAGE_CLASS = {
  ...STORAGE_CLASS,
  metadata: { name: "plain" },
  parameters: { sharesBlocks: "false" },
} as const;

const Parameters = z.object({ parameters: z.record(z.string(), z.string()).default({}) });

/** How the file systems of a StorageClass are made. */
export const formatIn = (storageClass: unknown): Format => ({
  sharesBlocks: Parameters.parse(storageClass).parameters["sharesBlocks"] !== "false",
});
