// What volumes can do: StorageClasses, and which of them a claim has.
import { z } from "zod";
import type { Volumes } from "../domain/ports";
import { isApiError, type KubeClient } from "./client";
import { collection, item, resources } from "./paths";

const StorageClass = z.object({
  allowVolumeExpansion: z.boolean().default(false),
  reclaimPolicy: z.string().default("Delete"),
});
const Claim = z.object({
  spec: z.object({
    storageClassName: z.string().optional(),
    resources: z.object({ requests: z.object({ storage: z.string() }) }).optional(),
  }),
});

/** How long it is remembered what a class or a claim says that cannot be changed, in milliseconds: an object of that name may take its place. */
const rememberedMs = 10 * 60_000;

/** What was found by a key; what was not found, or may not be read, is asked for again. */
function remembering(find: (key: string) => Promise<string | undefined>): typeof find {
  const known = new Map<string, { readonly found: string; readonly until: number }>();
  return async (key) => {
    const last = known.get(key);
    if (last !== undefined && last.until > Date.now()) return last.found;
    const found = await find(key).catch((error: unknown) => {
      // whom a preview runs for
      if (isApiError(error, 403)) return undefined;
      throw error;
    });
    if (found === undefined) known.delete(key);
    else known.set(key, { found, until: Date.now() + rememberedMs });
    return found;
  };
}

export function createVolumes(client: Pick<KubeClient, "find">): Volumes {
  const claimOf = async (namespace: string, claim: string): Promise<z.infer<typeof Claim>["spec"] | undefined> => {
    const found = await client.find(item(resources.persistentVolumeClaims, namespace, claim));
    return found === undefined ? undefined : Claim.parse(found).spec;
  };
  const reclaimPolicyOf = remembering(async (storageClass) => {
    const found = await client.find(`${collection(resources.storageClasses)}/${storageClass}`);
    return found === undefined ? undefined : StorageClass.parse(found).reclaimPolicy;
  });
  const classOfClaim = remembering(async (key) => {
    const [namespace = "", claim = ""] = key.split("/");
    return (await claimOf(namespace, claim))?.storageClassName;
  });
  return {
    async isKept({ namespace, claim, storageClass }) {
      const name = storageClass ?? (await classOfClaim(`${namespace}/${claim}`)) ?? "";
      return name !== "" && (await reclaimPolicyOf(name)) === "Retain";
    },
    async canGrow(storageClass) {
      const found = await client.find(`${collection(resources.storageClasses)}/${storageClass}`);
      return found === undefined ? undefined : StorageClass.parse(found).allowVolumeExpansion;
    },
    classOf: async (namespace, claim) => (await claimOf(namespace, claim))?.storageClassName,
    sizeOf: async (namespace, claim) => (await claimOf(namespace, claim))?.resources?.requests.storage,
  };
}
