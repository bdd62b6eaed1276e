// Whether the approval that a Database carries is one of the plan that waits: pure. That its author has the right, the API server has judged.
import { accountPrefix, approvalKeys } from "../../contract/approvals";
import type { DatabaseMetadata } from "../api/object";

/** What a Database carries of approvals. */
export interface CarriedApproval {
  readonly digest: string;
  /** Whether windows do not matter. */
  readonly isNow: boolean;
  /** Missing where it is not said: then the API server did not judge it. */
  readonly by?: string | undefined;
}

/** What the decision needs of it: whether there is one, and whether it opens windows, too. */
export type Approving = "no" | "approved" | "now";

/** What an approval is judged by. */
export interface ApprovalInputs {
  readonly carried: CarriedApproval | undefined;
  readonly plan: {
    readonly digest: string;
    /** Digests that it had before. */
    readonly former: readonly string[];
    /** The one that it had when it was too old to be approved; undefined where it never was. */
    readonly late: string | undefined;
  };
  /** The last approval that a change used up. */
  readonly used: string | undefined;
  /** Who asked for the change; undefined where that is not known. */
  readonly authors: readonly string[] | undefined;
  /** That of the Database. */
  readonly namespace: string;
  readonly settings: { readonly areApprovalsJudged: boolean; readonly mayAuthorApprove: boolean };
}

export type ApprovalJudgement =
  /** The Database carries none, or only one that was used up. */
  | { readonly kind: "none" }
  | { readonly kind: "accepted"; readonly by: string; readonly isNow: boolean }
  /** No plan has this digest. */
  | { readonly kind: "unknown"; readonly digest: string }
  /** The plan has moved since. */
  | { readonly kind: "stale"; readonly by: string | undefined }
  /** It came too late. */
  | { readonly kind: "expired"; readonly by: string | undefined }
  /** Who asked for the change approved it, or that cannot be ruled out. */
  | { readonly kind: "author"; readonly by: string; readonly isKnown: boolean }
  /** It is not known who approved, or the API server judges no approvals. */
  | { readonly kind: "noRight"; readonly isJudged: boolean };

/** See the header. */
export function judgeApproval(inputs: ApprovalInputs): ApprovalJudgement {
  const { carried, plan, used, settings } = inputs;
  if (carried === undefined || carried.digest === used) return { kind: "none" };
  const { digest, by } = carried;
  if (digest === plan.late) return { kind: "expired", by };
  if (plan.former.includes(digest)) return { kind: "stale", by };
  if (digest !== plan.digest) return { kind: "unknown", digest };
  if (!settings.areApprovalsJudged || by === undefined)
    return { kind: "noRight", isJudged: settings.areApprovalsJudged };
  return accepted(by, carried.isNow, inputs);
}

function accepted(by: string, isNow: boolean, inputs: ApprovalInputs): ApprovalJudgement {
  const isKnown = areKnown(inputs);
  if (!inputs.settings.mayAuthorApprove && (!isKnown || inputs.authors?.includes(by) === true))
    return { kind: "author", by, isKnown };
  return { kind: "accepted", by, isNow };
}

/** As a ServiceAccount of the Database's namespace act all who may write Pods there, the approver among them. */
const areKnown = ({ authors, namespace }: ApprovalInputs): boolean =>
  authors?.every((author) => !author.startsWith(`${accountPrefix}${namespace}:`)) === true;

export const approvingOf = (judged: ApprovalJudgement): Approving => {
  if (judged.kind !== "accepted") return "no";
  return judged.isNow ? "now" : "approved";
};

/** What the annotations of a Database say. Of two approvals that of `digest` counts. */
export function carriedIn(
  annotations: Readonly<Record<string, string>>,
  digest: string | undefined,
): CarriedApproval | undefined {
  const by = annotations[approvalKeys.by];
  const given = [
    { digest: annotations[approvalKeys.now], isNow: true },
    { digest: annotations[approvalKeys.approve], isNow: false },
  ].flatMap((one) => (one.digest ? [{ digest: one.digest, isNow: one.isNow, by }] : []));
  return given.find((one) => one.digest === digest) ?? given[0];
}

/** What of a Database says who changed it. */
export type Authored = Pick<DatabaseMetadata, "annotations" | "generation" | "uid">;

/** Who changed the spec last; undefined where that is not known of this very Database and its generation. */
export function authorIn({ annotations, generation, uid }: Authored): string | undefined {
  const known = `${uid} ${generation} `;
  const said = annotations[approvalKeys.changedBy] ?? "";
  return said.startsWith(known) && said.length > known.length ? said.slice(known.length) : undefined;
}
