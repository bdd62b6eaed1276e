// Whether a change would wait by the policy of its Database, in a sentence.
import { noPolicy, type ChangePolicy } from "../api/change-policy";
import type { Database } from "../api/object";
import type { Consequence } from "../consequences/consequence";
import type { StackRecord } from "../domain/records";
import { decide, isLooser } from "../policy/decide";
import type { Ports } from "../domain/ports";
import { policyInForce } from "../policy/ledger";
import { isAgreed, isRunning } from "../reconcile/agreed";

/** The policy in force and the one that is asked for; undefined where it waits for nothing, as it is a creation, or was agreed to already. */
export type Policies = readonly [inForce: ChangePolicy, wanted: ChangePolicy] | undefined;

/** As the gate of a reconcile asks. `platform`: of Databases without a policy of their own. */
export function policiesFor(
  record: StackRecord | undefined,
  { metadata, spec: { changePolicy } }: Pick<Database, "metadata" | "spec">,
  wish: string,
  { platform = noPolicy, ...at }: Pick<Ports, "world" | "digest"> & { readonly platform?: ChangePolicy | undefined },
): Policies {
  if (record === undefined || !isRunning(record, metadata)) return undefined;
  const policies = [policyInForce(record, platform), changePolicy ?? platform] as const;
  return !isLooser(...policies) && isAgreed(record, wish, metadata, at) ? undefined : policies;
}

/** Undefined where it would be carried out at once. */
export function policyNote(policies: Policies, consequences: readonly Consequence[], now: Date): string | undefined {
  if (policies === undefined) return undefined;
  const effects = consequences.map(({ effect }) => effect);
  const asked = { policies, effects, loosens: isLooser(...policies), approving: "no", now: now.getTime() } as const;
  const decision = decide(asked);
  if (decision.kind === "go") return undefined;
  const { needsApproval, approvalOf, window } = decision;
  const why = approvalOf.length === 0 ? "a looser policy" : approvalOf.join(", ");
  const waits = [
    ...(needsApproval ? [`approval (${why})`] : []),
    ...(window === undefined ? [] : [`a window (${window.effects.join(", ")})`]),
  ];
  return `by the change policy it waits for ${waits.join(" and ")}`;
}
