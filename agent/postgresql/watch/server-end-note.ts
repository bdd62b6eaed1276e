// That the server ended without being told to, as a note on the member's own pod: the operator and people see no other trace of it.
import { z } from "zod";
import { serverEndAnnotation, type ServerEndNote } from "../../../contract/server-end";
import type { KubernetesClient } from "../../kubernetes/client";
import { podListPath, podPath } from "../../kubernetes/paths";
import type { MemberSettings } from "../settings";

const Noted = z.object({
  metadata: z.object({ annotations: z.object({ [serverEndAnnotation]: z.string().optional() }).default({}) }),
});
const Pods = z.object({ items: z.array(Noted) });
const Count = z.object({ count: z.int().min(0) });

/** Writes it, and never on a successor of the pod's name. */
export const serverEndNotes =
  (
    client: Pick<KubernetesClient, "get" | "patch" | "podUid">,
    { namespace, self }: Pick<MemberSettings, "namespace" | "self">,
  ) =>
  async (at: Date): Promise<void> => {
    const path = podPath(namespace, self);
    const uid = await client.podUid();
    // a member may list pods, and not get one
    const { items } = Pods.parse(await client.get(podListPath(namespace, self)));
    const note: ServerEndNote = { count: countIn(items[0]) + 1, at: at.toISOString() };
    const annotations = { [serverEndAnnotation]: JSON.stringify(note) };
    await client.patch(path, { metadata: { annotations, ...(uid !== undefined && { uid }) } });
  };

/** Containers come and go in one pod, and the program that counts with them. */
function countIn(pod: z.infer<typeof Noted> | undefined): number {
  try {
    return Count.parse(JSON.parse(pod?.metadata.annotations[serverEndAnnotation] ?? "")).count;
  } catch {
    return 0;
  }
}
