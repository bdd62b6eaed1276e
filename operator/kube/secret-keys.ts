// Reads which keys a Secret has. What they hold is not looked at.
import { z } from "zod";
import type { ReadSecretKeys } from "../domain/storage-secrets";
import { isApiError, type KubeClient } from "./client";
import { item, resources } from "./paths";

const Secret = z.object({ data: z.record(z.string(), z.unknown()).nullish() });

const hidden = "hidden";

/** For who may not see it, as may be so where a change is previewed. */
function orHidden(error: unknown): typeof hidden {
  if (isApiError(error, 403)) return hidden;
  throw error;
}

export function createSecretKeys(client: Pick<KubeClient, "find">): ReadSecretKeys {
  return async (namespace, name) => {
    const found = await client.find(item(resources.secrets, namespace, name)).catch(orHidden);
    if (found === hidden) return hidden;
    return found === undefined ? undefined : new Set(Object.keys(Secret.parse(found).data ?? {}));
  };
}
