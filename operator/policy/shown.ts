// What is told of a change that waits: its part of the status, and sentences. Pure.
import { approvalDays, approvalKeys } from "../../contract/approvals";
import { pendingLimits, type ApprovalState, type Awaited, type PendingChange } from "../api/pending-change";
import type { DatabaseMetadata } from "../api/object";
import { weightiest } from "../consequences/consequence";
import { differencesIn } from "../consequences/fields";
import { effects } from "../../contract/effects";
import type { Accepted } from "../domain/accepted";
import type { Desired } from "../domain/desired";
import type { ForeseenEffect } from "../domain/foreseen";
import type { Waits } from "../domain/outcome";
import type { FieldChange } from "../domain/runner";
import { shortened } from "../domain/shortened";
import type { ApprovalJudgement } from "./approval";
import type { Wait } from "./decide";

type Changes = PendingChange["changes"];

/** What counts as soon as it is written, and waits for nothing. */
const immediate = /^spec\.(deletionPolicy|paused|storageAutoGrow|upgrade)\b/;

/** What a release of the operator is called among the fields that change. */
export const release = { path: "operator", after: "another release" } as const;

/** What stands for those that there is no room for. */
const others = "others";

/** Those of the spec first, as a person asked for them: moved parameters of a shared ConfigMap must not push them out. */
const places = [/^spec\.(?!config\b)/, /^spec\b/, /^image\b/, /^config\b/];
const placeOf = ({ path }: { readonly path: string }): number => places.findIndex((place) => place.test(path));

/** What differs between what runs and what is asked for: every field, whole. */
function fieldsOf(before: Accepted | undefined, { spec, image, config }: Accepted | Desired): FieldChange[] {
  const found = differencesIn("", before === undefined ? {} : comparable(before), comparable({ spec, image, config }));
  // what comes from spec.config is said as that
  const own = new Set(found.map(({ path }) => path));
  return found.filter(({ path }) => !own.has(`spec.${path}`)).toSorted((left, right) => placeOf(left) - placeOf(right));
}

/** The same without what counts at once. */
const waitingOf = (before: Accepted | undefined, next: Accepted | Desired): FieldChange[] =>
  fieldsOf(before, next).filter(({ path }) => !immediate.test(path));

/** Whether the Database itself asks for something else, and not only what it refers to, or the operator. */
export const isEdited = (before: Accepted | undefined, next: Accepted | Desired): boolean =>
  before === undefined || waitingOf(before, next).some(({ path }) => path.startsWith("spec."));

/** What differs, as the history tells it: with what counted at once, and without another release. */
export const differencesOf = (before: Accepted | undefined, next: Accepted | Desired): Changes =>
  fieldsOf(before, next).map(shownField);

/** What of it waits, as the status shows it, the release first: restarts that no field explains come from it. */
export function changesOf(
  before: Accepted | undefined,
  next: Accepted | Desired,
  { isOtherRelease }: { readonly isOtherRelease: boolean },
): Changes {
  const differing = waitingOf(before, next).map(shownField);
  const told = isOtherRelease || differing.length === 0 ? [release, ...differing] : differing;
  if (told.length <= pendingLimits.changes) return told;
  const first = told.slice(0, pendingLimits.changes - 1);
  return [...first, { path: others, after: `${told.length - first.length} more` }];
}

const shownField = (field: FieldChange): Changes[number] => ({
  path: shortened(field.path, pendingLimits.path),
  ...(field.before !== undefined && { before: valueText(field.before) }),
  ...(field.after !== undefined && { after: valueText(field.after) }),
});

const comparable = ({ spec, image, config }: Accepted): object => ({
  spec: { ...spec, config: spec.config ?? {} },
  image,
  config,
});

const valueText = (value: unknown): string =>
  shortened(typeof value === "string" ? value : JSON.stringify(value), pendingLimits.value);

/** What is noticed of it, the weightiest first. */
export function consequencesOf(foreseen: readonly ForeseenEffect[]): PendingChange["consequences"] {
  const weightOf = ({ effect }: ForeseenEffect): number => effects.indexOf(effect);
  return foreseen
    .filter(({ effect }) => effect !== "None")
    .toSorted((left, right) => weightOf(right) - weightOf(left))
    .slice(0, pendingLimits.consequences)
    .map(({ effect, members, message }) => ({
      effect,
      members: members.slice(0, pendingLimits.members),
      message: shortened(message, pendingLimits.message),
    }));
}

/** The weightiest of what it does. */
export const effectOf = (foreseen: readonly ForeseenEffect[]): PendingChange["effect"] =>
  weightiest(foreseen.map(({ effect }) => effect));

const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");

/** The part of the status that changes with time, approval and windows. */
export function standingOf(
  wait: Wait,
  judged: ApprovalJudgement,
): Pick<PendingChange, "waitsFor" | "windowOpensAt" | "approval"> {
  const waitsFor: Awaited[] = [
    ...(wait.needsApproval ? (["Approval"] as const) : []),
    ...(wait.window ? (["Window"] as const) : []),
  ];
  const opensAt = wait.window?.opensAt;
  const approval = approvalOf(judged);
  return {
    waitsFor,
    ...(opensAt !== undefined && { windowOpensAt: timeText(opensAt) }),
    ...(approval !== undefined && { approval }),
  };
}

const states: Readonly<Record<Exclude<ApprovalJudgement["kind"], "none">, ApprovalState>> = {
  accepted: "Accepted",
  unknown: "Unknown",
  stale: "Stale",
  expired: "Expired",
  author: "Author",
  noRight: "NoRight",
};

function approvalOf(judged: ApprovalJudgement): PendingChange["approval"] {
  if (judged.kind === "none") return undefined;
  const by = "by" in judged ? judged.by : undefined;
  return {
    state: states[judged.kind],
    ...(by !== undefined && { by: shortened(by, pendingLimits.user) }),
    message: shortened(approvalText(judged), pendingLimits.message),
  };
}

function approvalText(judged: Exclude<ApprovalJudgement, { kind: "none" }>): string {
  switch (judged.kind) {
    case "accepted":
      return judged.isNow ? "approved, in any window or none" : "approved";
    case "unknown":
      return `no plan has the digest ${judged.digest.slice(0, 12)}: copy that of status.pendingChange.digest whole`;
    case "stale":
      return "the plan has moved since it was approved: look at it again, and approve its new digest";
    case "expired":
      return `it came more than ${approvalDays} days after the plan was made: approve the new digest`;
    case "author":
      return judged.isKnown
        ? "who asked for the change may not approve it: another person must"
        : "it is not known who asked for the change, so the rule that another person approves it cannot be kept: apply the change again while the operator's webhook answers";
    case "noRight":
      return judged.isJudged
        ? `the annotation ${approvalKeys.by} is missing: it names who approves`
        : "approvals are not set up in this cluster: the platform's policy of the API server is what judges them";
  }
}

/** What is said of it in conditions. */
export function pendingText(
  shown: PendingChange,
  wait: Wait,
  judged: ApprovalJudgement,
  { namespace, name }: Pick<DatabaseMetadata, "namespace" | "name">,
): string {
  const approval =
    reasonOf(wait, judged) === "ApprovalVoid" && shown.approval !== undefined
      ? [`the approval on it does not count: ${shown.approval.message}`]
      : [];
  const command = `kubectl annotate db ${name} -n ${namespace} ${approvalKeys.approve}=${shown.digest} --overwrite`;
  const why = wait.approvalOf.length === 0 ? "it makes the change policy looser" : wait.approvalOf.join(", ");
  const asks = wait.needsApproval ? [`it needs approval (${why}): ${command}`] : [];
  return [`a change waits: ${changeText(shown)}`, ...approval, ...asks, ...windowText(wait)].join("; ");
}

/** How who runs the Database lets a release in that waits because the platform asks about releases. */
export const wayInText =
  "it is the operator's release that is asked about: spec.changePolicy: {} lets it in, with all that waits with it";

export function windowText({ window }: Pick<Wait, "window">): readonly string[] {
  if (window === undefined) return [];
  const next =
    window.opensAt === undefined
      ? "no time is known at which all that it does has one open"
      : `the next one opens at ${timeText(window.opensAt)}`;
  return [`it waits for a window (${window.effects.join(", ")}): ${next}`];
}

const mostNamed = 3;

function changeText({ changes }: PendingChange): string {
  const named = changes.slice(0, mostNamed).map(({ path, before, after }) => {
    const brief = (value: string | undefined): string => shortened(value ?? "(none)", 40);
    return `${path} ${before === undefined ? "" : `${brief(before)} → `}${brief(after)}`;
  });
  const count = changes.at(-1)?.path === others ? "many" : changes.length - mostNamed;
  const rest = changes.length > mostNamed ? [`${count} more`] : [];
  return [...named, ...rest].join(", ");
}

/** The reason of the condition. */
export function reasonOf(wait: Wait, judged: ApprovalJudgement): Waits["reason"] {
  const isVoid = judged.kind !== "none" && judged.kind !== "accepted";
  if (isVoid && wait.needsApproval) return "ApprovalVoid";
  return wait.needsApproval ? "AwaitingApproval" : "AwaitingWindow";
}
