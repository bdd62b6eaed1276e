// What a run is to leave on record, and whether there is anything to do for it beside repairs.
import type { Desired } from "../domain/desired";
import { failed, type Outcome } from "../domain/outcome";
import type { Ports } from "../domain/ports";
import type { StackRecord } from "../domain/records";
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
