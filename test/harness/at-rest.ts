// When Kubernetes' own controllers have nothing more to write about a Database's members.
import assert from "node:assert/strict";
import { z } from "zod";
import { minutes } from "./eventually";
import type { Kubectl } from "./kubectl";
import { untilObject } from "./until";

const count = z.int().default(0);
const StatefulSet = z.object({
  metadata: z.object({ generation: z.int() }),
  spec: z.object({ replicas: z.int() }),
  status: z.object({
    observedGeneration: count,
    ...{ replicas: count, readyReplicas: count, availableReplicas: count, updatedReplicas: count },
  }),
});
const PodDisruptionBudget = z.object({
  metadata: z.object({ generation: z.int() }),
  status: z.object({ observedGeneration: count, expectedPods: count, currentHealthy: count }),
});

/**
 * Waits until the controllers of StatefulSets and PodDisruptionBudgets have counted every member as ready and of the present template. The
 * operator looks at the pods themselves, so a Database is Ready a moment before: a test that compares versions begins only here.
 */
export async function untilCounted(
  kubectl: Pick<Kubectl, "follow">,
  [namespace, name]: readonly [namespace: string, name: string],
): Promise<void> {
  const members = await untilObject(kubectl, { kind: "statefulset", name, namespace }, allCounted, minutes(1));
  if (members === 1) return;
  const isCounted = (object: unknown): void => {
    assertCounted(PodDisruptionBudget.parse(object), members);
  };
  await untilObject(kubectl, { kind: "poddisruptionbudget", name, namespace }, isCounted, minutes(1));
}

/** Returns how many members there are. */
function allCounted(object: unknown): number {
  const set = StatefulSet.parse(object);
  assertCounted(set, set.spec.replicas);
  return set.spec.replicas;
}

interface Counted {
  readonly metadata: { readonly generation: number };
  readonly status: { readonly observedGeneration: number } & Readonly<Record<string, number>>;
}

function assertCounted({ metadata, status: { observedGeneration, ...counts } }: Counted, members: number): void {
  assert.equal(observedGeneration, metadata.generation);
  for (const [what, found] of Object.entries(counts)) assert.equal(found, members, what);
}
