// What one preview found out, as plain data: the renderer prints it, the exit code is read off it.
import type { Consequence } from "../consequences/consequence";
import type { FieldChange, PlannedStep } from "../domain/runner";
import type { LeftRelease } from "./beside";

/** What would be done to a Database. */
export interface Plan {
  readonly kind: "plan";
  /** `namespace/name`. */
  readonly database: string;
  readonly intent: "create" | "change" | "delete";
  /** How the spec differs from the one in the cluster. */
  readonly asked: readonly FieldChange[];
  /** What a person should know before reading on. */
  readonly notes: readonly string[];
  /** What others changed since the last run, and would be restored. */
  readonly drift: readonly string[];
  /** `Kind name` of what would be restored. */
  readonly putBack: ReadonlySet<string>;
  readonly steps: readonly PlannedStep[];
  readonly harmful: readonly PlannedStep[];
  /** What it means for people. What is in the notes as well is said there. */
  readonly consequences: readonly Consequence[];
  /** The members that there will be; none where it is deleted. */
  readonly memberNames: readonly string[];
  /** The plan's name: another one where anything that it was made of has moved. */
  readonly digest: string;
  /** Which member is primary; undefined where none is, and of a deletion. */
  readonly primary: string | undefined;
  /** Of a change: what is asked for, as the operator knows it by. */
  readonly wish?: string | undefined;
  /** What it would wait for by the change policy; missing where it would not. */
  readonly waits?: string | undefined;
  /** Why it waits with a release of the operator; missing where it does not. */
  readonly withRelease?: string | undefined;
  /** What of a release of the operator keeps waiting, beside which it would be carried out. */
  readonly left?: LeftRelease | undefined;
  /** Whether the operator would act now; a paused Database waits. */
  readonly isHeld: boolean;
}

/** What would become of a DatabaseBackup. */
export interface BackupPlan {
  readonly kind: "backup";
  /** `namespace/name`. */
  readonly backup: string;
  readonly intent: Plan["intent"];
  /** How the spec differs from the one in the cluster; without any, a change is none. */
  readonly asked: readonly FieldChange[];
  /** What it means for people. */
  readonly consequences: readonly Consequence[];
}

/** What became of one object of a file. */
export type Previewed =
  | Plan
  | BackupPlan
  /** Not a Database, or not there. */
  | { readonly kind: "skipped"; readonly message: string }
  /** kubectl's or the API server's own words. */
  | {
      readonly kind: "rejected";
      readonly database: string;
      /** Set where it is no Database. */
      readonly isBackup?: boolean;
      readonly message: string;
    }
  /** Nothing of it would be applied until a person acts; what was accepted last is kept up. */
  | {
      readonly kind: "stalled";
      readonly database: string;
      readonly asked: readonly FieldChange[];
      readonly reason: string;
      readonly message: string;
    }
  /** It is not known. */
  | { readonly kind: "failed"; readonly database: string; readonly message: string };

/** Whether anything would be different afterwards. */
export function isChange(plan: Plan | BackupPlan): boolean {
  if (plan.intent === "delete") return true;
  if (plan.kind === "backup") return plan.intent === "create" || plan.asked.length > 0;
  const { asked, steps, drift, isHeld } = plan;
  return asked.length > 0 || (!isHeld && (drift.length > 0 || steps.some(({ operation }) => operation !== "same")));
}

/** As `kubectl diff`: 0 nothing would change, 1 something would, 2 refused or not known. */
export function exitCodeOf(previewed: readonly Previewed[]): 0 | 1 | 2 {
  const refused = new Set(["rejected", "stalled", "failed"]);
  if (previewed.some(({ kind }) => refused.has(kind))) return 2;
  return previewed.some((one) => (one.kind === "plan" || one.kind === "backup") && isChange(one)) ? 1 : 0;
}
