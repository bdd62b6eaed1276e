// The data of a ConfigMap, read, and changed by compare-and-swap.
import { z } from "zod";
import { ApiError, type KubernetesClient } from "./client";

const ConfigMap = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
});

/** A ConfigMap as it was read. */
export interface ConfigMapView {
  readonly version: string;
  readonly data: Readonly<Record<string, string>>;
}

const viewOf = (object: unknown): ConfigMapView => {
  const { metadata, data } = ConfigMap.parse(object);
  return { version: metadata.resourceVersion, data };
};

/** Reads a ConfigMap. */
export async function readConfigMap(client: Pick<KubernetesClient, "get">, path: string): Promise<ConfigMapView> {
  return viewOf(await client.get(path));
}

/** Changes keys of a ConfigMap that still has this version; null removes one. Undefined where another client was faster. */
export async function swapConfigMap(
  client: Pick<KubernetesClient, "patch">,
  path: string,
  version: string,
  data: Readonly<Record<string, string | null>>,
): Promise<ConfigMapView | undefined> {
  try {
    return viewOf(await client.patch(path, { metadata: { resourceVersion: version }, data }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return undefined;
    throw error;
  }
}
