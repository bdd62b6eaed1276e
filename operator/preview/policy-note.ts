// Whether a change would wait by the policy of its Database, in a sentence.
import { noPolicy, type ChangePolicy } from "../api/change-policy";
import type { DatabaseSpec } from "../api/spec";
import type { Consequence } from "../consequences/consequence";
import type { StackRecord } from "../domain/records";
import { decide, isLooser } from "../policy/decide";
import { policyInForce } from "../policy/ledger";

/** The policy in force and the one that is asked for; undefined where a change waits for nothing, as it is a creation. */
export type Policies = readonly [inForce: ChangePolicy, wanted: ChangePolicy] | undefined;

/** `platform`: of Databases without a policy of their own. */
export function policiesFor(
  record: StackRecord | undefined,
  { changePolicy }: DatabaseSpec,
  platform: ChangePolicy = noPolicy,
): Policies {
  if (record === undefined || record.history.length === 0) return undefined;
  return [policyInForce(record, platform), changePolicy ?? platform];
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
