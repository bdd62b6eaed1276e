// Which policies a change has to pass: all of them hold. Pure.
import type { ChangePolicy } from "../api/change-policy";
import type { ChangeSettings, Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { isIdle } from "./decide";
import { ownPolicy, policyInForce } from "./ledger";

/** What the platform says: its policies, and which release of the operator asks. */
export interface Platform {
  readonly changes: Pick<ChangeSettings, "policy" | "releases">;
  readonly release: Ports["release"];
}

/** The one in force, the one that is asked for, and that for releases. */
export type Policies = readonly [inForce: ChangePolicy, wanted: ChangePolicy, ...more: ChangePolicy[]];

/** `wanted`: of the Database itself, as it is asked for; undefined where it has none. */
export function policiesOver(
  record: Pick<StackRecord, "agreed" | "accepted" | "release">,
  wanted: ChangePolicy | undefined,
  at: Platform,
): Policies {
  return [
    policyInForce(record, at.changes.policy),
    wanted ?? at.changes.policy,
    ...releasePolicies(record, wanted, at),
  ];
}

/** Whether a release of the operator is carried out at once, whatever it does. */
export function isReleaseLetIn(record: Pick<StackRecord, "agreed" | "accepted" | "release">, at: Platform): boolean {
  const own = ownPolicy(record);
  return [own ?? at.changes.policy, ...releasePolicies(record, own, at)].every(isIdle);
}

/** Those whose windows hold for a restart that was let in; `own`: of the Database. */
export const policiesOverRestart = (
  own: ChangePolicy | undefined,
  isRelease: boolean,
  changes: Platform["changes"],
): readonly ChangePolicy[] => [own ?? changes.policy, ...(own === undefined && isRelease ? [changes.releases] : [])];

/**
 * A Database that has a policy of its own has said by it what it agrees to. Where it is not on record what it agreed to last, nothing could be kept
 * up while the release waits.
 */
function releasePolicies(
  record: Pick<StackRecord, "agreed" | "accepted" | "release">,
  own: ChangePolicy | undefined,
  { changes, release }: Platform,
): readonly ChangePolicy[] {
  const last = record.accepted ?? record.agreed?.accepted;
  return own === undefined && record.release !== release && last !== undefined ? [changes.releases] : [];
}
