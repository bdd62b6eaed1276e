// The name of a plan: the same as long as what is wanted, what there is, and what would be done are the same.
import { createHash } from "node:crypto";
import type { Lasting } from "../consequences/deletion";
import type { Desired } from "../domain/desired";
import type { PlannedStep } from "../domain/runner";
import { canonical } from "../objects/json";
import type { Plan } from "./plan";

/** Everything that a plan was made of, but for versions of objects, which move without meaning anything. */
export interface PlanInputs extends Pick<Plan, "database" | "intent" | "consequences"> {
  /** Of the code that makes the objects. */
  readonly programVersion: string;
  /** What the last run applied, by its digest; undefined where there is none. */
  readonly before: string | undefined;
  /** Undefined for a deletion. */
  readonly desired: Desired | undefined;
  /** Which member is primary; undefined where none is, and of a deletion. */
  readonly primary: string | undefined;
  /** Of a deletion: the children that outlive it under some policy, sorted, and whether they stay. */
  readonly lasting: readonly (Lasting & { readonly stays: boolean })[];
  readonly steps: readonly PlannedStep[];
}

/** See the header. In hexadecimal. */
export function planDigest({ desired, intent, steps, ...inputs }: PlanInputs): string {
  // one that is yet to be created gets another UID with every dry run
  const owner = intent === "create" ? { ...desired?.owner, uid: "" } : desired?.owner;
  const changed = steps.filter(({ operation }) => operation !== "same");
  const made = { ...inputs, intent, desired: desired && { ...desired, owner }, steps: changed };
  return createHash("sha256").update(canonical(made)).digest("hex");
}
