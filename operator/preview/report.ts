// What a preview found out, as JSON for programs: names and values as Kubernetes writes them.
import { backupResource, previewResource, previewVersion } from "../../contract/resources";
import type { Effect } from "../../contract/effects";
import { effectsByMember, weightiest, type Consequence, type MemberEffect } from "../consequences/consequence";
import { expanded } from "../consequences/fields";
import type { FieldChange, PlannedStep } from "../domain/runner";
import type { LeftRelease } from "./beside";
import { isChange, type BackupPlan, type Plan, type Previewed } from "./plan";
import { summaryOf } from "./render";

/** How it ended. */
export type PreviewOutcome =
  /** Something would change. */
  | "Planned"
  /** Nothing would. */
  | "Unchanged"
  /** The API server, or what judges for it, would not take it. */
  | "Refused"
  /** It would be stored, and not be carried out until a person acts. */
  | "Stalled"
  /** It cannot be told. */
  | "Failed"
  /** There is nothing to preview. */
  | "Skipped";

/** How a field changes; without `before` it is added, without `after` removed. */
export type ReportedField = Pick<FieldChange, "path"> & Partial<Pick<FieldChange, "before" | "after">>;

/** What would be done to an object that does not stay as it is. */
export interface ReportedObject {
  readonly kind: string;
  readonly name: string;
  readonly operation: "Create" | "Update" | "Replace" | "Delete";
  /** Set where a deletion leaves the object in the cluster. */
  readonly retained?: boolean;
  /** Set where a creation takes over the object that is there. */
  readonly adopted?: boolean;
  readonly fields: readonly ReportedField[];
}

/** A release of the operator that waits, once the change is carried out without it. */
export interface ReportedRelease {
  /** For what, by the change policy. */
  readonly waits: string;
  /** The weightiest of all. */
  readonly effect: Effect;
  readonly consequences: readonly Consequence[];
}

/** What a preview found out of one object. What does not apply is missing. */
export interface PreviewReport {
  readonly outcome: PreviewOutcome;
  readonly operation?: "Create" | "Update" | "Delete";
  /** Of one that is stalled: the reason of the condition to come. */
  readonly reason?: string;
  readonly message?: string;
  /** How the spec changes. */
  readonly spec?: readonly ReportedField[];
  readonly notes?: readonly string[];
  /** What others changed, and would be restored. */
  readonly drift?: readonly string[];
  /** That by the change policy it would wait, and for what; one of the notes. */
  readonly waits?: string;
  /** What of a release of the operator keeps waiting, beside which it would be carried out. */
  readonly release?: ReportedRelease;
  /** Whether it waits until spec.paused is false. */
  readonly paused?: boolean;
  readonly summary?: string;
  readonly objects?: readonly ReportedObject[];
  /** The weightiest of all. */
  readonly effect?: Effect;
  readonly consequences?: readonly Consequence[];
  readonly members?: readonly MemberEffect[];
  /** What an approval would name: it changes with whatever the plan was made of. */
  readonly digest?: string;
}

/** The report on each, as a List that kubectl could have printed. */
export const listOf = (all: readonly Previewed[]): unknown => ({
  apiVersion: "v1",
  kind: "List",
  items: all.map((one) => ({
    apiVersion: `${previewResource.group}/${previewVersion}`,
    kind: isOfBackup(one) ? `${backupResource.kind}Preview` : previewResource.kind,
    metadata: metadataOf(one),
    status: reportOf(one),
  })),
});

const isOfBackup = (one: Previewed): boolean =>
  one.kind === "backup" || (one.kind === "rejected" && one.isBackup === true);

/** Of the object that was previewed; empty where there is none. */
function metadataOf(one: Previewed): { readonly namespace?: string; readonly name?: string } {
  if (one.kind === "skipped") return {};
  const [name = "", namespace] = (one.kind === "backup" ? one.backup : one.database).split("/").reverse();
  return namespace === undefined ? { name } : { namespace, name };
}

/** See the interface. */
export function reportOf(one: Previewed): PreviewReport {
  switch (one.kind) {
    case "plan":
      return planReport(one);
    case "backup":
      return { ...commonReport(one), consequences: one.consequences };
    case "skipped":
      return { outcome: "Skipped", message: one.message };
    case "rejected":
      return { outcome: "Refused", message: one.message };
    case "stalled":
      return { outcome: "Stalled", reason: one.reason, message: one.message, spec: one.asked.map(fieldOf) };
    case "failed":
      return { outcome: "Failed", message: one.message };
  }
}

const operations = { create: "Create", change: "Update", delete: "Delete" } as const;

const commonReport = (plan: Plan | BackupPlan): Pick<PreviewReport, "outcome" | "operation" | "spec"> => ({
  outcome: isChange(plan) ? "Planned" : "Unchanged",
  operation: operations[plan.intent],
  spec: plan.asked.map(fieldOf),
});

function planReport(plan: Plan): PreviewReport {
  const { notes, drift, waits, left, isHeld, consequences, digest, memberNames } = plan;
  return {
    ...commonReport(plan),
    notes: notes.filter((note) => !consequences.some(({ message }) => message === note)),
    drift,
    ...(waits !== undefined && { waits }),
    ...(left !== undefined && { release: releaseOf(left) }),
    paused: isHeld,
    summary: summaryOf(plan),
    objects: plan.steps.flatMap(objectOf),
    effect: effectOf(consequences),
    consequences,
    members: effectsByMember(consequences, memberNames),
    digest,
  };
}

const effectOf = (consequences: readonly Consequence[]): Effect => weightiest(consequences.map(({ effect }) => effect));

const releaseOf = ({ waits, consequences }: LeftRelease): ReportedRelease => ({
  waits,
  effect: effectOf(consequences),
  consequences,
});

const verbs = { create: "Create", update: "Update", replace: "Replace", delete: "Delete" } as const;

function objectOf({ kind, name, operation, retained, adopts, fields }: PlannedStep): ReportedObject[] {
  if (operation === "same") return [];
  const object = { kind, name, operation: verbs[operation], fields: fields.flatMap(expanded).map(fieldOf) };
  return [{ ...object, ...(retained && { retained }), ...(adopts && { adopted: adopts }) }];
}

const fieldOf = ({ path, before, after }: FieldChange): ReportedField => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});
