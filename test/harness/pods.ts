// Pods that are deleted and created again under their names.
import { z } from "zod";
import { eventually, minutes, type Patience } from "./eventually";
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
  { patience = minutes(2), flags = [] }: { patience?: Patience; flags?: readonly string[] } = {},
): Promise<void> {
  const uidOf = async (name: string): Promise<string | undefined> =>
    Identified.safeParse(await kubectl.find("pod", name, namespace)).data?.metadata.uid;
  const before = new Map(await Promise.all(names.map(async (name) => [name, await uidOf(name)] as const)));
  await kubectl("delete", "pod", ...names, "-n", namespace, ...flags, "--wait=false");
  await eventually(async () => {
    for (const [name, uid] of before)
      if (uid === undefined || (await uidOf(name)) === uid) throw new Error(`pod ${name} is still there, or never was`);
  }, patience);
}

/** Deletes a pod by force, which ends its programs by SIGKILL; without waiting. */
export const killPod = (kubectl: Kubectl, namespace: string, name: string): Promise<string> =>
  kubectl("delete", "pod", name, "-n", namespace, "--force", "--grace-period=0", "--wait=false");

const Terms = z.array(z.object({ weight: z.number() }));
const Member = Identified.extend({
  spec: z.object({
    containers: z.array(z.object({ image: z.string() })),
    affinity: z.object({ podAntiAffinity: z.object({ preferredDuringSchedulingIgnoredDuringExecution: Terms }) }),
  }),
});

/** Which pod a member is, and what of it another version, and another release of the operator, would show. */
export interface ShownMember {
  readonly uid: string;
  readonly images: readonly string[];
  readonly zoneWeights: readonly number[];
}

/** Throws where there is none. */
export async function readMember(kubectl: Kubectl, namespace: string, name: string): Promise<ShownMember> {
  const { metadata, spec } = Member.parse(await kubectl.find("pod", name, namespace));
  const terms = spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
  return {
    uid: metadata.uid,
    images: spec.containers.map(({ image }) => image),
    zoneWeights: terms.map(({ weight }) => weight),
  };
}
