// How far a Database is with its restarts, as far as other Databases are concerned: pure.
import type { RolloutStanding } from "../domain/ports";
import { isOutdated, serves, type Situation, type RolloutStep } from "./next-step";

type Seen = Pick<Situation, "workload" | "members" | "applied">;

/** Undefined where nothing is new: it has not begun, or its last member is on its way. */
export function standingOf(step: RolloutStep, seen: Seen): RolloutStanding | { readonly kind: "through" } | undefined {
  switch (step.kind) {
    case "none":
      return isWhole(seen) ? { kind: "through" } : undefined;
    case "wait":
      if (step.obstacle !== undefined) return { kind: "stopped", why: step.obstacle };
      return hasBegun(seen) ? { kind: "restarting" } : undefined;
    case "rejected":
      return { kind: "stopped", why: `${step.member.name} does not start: ${step.why}` };
    case "restart":
      return step.begun ? { kind: "restarting" } : undefined;
  }
}

/** The last member has the present template before it serves. */
const isWhole = ({ workload, members }: Seen): boolean => members.length === workload?.wanted && members.every(serves);

/** Until the controller has looked, the template that all members have is the former one. */
const hasBegun = ({ workload, members, applied }: Seen): boolean =>
  workload !== undefined &&
  !isOutdated({ applied }, workload) &&
  members.some(({ revision }) => revision === workload.revision);
