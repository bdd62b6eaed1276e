// What a run is to leave on record, and whether there is anything to do for it beside repairs.
import type { Desired } from "../domain/desired";
import type { Drift } from "../domain/children";
import { failed, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
import { isDue, modeOf } from "../domain/tls";
import { heldRelease, isOfOneForm } from "./held";

export interface Target {
  readonly digest: string;
  /** Whether the spec or an input differs from what the last run applied; else only drift is undone. */
  readonly isAsked: boolean;
  /** Whether another release waits to be agreed to, and the template that members keep until then. Missing: none does. */
  readonly isHeld?: true;
  readonly memberTemplate?: unknown;
}

interface Context {
  readonly at: Pick<Ports, "release" | "changes" | "digest" | "memberTemplate">;
  readonly isKept?: boolean;
  readonly waits?: boolean;
  readonly beside?: string;
}

interface Known {
  readonly known: StackRecord | undefined;
  readonly desired: Desired;
  readonly drift: readonly Drift[];
}

/** Why a run that is asked for has to do with TLS. */
interface OfTls {
  /** Whether it is for certificates alone that must be renewed. */
  readonly isRenewal: boolean;
  /** Whether members get another mode: the Database asks for that itself, be it some steps ago. */
  readonly isTlsStep: boolean;
}

/** With what is due of certificates, which is asked for by the time. */
export function withDue(target: Target, { known, desired, drift }: Known, at: Pick<Ports, "now">): Target & OfTls {
  const isTlsStep = known?.tls?.declared !== undefined && modeOf(desired) !== known.tls.declared;
  // a release that waits holds no step back, or what waits would look again and again
  const isAsked = target.isAsked || isTlsStep;
  const isRenewed = isDue(known?.tls, at.now());
  return {
    ...target,
    isAsked: isAsked || isRenewed,
    isRenewal: isRenewed && !isAsked && drift.length === 0,
    isTlsStep,
  };
}

/** What keeps a Database back, with what became of the renewal meanwhile; why that failed is said where nothing else is. */
export const withRenewal = (outcome: Outcome, renewal: Outcome): Outcome => {
  if (renewal.kind === "due") return renewal;
  const isAll = renewal.kind === "settled" || outcome.kind !== "stalled" || outcome.meanwhile !== undefined;
  return isAll ? outcome : { ...outcome, meanwhile: renewal };
};

const lostTemplate =
  "the state cannot be read, so it is not known what members must keep while a release of the operator waits: nothing is restored until that is let through";

/** See the header; why nothing may run, where that would restart members. */
export async function targetOf(
  known: StackRecord | undefined,
  desired: Desired,
  { at, isKept = false, waits = false, beside }: Context,
): Promise<Target | Outcome> {
  const digest = at.digest(desired);
  const isBeside = beside !== undefined;
  const held = isKept ? await heldRelease(known, desired, digest, { at, waits, isBeside }) : undefined;
  if (held !== undefined) return held.memberTemplate === undefined ? failed("StateCorrupt", lostTemplate) : held;
  return { digest, isAsked: known?.digest !== digest || !isOfOneForm(known, at) };
}
