// What the API server says of an object, without storing it.
import { API_VERSION } from "../../operator/api/crd";
import { ApiError, type KubernetesApi } from "../../tools/cluster/api";
import { databaseResource, storedVersion } from "../../contract/resources";
import type { Written } from "./entry";

/** The answer: "created" or "configured", or the refusal in the API server's words. */
export type Answer =
  { readonly kind: "accepted"; readonly object: unknown } | { readonly kind: "refused"; readonly message: string };

/** The path of the Databases of a namespace. */
export const databasesOf = (namespace: string): string =>
  `/apis/${databaseResource.group}/${storedVersion}/namespaces/${namespace}/${databaseResource.plural}`;

/** A Database as it is sent. */
export const objectOf = ({ name, spec }: Written, namespace: string): Record<string, unknown> => ({
  apiVersion: API_VERSION,
  kind: databaseResource.kind,
  metadata: { name, namespace },
  spec,
});

// as kubectl does: an unknown field is an error
const dryRun = "dryRun=All&fieldValidation=Strict";

/** Asks whether an object could be created. Throws what is no verdict: a server that fails or cannot be reached. */
export function askToCreate(api: KubernetesApi, written: Written, namespace: string): Promise<Answer> {
  return answerOf(api.request("POST", `${databasesOf(namespace)}?${dryRun}`, objectOf(written, namespace)));
}

async function answerOf(request: Promise<unknown>): Promise<Answer> {
  try {
    return { kind: "accepted", object: await request };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 404) throw error;
    return { kind: "refused", message: error.message };
  }
}
