// What volumes can do: StorageClasses, and which of them a claim has.
import { z } from "zod";
import type { Volumes } from "../domain/ports";
import type { KubeClient } from "./client";
import { collection, item, resources } from "./paths";

const StorageClass = z.object({ allowVolumeExpansion: z.boolean().default(false) });
const Claim = z.object({
  spec: z.object({
    storageClassName: z.string().optional(),
    resources: z.object({ requests: z.object({ storage: z.string() }) }).optional(),
  }),
});

export function createVolumes(client: Pick<KubeClient, "find">): Volumes {
  const claimOf = async (namespace: string, claim: string): Promise<z.infer<typeof Claim>["spec"] | undefined> => {
    const found = await client.find(item(resources.persistentVolumeClaims, namespace, claim));
    return found === undefined ? undefined : Claim.parse(found).spec;
  };
  return {
    async canGrow(storageClass) {
      const found = await client.find(`${collection(resources.storageClasses)}/${storageClass}`);
      return found === undefined ? undefined : StorageClass.parse(found).allowVolumeExpansion;
    },
    classOf: async (namespace, claim) => (await claimOf(namespace, claim))?.storageClassName,
    sizeOf: async (namespace, claim) => (await claimOf(namespace, claim))?.resources?.requests.storage,
  };
}
