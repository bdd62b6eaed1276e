// Reads the ConfigMap that a Database's configFrom names.
import { z } from "zod";
import type { ReadConfigSource } from "../domain/ports";
import type { KubeClient } from "./client";
import { item, resources } from "./paths";

const ConfigMap = z.object({ data: z.record(z.string(), z.string()).nullish() });

export function createConfigSource(client: KubeClient): ReadConfigSource {
  return async (namespace, name) => {
    const found = await client.find(item(resources.configMaps, namespace, name));
    return found === undefined ? undefined : (ConfigMap.parse(found).data ?? {});
  };
}
