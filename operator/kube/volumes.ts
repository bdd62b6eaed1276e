// What volumes can do: StorageClasses, and which of them a claim has.
import { z } from "zod";
import type { Volumes } from "../admission/verdict";
import type { KubeClient } from "./client";
import { collection, item, resources } from "./paths";

const StorageClass = z.object({ allowVolumeExpansion: z.boolean().default(false) });
const Claim = z.object({ spec: z.object({ storageClassName: z.string().optional() }) });

export function createVolumes(client: KubeClient): Volumes {
  return {
    async canGrow(storageClass) {
      const found = await client.find(`${collection(resources.storageClasses)}/${storageClass}`);
      return found === undefined ? undefined : StorageClass.parse(found).allowVolumeExpansion;
    },
    async classOf(namespace, claim) {
      const found = await client.find(item(resources.persistentVolumeClaims, namespace, claim));
      return found === undefined ? undefined : Claim.parse(found).spec.storageClassName;
    },
  };
}
