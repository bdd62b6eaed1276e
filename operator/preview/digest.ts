// The name of a plan: the same as long as what is wanted, what there is, and what would be done are the same.
import { createHash } from "node:crypto";
import type { Consequence } from "../consequences/consequence";
import type { Lasting } from "../consequences/deletion";
import type { Desired } from "../domain/desired";
import type { PlannedStep } from "../domain/runner";
import { canonical } from "../objects/json";
import { argsOf } from "../stack/program";
import type { Plan } from "./plan";

/** Everything that a plan was made of. What moves without meaning anything is left out: versions of objects, room on nodes, sentences. */
export interface PlanInputs extends Pick<Plan, "database" | "intent" | "consequences"> {
  /** Of the code that makes the objects. */
  readonly programVersion: string;
  /** How many plans were used up before: an approval is of one change, also where the same one comes again. */
  readonly plans: number;
  /** Undefined for a deletion. */
  readonly desired: Desired | undefined;
  /** Which member is primary; undefined where none is, and of a deletion. */
  readonly primary: string | undefined;
  /** Of a deletion: the children that outlive it under some policy, sorted, and whether they stay. */
  readonly lasting: readonly (Lasting & { readonly stays: boolean })[];
  readonly steps: readonly PlannedStep[];
}

/** See the header. In hexadecimal. */
export function planDigest({ desired, intent, steps, consequences, ...inputs }: PlanInputs): string {
  const changed = steps.filter(({ operation }) => operation !== "same");
  const wanted = desired && wantedOf(desired, intent);
  const made = { ...inputs, intent, desired: wanted, steps: changed, effects: consequences.flatMap(effectOf) };
  return createHash("sha256").update(canonical(made)).digest("hex");
}

/**
 * What children show of it, as a wish does, for the rest counts as it is written; which Database it is; and its policy: an approval must not take
 * that away with what it was asked for.
 */
function wantedOf(desired: Desired, intent: Plan["intent"]): object {
  // one that is yet to be created gets another UID with every dry run
  const owner = intent === "create" ? { ...desired.owner, uid: "" } : desired.owner;
  // which backups retention must spare is no part of a change
  const args = argsOf({ ...desired, owner, keptBackups: undefined });
  return { args, owner, policy: desired.spec.changePolicy };
}

const effectOf = ({ effect, members }: Consequence): Pick<Consequence, "effect" | "members">[] =>
  effect === "None" ? [] : [{ effect, members }];
