// How the newest change of a Database fares, by how its last turn went and by its members: pure.
import type { Observation } from "../domain/members";
import { settled, type Outcome, type Stalled } from "../domain/outcome";

export type Standing =
  | { readonly kind: "underway" }
  /** Every member has it, and is ready. */
  | { readonly kind: "through" }
  /** A person must act. */
  | { readonly kind: "stopped"; readonly message: string }
  /** Nothing is known of it, or what is known is of something else. */
  | { readonly kind: "unknown" };

export function standingOf(outcome: Outcome | undefined, observation: Observation): Standing {
  switch (outcome?.kind) {
    case "settled":
      return { kind: isWhole(observation) ? "through" : "underway" };
    case "waiting":
      return { kind: "underway" };
    case "stalled":
      return standingIn(outcome, observation);
    case "failed":
    case "due":
    case "gone":
    case undefined:
      return { kind: "unknown" };
  }
}

function standingIn({ reason, message, meanwhile, isKept }: Stalled, observation: Observation): Standing {
  // what was accepted before is kept up beside what cannot be had
  const kept = isKept === true ? settled() : meanwhile;
  if (kept !== undefined) return standingOf(kept, observation);
  return reason === "ConfigRejected" ? { kind: "stopped", message } : { kind: "unknown" };
}

function isWhole({ workload, members }: Observation): boolean {
  const ready = members.filter((member) => member.ready && !member.terminating).length;
  return workload !== undefined && workload.seen && ready >= workload.wanted;
}
