// Whether members of a Database have ever served, as far as the cluster shows it.
import type { Condition } from "../api/status";
import type { Observation } from "../domain/members";
import { latest } from "./conditions";

/**
 * False where it is known that none has: none of their pods was ever ready, and what waits for a first primary still does. `conditions`: as
 * they were told last, since both Job and pods may be others by now.
 */
export function hasComeUp({ workload, members, jobs }: Observation, conditions: readonly Condition[]): boolean {
  if (conditions.some(({ type, status }) => type === "Initialized" && status === "True")) return true;
  const first = latest(jobs, "initialization");
  return (
    workload === undefined || first === undefined || first.state === "succeeded" || members.some(({ served }) => served)
  );
}
