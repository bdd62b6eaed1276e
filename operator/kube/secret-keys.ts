// Reads which keys a Secret has. What they hold is not looked at.
import { z } from "zod";
import type { ReadSecretKeys } from "../admission/object-storage";
import type { KubeClient } from "./client";
import { item, resources } from "./paths";

const Secret = z.object({ data: z.record(z.string(), z.unknown()).nullish() });

export function createSecretKeys(client: Pick<KubeClient, "find">): ReadSecretKeys {
  return async (namespace, name) => {
    const found = await client.find(item(resources.secrets, namespace, name));
    return found === undefined ? undefined : new Set(Object.keys(Secret.parse(found).data ?? {}));
  };
}
