// Pods that are deleted and created again under their names.
import { z } from "zod";
import { eventually, minutes } from "./eventually";
import type { Kubectl } from "./kubectl";

const Identified = z.object({ metadata: z.object({ uid: z.string() }) });

/**
 * Deletes pods and waits until each of them is gone, whether or not another one has its name by then. kubectl's own wait once lasted for
 * five minutes over a pod that a StatefulSet had long created again.
 */
export async function deletePods(
  kubectl: Kubectl,
  namespace: string,
  names: readonly string[],
  patience = minutes(2),
): Promise<void> {
  const uidOf = async (name: string): Promise<string | undefined> =>
    Identified.safeParse(await kubectl.find("pod", name, namespace)).data?.metadata.uid;
  const before = new Map(await Promise.all(names.map(async (name) => [name, await uidOf(name)] as const)));
  await kubectl("delete", "pod", ...names, "-n", namespace, "--wait=false");
  await eventually(async () => {
    for (const [name, uid] of before)
      if (uid === undefined || (await uidOf(name)) === uid) throw new Error(`pod ${name} is still there, or never was`);
  }, patience);
}
