// Whether a change would wait by the policy of its Database, in a sentence.
import { noPolicy } from "../api/change-policy";
import type { Database } from "../api/object";
import type { Consequence } from "../consequences/consequence";
import type { StackRecord } from "../domain/records";
import { decide, isLooser } from "../policy/decide";
import type { ChangeSettings, Ports } from "../domain/ports";
import { policiesOver, type Policies } from "../policy/holding";
import { waitsText } from "./waits";
import { isAgreed, isRunning } from "../reconcile/agreed";

/** Undefined where it waits for nothing, as it is a creation, or was agreed to already. */
export type PoliciesIfAny = Policies | undefined;

/** Of Databases without a policy of their own. */
export type PlatformPolicies = Pick<ChangeSettings, "policy" | "releases">;
const noPolicies: PlatformPolicies = { policy: noPolicy, releases: noPolicy };

/** As the gate of a reconcile asks. */
export function policiesFor(
  record: StackRecord | undefined,
  { metadata, spec: { changePolicy } }: Pick<Database, "metadata" | "spec">,
  wish: string,
  at: Pick<Ports, "world" | "digest" | "release"> & { readonly changes?: PlatformPolicies | undefined },
): PoliciesIfAny {
  if (record === undefined || !isRunning(record, metadata)) return undefined;
  const { changes = noPolicies, release } = at;
  const policies = policiesOver(record, changePolicy, { changes, release });
  return !loosensOf(policies) && isAgreed(record, wish, metadata, at) ? undefined : policies;
}

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
