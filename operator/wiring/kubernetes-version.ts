// Asks the API server which Kubernetes it is, once at the start.
import { z } from "zod";
import { kubernetesProblem } from "../../components/kubernetes-version";
import { ApiError, type KubeClient } from "../kube/client";

const Version = z.object({ major: z.string(), minor: z.string() });

/**
 * Throws where it is too old: better now than at the first request it does not understand. `onUnknown` is called where the server does not
 * say; then nothing is refused.
 */
export async function requireKubernetes(
  client: Pick<KubeClient, "get">,
  onUnknown: (cause: unknown) => void,
): Promise<void> {
  const version = await versionOf(client, onUnknown);
  const problem = version && kubernetesProblem(version);
  if (problem !== undefined) throw new Error(problem);
}

async function versionOf(
  client: Pick<KubeClient, "get">,
  onUnknown: (cause: unknown) => void,
): Promise<z.infer<typeof Version> | undefined> {
  try {
    return Version.parse(await client.get("/version"));
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof z.ZodError)) throw error;
    onUnknown(error);
    return undefined;
  }
}
