// The status that kstatus gives an object, by its rules for kinds that it does not know (kubernetes-sigs/cli-utils,
// pkg/kstatus/status: generic.go and status.go): what Flux, Argo CD and kpt go by to tell whether a change is through.
import { z } from "zod";

const Condition = z.looseObject({ type: z.string(), status: z.string() });

const Judged = z.looseObject({
  metadata: z.looseObject({ deletionTimestamp: z.string().optional(), generation: z.number().optional() }),
  status: z
    .looseObject({ observedGeneration: z.number().optional(), conditions: z.array(Condition).default([]) })
    .prefault({}),
});

export type Kstatus = "InProgress" | "Failed" | "Current" | "Terminating";

/** See the header. Throws where it is no object of Kubernetes. */
export function kstatusOf(object: unknown): Kstatus {
  const { metadata, status } = Judged.parse(object);
  const { observedGeneration, conditions } = status;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return "InProgress";
  // the first of the two that is True decides
  const abnormal = conditions.find(
    ({ type, status }) => ["Reconciling", "Stalled"].includes(type) && status === "True",
  );
  if (abnormal !== undefined) return abnormal.type === "Stalled" ? "Failed" : "InProgress";
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True" ? "Current" : "InProgress";
}
