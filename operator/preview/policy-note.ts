// Whether a change would wait by the policy of its Database, in a sentence.
import { noPolicy } from "../api/change-policy";
import type { Consequence } from "../consequences/consequence";
import { decide, isLooser } from "../policy/decide";
import type { ChangeSettings } from "../domain/ports";
import type { Policies } from "../policy/holding";
import { waitsText } from "./waits";

/** Undefined where it waits for nothing, as it is a creation, or was agreed to already. */
export type PoliciesIfAny = Policies | undefined;

/** Of Databases without a policy of their own. */
export type PlatformPolicies = Pick<ChangeSettings, "policy" | "releases">;
export const noPolicies: PlatformPolicies = { policy: noPolicy, releases: noPolicy };

const loosensOf = ([inForce, wanted]: Policies): boolean => isLooser(inForce, wanted);

/** Undefined where it would be carried out at once. */
export function policyNote(
  policies: PoliciesIfAny,
  consequences: readonly Consequence[],
  now: Date,
): string | undefined {
  if (policies === undefined) return undefined;
  const effects = consequences.map(({ effect }) => effect);
  const asked = { policies, effects, loosens: loosensOf(policies), approving: "no", now: now.getTime() } as const;
  const decision = decide(asked);
  if (decision.kind === "go") return undefined;
  const { needsApproval, approvalOf, window } = decision;
  const why = approvalOf.length === 0 ? "a looser policy" : approvalOf.join(", ");
  const waits = [
    ...(needsApproval ? [`approval (${why})`] : []),
    ...(window === undefined ? [] : [`a window (${window.effects.join(", ")})`]),
  ];
  return waitsText(waits);
}
